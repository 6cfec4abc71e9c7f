"""``forebear learn``: options, output and files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from forebear import Result, simulate
from forebear.cli import main
from forebear.data.writing import write_table

FOREBEAR = [sys.executable, "-m", "forebear"]
QUICK = ["--generations", "3", "--seed", "1"]


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    write_table(simulate(8, 300, max_parents=2, seed=4).data, "table.csv")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "table.csv", *QUICK, "--json", "-o", "found.json"]) == 0
    shown = capsys.readouterr()
    facts = json.loads(shown.out)
    assert shown.err == ""
    assert (facts["variables"], facts["rows"], facts["seed"]) == (8, 300, 1)
    assert facts["covers"] == "among all networks"
    assert Result.load("found.json").score == facts["score"]
    assert {"load", "score", "search"} <= set(facts["phases"])


def test_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "table.csv", *QUICK]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    facts = dict(line.split("  ", 1) for line in shown.out.splitlines())
    assert list(facts) == ["Network", "Score", "Proven", "Edges", "Time", "Saved"]
    assert re.fullmatch(r"\d+ arcs among 8 variables, at most \d parents? each", facts["Network"])
    assert re.fullmatch(
        r" *-[\d,.]+ on 300 rows: bdeu \(averaged over ess\) \+ log prior -[\d.]+ \(sparse\)",
        facts["Score"],
    )
    assert facts["Proven"].strip() == "optimal among all networks"
    assert "nothing; to keep the result: -o network.bif --report" in facts["Saved"]
    assert main(["learn", "table.csv", *QUICK, "--report", "page.html", "--verbose"]) == 0
    shown = capsys.readouterr()
    assert "8 variables, 300 rows" in shown.err
    assert re.search(r"Scored .* parent sets .* from .*/kept/forebear/.*\.cps", shown.err)
    assert shown.out.endswith("Saved    page.html\n")
    page = Path("page.html").read_text("utf-8")
    assert "conditional mutual information" in page
    assert "Answers are exact" in page
    assert main(["learn", "table.csv", *QUICK, "--quiet"]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")


def test_standard_input_and_output() -> None:
    done = subprocess.run(
        [*FOREBEAR, "learn", "-", *QUICK, "-o", "-", "--no-cache"],
        input=Path("table.csv").read_bytes(),
        capture_output=True,
        check=True,
    )
    Path("result.json").write_bytes(done.stdout)
    assert Result.load("result.json").network.n_variables == 8


def measured() -> str:
    """Write a table that can only be read with options, under a name with a space."""
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 2, 120)
    frame = pl.DataFrame(
        {
            "key": [f"row {k}" for k in range(120)],
            "a size": rng.normal(size=120) + 2 * kind,
            "weight": rng.normal(size=120) + kind,
            "kind": [["low", "high"][one] for one in kind],
        }
    )
    frame.write_csv("my table.csv")
    return "my table.csv"


def test_a_proof_that_the_table_alone_cannot_verify(capsys: pytest.CaptureFixture[str]) -> None:
    reading = ["--discretize", "quantile", "--drop", "key"]
    command = ["learn", measured(), *reading, *QUICK, "--certificate", "proof.cert"]
    assert main(command) == 0
    assert "forebear check" not in capsys.readouterr().out
    assert main([*command, "--save-sets", "sets.cps"]) == 0
    assert "; verify the proof: forebear check proof.cert sets.cps" in capsys.readouterr().out
    assert main(["check", "proof.cert", "sets.cps"]) == 0


@pytest.mark.parametrize("way", ["available", "em"])
def test_summary_of_missing_values(capsys: pytest.CaptureFixture[str], way: str) -> None:
    rows = simulate(5, 400, max_parents=2, seed=1).data.to_frame()
    rng = np.random.default_rng(2)
    rows.with_columns(
        pl.when(pl.Series(rng.random(400) > 0.2)).then(pl.col(name).cast(pl.String)).alias(name)
        for name in rows.columns
    ).write_csv("holes.csv")
    assert main(["learn", "holes.csv", "--missing", way, *QUICK, "-v"]) == 0
    shown = capsys.readouterr()
    assert " % of the values missing: " in shown.out
    assert f" % of the values are missing (--missing {way})" in shown.err
    assert ("Round 1  log score of the observed values: -" in shown.err) is (way == "em")
    assert main(["learn", "holes.csv", "--missing", way, *QUICK, "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["missing"]["way"] == way
    assert 0.15 < about["missing"]["share"] < 0.25
    assert about["rows"] == 400


def test_warnings_are_about_the_network_learned(capsys: pytest.CaptureFixture[str]) -> None:
    """Files are tried before the search, with a network that has no arcs."""
    assert main(["learn", "table.csv", *QUICK, "-q", "-o", "found.bayesys.csv"]) == 0
    warned = capsys.readouterr().err.splitlines()
    assert all(line.startswith("forebear: warning: found.bayesys.csv: ") for line in warned)
    assert not any("8 variables" in line for line in warned)
