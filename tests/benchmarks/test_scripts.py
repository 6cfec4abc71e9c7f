"""Every benchmark is listed and shows its options; those on the paper's data run."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = [*sorted(path.name for path in BENCHMARKS.glob("*.py")), "paper/reproduce.py"]


def test_the_readme_lists_every_script() -> None:
    page = (BENCHMARKS / "README.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `([\w/]+\.py)` \|", page, re.MULTILINE)) == sorted(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_shows_its_question_and_its_options(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit, match=r"^0$"):
        runpy.run_path(str(BENCHMARKS / name), run_name="__main__")
    shown = capsys.readouterr().out
    assert f"python benchmarks/{name}" in shown
    assert "?" in shown
