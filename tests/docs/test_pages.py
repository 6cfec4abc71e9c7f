"""Every algorithm, score and command is documented, and the chart shows existing commands."""

from __future__ import annotations

import re

import pytest
from pages import DOCS, PAGES, ROOT, script
from typer.testing import CliRunner

from forebear.cli.app import COMMANDS, app
from forebear.learning.algorithms import ALGORITHMS
from forebear.scoring.scores import SCORES

METHODS = [*(f"algorithms/{name}" for name in ALGORITHMS), *(f"scores/{name}" for name in SCORES)]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def sections(folder: str) -> dict[str, str]:
    """The sections of the page on the algorithms or the scores, by anchor."""
    parts = re.split(r"^## (.+)\n", page(f"reference/{folder}/index.md"), flags=re.MULTILINE)
    anchors = [heading.lower().replace(" ", "-") for heading in parts[1::2]]
    return dict(zip(anchors, parts[2::2], strict=True))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_its_section(name: str) -> None:
    folder, short = name.split("/")
    link = re.search(rf"\[`{short}`\]\(#([\w-]+)\)", page(f"reference/{folder}/index.md"))
    assert link is not None
    text = sections(folder)[link[1]]
    assert re.search(r"^[A-Z]\. .*[A-Z]", text, re.MULTILINE), "it has no reference"


def test_there_is_no_section_of_another_method() -> None:
    for folder in ("algorithms", "scores"):
        methods = set(sections(folder)) - {"the-prior-over-networks"}
        assert len(methods) == sum(name.startswith(folder) for name in METHODS)


def test_the_table_of_commands_is_complete() -> None:
    table = page("reference/commands.md").partition("| exit code")[0]
    assert set(COMMANDS) <= set(re.findall(r"`(\w+)`", table))


def test_every_page_has_its_place() -> None:
    """Pages are in one of the parts, and all of them are in the navigation."""
    parts = ("tutorial/", "guide/", "explanation/", "reference/", "notebooks/")
    assert [name for name in PAGES if not name.startswith((*parts, "index.md"))] == []
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"[\w/-]+\.md\b", text))
    assert listed == set(PAGES)


def test_the_chart_is_up_to_date() -> None:
    """It shows existing commands and options."""
    chart = script("img/chart.py")
    assert chart.drawing() == page("img/chart.svg")
    command = ""
    for row in (row for group in chart.CHART for row in group.rows):
        if found := re.match(r"forebear (\w+)", row.command):
            command = found[1]
            assert command in COMMANDS
        shown = CliRunner().invoke(app, [command, "--help"]).output
        for option in re.findall(r"--[\w-]+", row.command):
            assert option in shown, option
