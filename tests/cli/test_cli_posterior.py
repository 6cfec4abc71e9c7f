"""``forebear posterior``: tables, draws and reports."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from forebear import Posterior, read_network, simulate
from forebear.cli import main
from forebear.data.writing import write_table

SURE = "posterior table.csv --sweeps 6000 --seed 1"
UNSURE = "posterior table.csv --sweeps 10 --seed 1"


@pytest.fixture(autouse=True)
def _table() -> None:
    write_table(simulate(4, 200, seed=1).data, "table.csv")


def test_a_run_that_converged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SURE.split()) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("draws      4 chains of ")
    assert "converged  yes\n" in shown
    head, _, arcs = shown.partition("probability  either way  arc\n")
    assert "R-hat" in head
    first = arcs.splitlines()[0].split()
    assert all(len(number.partition(".")[2]) == 3 for number in first[:2])


def test_a_run_that_did_not_converge_shows_one_digit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(UNSURE.split()) == 0
    shown = capsys.readouterr().out
    assert "converged  no: " in shown
    assert "The chains do not agree yet" in shown
    for line in shown.partition("probability  either way  arc\n")[2].splitlines():
        if "->" in line:
            assert all(len(number.partition(".")[2]) == 1 for number in line.split()[:2])
    assert main([*UNSURE.split(), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert not facts["converged"]
    assert facts["reason"]
    assert all(arc[2] == round(arc[2], 1) for arc in facts["arcs"])


def test_files(capsys: pytest.CaptureFixture[str]) -> None:
    files = ["draws.npz", "arcs.csv", "facts.json", "sure.edges.csv", "sure.dot"]
    outputs = [part for name in files for part in ("-o", name)]
    assert main([*SURE.split(), *outputs, "--report", "page.html"]) == 0
    assert capsys.readouterr().out.endswith(f"Written to {', '.join([*files, 'page.html'])}\n")
    found = Posterior.load("draws.npz")
    assert pl.read_csv("arcs.csv").columns[-2:] == ["rhat", "effective_sample_size"]
    facts = json.loads(Path("facts.json").read_text())
    assert facts["converged"]
    assert {"arcs", "edges", "ancestors", "blankets", "median", "consensus"} <= facts.keys()
    assert [list(arc) for arc in found.most_probable().arc_names] == facts["most_probable"]
    assert {*read_network("sure.edges.csv").arc_names} == {*found.consensus().arc_names}
    page = Path("page.html").read_text("utf-8")
    assert 'class="rank-plot"' in page
    assert "Answers are exact" in page
    assert main(["posterior", "draws.npz", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again == facts
    assert main(["posterior", "draws.npz", "-q"]) == 0
    assert capsys.readouterr().out == ""


def test_files_of_draws(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SURE.split(), "-o", "draws.npz", "-q"]) == 0
    assert main(["info", "draws.npz"]) == 0
    shown = capsys.readouterr().out
    facts = dict(line.split(maxsplit=1) for line in shown.splitlines() if " " in line)
    assert (facts["chains"], facts["converged"], facts["prior"]) == ("4", "yes", "sparse")
