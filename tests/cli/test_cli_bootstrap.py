"""``forebear bootstrap``: tables and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from forebear import learn, simulate
from forebear.cli import main
from forebear.data.writing import write_table


@pytest.fixture
def table() -> str:
    write_table(simulate(4, 200, seed=1).data, "table.csv")
    return "table.csv"


def test_a_bootstrap(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"bootstrap {table} --replicates 5 --generations 1 --seed 1".split()
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("networks  5\n")
    assert "probability  either way  arc\n" in shown
    assert main([*command, "-o", "arcs.csv", "-o", "arcs.json", "-o", "sure.dot", "-q"]) == 0
    assert capsys.readouterr().out == ""
    frame = pl.read_csv("arcs.csv")
    facts = json.loads(Path("arcs.json").read_text())
    assert frame.columns == ["parent", "child", "probability", "either_direction"]
    assert frame["probability"].to_list() == [arc[2] for arc in facts["arcs"]]
    assert {share * 5 for *_, share in facts["arcs"]} <= {1.0, 2.0, 3.0, 4.0, 5.0}
    assert Path("sure.dot").read_text().startswith("digraph")
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == facts
    assert main([*command, "-o", "arcs.csv"]) == 0
    assert capsys.readouterr().out.endswith("0.5\nWritten to arcs.csv\n")


def test_an_interrupted_bootstrap_is_marked_as_incomplete(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def interrupted(*args: Any, **options: Any) -> Any:
        if len(made) % 3 == 2:
            made.append(None)
            raise KeyboardInterrupt
        made.append(learn(*args, **options))
        return made[-1]

    monkeypatch.setattr("forebear.learning.bootstrap.learn", interrupted)
    command = f"bootstrap {table} --replicates 5 --generations 1 --seed 1".split()
    assert main(command) == 130
    shown = capsys.readouterr()
    assert shown.out.startswith("networks  2 of 5: incomplete, interrupted\n")
    assert shown.err == "forebear: interrupted after 2 of 5 networks\n"
    assert main([*command, "-o", "arcs.json", "-q"]) == 130
    assert capsys.readouterr().err == "forebear: interrupted after 2 of 5 networks\n"
    facts = json.loads(Path("arcs.json").read_text())
    assert (facts["networks"], facts["requested"]) == (2, 5)
    assert facts["stop_reason"] == "interrupted"
    assert main([*command, "--json"]) == 130
    assert json.loads(capsys.readouterr().out) == facts
