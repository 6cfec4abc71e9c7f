"""The README: its examples run, and it is short."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pages import ROOT, seeded_arguments, steady

from forebear.cli import main

README = ROOT / "README.md"


@pytest.fixture
def readme() -> str:
    return README.read_text(encoding="utf-8")


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """A function that runs one command, and returns its output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def command(line: str) -> str:
        capsys.readouterr()
        assert main(seeded_arguments(line.split()[1:])) == 0, line
        return capsys.readouterr().out

    return command


def blocks(readme: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", readme, re.DOTALL)


def test_the_first_command(readme: str, run: Callable[[str], str]) -> None:
    line = re.search(r"^pip install \. && (forebear .*)$", readme, re.MULTILINE)
    assert line is not None
    assert "Saved    orchard.bif, orchard.html" in run(line[1])


def test_a_table_becomes_a_report(readme: str, run: Callable[[str], str]) -> None:
    (commands,) = (block for block in blocks(readme, "sh") if block.startswith("forebear "))
    shown = [run(line) for line in commands.replace("\\\n", " ").splitlines()]
    assert "identifier" in shown[0]
    assert Path("survey.html").exists()
    assert Path("survey.bif").exists()


def test_the_python_example(
    readme: str, run: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    del run  # only its folder is used
    (example,) = blocks(readme, "python")
    exec(compile(example, README, "exec"), {})
    shown = capsys.readouterr().out
    assert re.match(r"-\d+", shown)
    assert "P(income | age=" in shown
    assert Path("survey.html").exists()
    assert Path("survey.bif").exists()


def test_the_proof(readme: str, run: Callable[[str], str]) -> None:
    (session,) = blocks(readme, "console")
    for part in session.split("$ ")[1:]:
        line, _, expected = part.partition("\n")
        assert steady(run(line)) == steady(expected)


def test_it_is_short(readme: str) -> None:
    assert len(readme.splitlines()) < 150
