"""--missing: what the commands do with gaps, and what they say."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from forebear import Dataset, simulate
from forebear.cli import main

QUICK = ["--generations", "2", "--seed", "1"]


@pytest.fixture(autouse=True)
def _holes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a table in which about one value in five is missing."""
    monkeypatch.setenv("XDG_CACHE_HOME", "kept")
    rows = simulate(5, 400, max_parents=2, seed=1).data.to_frame()
    rng = np.random.default_rng(2)
    holes = rows.with_columns(
        pl.when(pl.Series(rng.random(400) > 0.2)).then(pl.col(name).cast(pl.String)).alias(name)
        for name in rows.columns
    )
    holes.write_csv("holes.csv")


@pytest.mark.parametrize("way", ["available", "em"])
def test_learn_says_what_was_done(capsys: pytest.CaptureFixture[str], way: str) -> None:
    assert main(["learn", "holes.csv", "--missing", way, *QUICK]) == 0
    shown = capsys.readouterr()
    assert " % of the values are missing: " in shown.out
    assert f" % of the values are missing (--missing {way})" in shown.err
    assert main(["learn", "holes.csv", "--missing", way, *QUICK, "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["missing"]["way"] == way
    assert 0.15 < about["missing"]["share"] < 0.25
    assert about["rows"] == 400


def test_em_shows_its_rounds_and_the_score_of_what_is_observed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["learn", "holes.csv", "--missing", "em", *QUICK]) == 0
    shown = capsys.readouterr()
    assert "First    the observed values score -" in shown.err
    assert "Round 1  the observed values score -" in shown.err
    assert "(the observed values score -" in shown.out


def test_em_cannot_be_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "holes.csv", "--missing", "em", "--checkpoint", "c"]) == 2
    said = capsys.readouterr().err
    assert "--missing em searches several times, so it cannot be resumed" in said


def test_sets_are_scored_and_grow_from_a_table_with_gaps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    way = ["--missing", "available"]
    assert main(["score", "holes.csv", "-o", "h.cps", "--max-parents", "1", *way]) == 0
    assert "families are scored on the rows where they are observed" in capsys.readouterr().out
    assert main(["search", "h.cps", "--data", "holes.csv", *QUICK, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"]["way"] == "available"
    other = ["search", "h.cps", "--data", "holes.csv", "--missing", "state", *QUICK]
    assert main(other) == 2
    assert "is not the table that the parent sets come from" in capsys.readouterr().err


def test_sets_are_scored_on_the_available_rows_by_default(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["score", "holes.csv", "-o", "h.cps", "--max-parents", "1"]) == 0
    assert "families are scored on the rows where they are observed" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["validate", "bootstrap"])
@pytest.mark.parametrize("way", ["available", "em"])
def test_other_commands_take_gaps(
    capsys: pytest.CaptureFixture[str], command: str, way: str
) -> None:
    more = {"validate": ["--folds", "2"], "bootstrap": ["--replicates", "2"]}[command]
    assert main([command, "holes.csv", "--missing", way, *QUICK, *more]) == 0
    assert capsys.readouterr().out


def test_convert_keeps_gaps_where_the_format_can(capsys: pytest.CaptureFixture[str]) -> None:
    way = ["--missing", "available"]
    assert main(["convert", "holes.csv", "holes.parquet", *way]) == 0
    again = Dataset.read("holes.parquet", missing="available")
    assert again.fingerprint == Dataset.read("holes.csv", missing="available").fingerprint
    assert main(["convert", "holes.csv", "holes.dat", *way]) == 2
    assert "a .dat file cannot hold missing values" in capsys.readouterr().err


def test_gaps_are_summed_out_of_a_bif_that_learn_wrote() -> None:
    assert main(["learn", "holes.csv", "--missing", "em", *QUICK, "-o", "n.bif"]) == 0
