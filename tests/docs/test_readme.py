"""The README: its examples run, its tables are complete, and it is short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from forebear.cli import main
from forebear.cli.app import COMMANDS
from forebear.data.formats.table import EXTENSIONS
from forebear.data.writing import write_table
from forebear.network.simulation import simulate
from forebear.scoring.scores import SCORES

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture
def readme() -> str:
    return README.read_text(encoding="utf-8")


def test_the_first_command(
    readme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    line = re.search(r"^pip install \. && (forebear .*)$", readme, re.MULTILINE)
    assert line is not None
    for command in line[1].replace("--time-limit 5", "--time-limit 3").split(" && "):
        assert main(command.split()[1:]) == 0
    assert "Written  orchard.bif, orchard.html" in capsys.readouterr().out


def test_the_python_example(
    readme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(simulate(3, 200, seed=1).data, "survey.csv")
    text = Path("survey.csv").read_text().partition("\n")[2]
    Path("survey.csv").write_text(f"age,income,job\n{text}")
    examples = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(examples) == 2
    quick = "\n".join(examples).replace("time_limit=60", "time_limit=1")
    exec(compile(quick, README, "exec"), {})
    assert re.search(r"^1 -\d+", capsys.readouterr().out, re.MULTILINE)
    assert {"survey.html", "survey.json", "survey.bif"} <= {p.name for p in tmp_path.iterdir()}


def test_it_is_short(readme: str) -> None:
    assert len(readme.splitlines()) < 150


def test_the_tables_are_complete(readme: str) -> None:
    for command in COMMANDS:
        assert f"| `forebear {command} " in readme
    for name in (*SCORES, *EXTENSIONS, ".cps", ".jkl", ".bif"):
        assert f"`{name}`" in readme
