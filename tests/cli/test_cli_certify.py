"""``forebear certify``: what is shown, the files, and the check of its certificate."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forebear import ArcMargins, certify_arcs, find_network, score_parent_sets, simulate
from forebear.cli import main

QUICK = ["--threads", "1", "--seed", "1", "--max-parents", "2"]


@pytest.fixture
def table() -> str:
    simulate(7, 300, max_parents=2, seed=4).data.to_frame().write_csv("table.csv")
    return "table.csv"


def test_margins_of_a_table(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", table, *QUICK, "-o", "margins.csv"]) == 0
    shown = capsys.readouterr().out
    assert "relative to the best network, among networks with at most 2 parents" in shown
    assert "The least certain edges, in nats:" in shown
    assert "Saved    margins.csv" in shown
    with Path("margins.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert all(row["adjacent"] == "true" and float(row["margin"]) >= 0 for row in rows)


def test_pairs_without_an_edge(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", table, *QUICK, "--pairs", "--margin", "5", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    kinds = [one["kind"] for one in facts["margins"]]
    assert kinds.count("edge") + kinds.count("pair") == 7 * 6 // 2
    assert all(one["margin"] <= 5 for one in facts["margins"] if one["margin"] is not None)
    assert main(["certify", table, *QUICK, "--pairs", "--margin", "5"]) == 0
    assert "are proven absent" in capsys.readouterr().out


def test_a_certificate_that_the_checker_accepts(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = score_parent_sets(table, max_parents=2)
    sets.save("table.cps")
    command = ["certify", "table.cps", "--threads", "1", "--certificate", "margins.cert", "--json"]
    assert main(command) == 0
    margins = json.loads(capsys.readouterr().out)["margins"]
    assert main(["check", "margins.cert", "table.cps", "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)["margins"]
    for own, one in zip(margins, checked, strict=True):
        assert one["absent"][0] == f"{own['from']} -> {own['to']}"
        assert one["margin"] == pytest.approx(own["margin"], abs=1e-6)
    assert main(["check", "margins.cert", table]) == 0
    assert "Margins of" in capsys.readouterr().out


@pytest.mark.parametrize("source", ["table.csv", "table.cps", "table.jkl"])
def test_a_prior_over_networks(table: str, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    if source != table:
        score_parent_sets(table, max_parents=2).save(source)
    options = QUICK if source == table else QUICK[:4]
    command = ["certify", source, *options, "--json", "--prior"]
    assert main([*command, "sparse"]) == 0
    expected = score_parent_sets(table, max_parents=2, prior="sparse")
    found = find_network(expected, generations=5, seed=1, threads=1)
    shown = json.loads(capsys.readouterr().out)
    assert shown["score"] == pytest.approx(found.score)
    own = certify_arcs(expected, seed=1, threads=1)
    assert [one["margin"] for one in shown["margins"]] == pytest.approx(
        [one.margin for one in own.items], abs=1e-5
    )


def test_margins_of_a_given_result(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    sets = score_parent_sets(table, max_parents=2)
    sets.save("table.cps")
    find_network(sets, generations=5, seed=1, threads=1).save("found.json")
    command = ["certify", "table.cps", "--network", "found.json", "--threads", "1"]
    assert main([*command, "--margin", "10", "-o", "margins.json", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(Path("margins.json").read_text())["cutoff"] == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--pairs", "--pairs requires the table"),
        ("--max-parents 2", "--max-parents applies to a table"),
        ("-o margins.svg", "unknown file type .svg"),
        ("--margin -1", "--margin must be"),
    ],
)
def test_mistakes(
    table: str, options: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    score_parent_sets(table, max_parents=1).save("table.cps")
    assert main(["certify", "table.cps", *options.split()]) == 2
    assert message in capsys.readouterr().err


def test_an_interrupt(
    table: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*args: Any, **options: Any) -> ArcMargins:
        return replace(certify_arcs(*args, **options), stop_reason="interrupted")

    monkeypatch.setattr("forebear.cli.certify.certify_arcs", interrupted)
    assert main(["certify", table, *QUICK]) == 130
    assert capsys.readouterr().err == "forebear: interrupted before all margins were proven\n"
