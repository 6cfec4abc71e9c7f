"""The site: it builds without a warning, and its generated parts are complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import DOCS, ROOT, script

from forebear.cli.app import COMMANDS


@pytest.mark.slow
def test_it_is_built_without_a_warning(tmp_path: Path) -> None:
    for package in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(package, reason=f"{package} is not installed: see the extra docs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (0, "", "")
    assert "forebear learn [OPTIONS]" in words(tmp_path / "reference" / "commands" / "index.html")
    assert "max_sets_per_variable" in words(tmp_path / "reference" / "python" / "index.html")
    assert "Markov blanket of harvest" in words(
        tmp_path / "notebooks" / "first-network" / "index.html"
    )
    assert (tmp_path / "notebooks" / "files" / "first-network.ipynb").exists()
    assert not list(tmp_path.rglob("*.py"))


def words(page: Path) -> str:
    """The text of an HTML page without its markup."""
    return re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))


def test_every_command_is_in_the_reference() -> None:
    inserts = script("hooks/inserts.py")
    page = inserts.filled((DOCS / "reference" / "commands.md").read_text(encoding="utf-8"))
    names = list(COMMANDS)
    sections = re.findall(r"^## forebear ?(.*)$", page, re.MULTILINE)
    assert sections == ["", *names]
    for name in names:
        assert f"Usage: forebear {name} [OPTIONS]" in page
    assert "--max-sets-per-variable N" in page


def test_pages_load_nothing_from_other_hosts() -> None:
    loaded = script("hooks/hosts.py").loaded_elsewhere
    fine = """<a href="https://elsewhere.org">there</a> <link rel="canonical" href="https://a.org/">
    <script src="../assets/a.js"></script>
    <img src="data:image/png;base64,AA=="><style>a{}</style>"""
    assert loaded(fine) == []
    for tag in (
        '<script src="https://cdn.org/a"></script>',
        '<link rel="stylesheet" href="https://cdn.org/a">',
        "<style>@import 'https://cdn.org/a';</style>",
        '<p style="background: url(https://cdn.org/a)">',
    ):
        assert loaded(fine + tag) == ["https://cdn.org/a"]


@pytest.mark.slow
def test_the_picture_shows_the_learned_network() -> None:
    drawn = script("img/orchard.py").drawing()
    assert drawn == (DOCS / "img" / "orchard.svg").read_text(encoding="utf-8")
