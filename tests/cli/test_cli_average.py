"""``forebear average`` and ``forebear bootstrap``: tables, files, and what people get wrong."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from results import result_of
from typer.testing import CliRunner

from forebear import Alternative, Network, Result, read_network, simulate
from forebear.cli import main
from forebear.cli.app import app
from forebear.data.writing import write_table

NAMES = ("a", "b", "c")
CHAIN = ((), (0,), (1,))
BACK = ((1,), (), (1,))
RARE = ((), (), (0,))


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    found = ((-10.0, CHAIN), (-10.0 - math.log(3), BACK), (-20.0, RARE))
    alternatives = tuple(Alternative(*one) for one in found)
    result = result_of(Network(NAMES, CHAIN), score=-10.0)
    replace(result, alternatives=alternatives).save("chain.json")
    result.save("alone.json")


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["average", "chain.json"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "networks  3, worth 1.6 of equal weight",
        "averaged  2 edges of probability 0.5 or more",
        "",
        "probability  either way  arc",
        "      1.000       1.000  b -> c",
        "      0.750       1.000  a -> b",
        "      0.250       1.000  b -> a",
        "and 1 below 0.01",
    ]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["average", "chain.json", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [arc[:2] for arc in facts["arcs"]] == [["b", "c"], ["a", "b"], ["b", "a"], ["a", "c"]]
    assert facts["arcs"][1][2] == pytest.approx(0.75, abs=1e-3)
    assert facts["edges"][0] == ["a", "b", pytest.approx(1.0, abs=1e-3)]
    assert facts["blankets"][-1][:2] == ["a", "c"]
    assert facts["averaged"] == [["a", "b"], ["b", "c"]]
    assert (facts["networks"], facts["threshold"]) == (3, 0.5)


def test_the_averaged_network_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["average", "chain.json", "-o", "sure.edges.csv", "--threshold", "0.00001"]) == 0
    assert capsys.readouterr().out.endswith("Written to sure.edges.csv\n")
    assert set(read_network("sure.edges.csv").arc_names) == {("a", "b"), ("b", "c"), ("a", "c")}


def test_averages_over_orders(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "example:orchard", "-o", "sets.cps", "--max-parents", "2", "-q"]) == 0
    assert (
        main(["search", "sets.cps", "-o", "found.json", "--generations", "2", "--seed", "1", "-q"])
        == 0
    )
    assert main(["average", "found.json", "--sets", "sets.cps"]) == 0
    assert capsys.readouterr().out.startswith("orders    ")
    assert main(["average", "chain.json", "--sets", "sets.cps"]) == 2
    assert (
        "chain.json: the result and the parent sets have different variables"
        in capsys.readouterr().err
    )


@pytest.fixture
def table() -> str:
    write_table(simulate(4, 200, seed=1).data, "table.csv")
    return "table.csv"


def test_a_bootstrap(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"bootstrap {table} --replicates 5 --generations 1 --seed 1".split()
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("networks  5, worth 5.0 of equal weight\n")
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
    assert capsys.readouterr().out.endswith("more\nWritten to arcs.csv\n")


def test_the_budget_of_a_bootstrap(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(f"bootstrap {table} --replicates 3 --time-limit 3 --json".split()) == 0
    assert json.loads(capsys.readouterr().out)["networks"] == 3


@pytest.mark.parametrize("command", ["average", "bootstrap"])
def test_help_has_an_example(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"]).output
    assert f"forebear {command} " in shown.partition("Examples:")[2]
    assert "--threshold" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("average", "missing argument 'RESULT'"),
        ("average no.json", "no.json: cannot be read: No such file"),
        ("average alone.json", "alone.json: the result has no alternatives to average"),
        ("average chain.json --sets no.cps", "no.cps: "),
        ("average chain.json --threshold 0", "--threshold must be in (0, 1], got 0"),
        ("average chain.json -o sure.bif", "sure.bif: an averaged network has no probabilities"),
        ("average chain.json -o sure.json", "sure.json: the extension of a network must be one"),
        ("average chain.json -o no/sure.dot", "no/sure.dot: cannot be written: there is no"),
        ("bootstrap no.csv", "no.csv: there is no such file"),
        ("bootstrap table.csv --replicates 0", "--replicates must be at least 1, got 0"),
        ("bootstrap table.csv --time-limit 0", "--time-limit must be positive, got 0"),
        ("bootstrap no.csv --threads 0", "--threads must be at least 1, got 0"),
        ("bootstrap table.csv --threshold 2", "--threshold must be in (0, 1], got 2"),
        ("bootstrap table.csv --score x", "--score must be one of bdeu, "),
        ("bootstrap table.csv -o arcs.txt", "arcs.txt: probabilities are written to .csv or"),
        ("bootstrap table.csv -o arcs.bif", "arcs.bif: an averaged network has no probabilities"),
        ("bootstrap table.csv -o no/arcs.csv", "no/arcs.csv: cannot be written: there is no"),
    ],
)
def test_mistakes(
    arguments: str, sentence: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("forebear: ")
    assert err.count("\n") == 1
    assert sentence in err
    assert {path.name for path in Path().iterdir()} == {"chain.json", "alone.json", table}


def test_an_older_result_still_loads() -> None:
    fields = json.loads(Path("chain.json").read_text())
    del fields["alternatives"]
    Path("old.json").write_text(json.dumps(fields))
    assert Result.load("old.json").alternatives == ()
