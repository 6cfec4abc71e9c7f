"""Validation: trials compared row by row, ranked, written and read back."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from forebear import ForebearError, Trial, Validation
from forebear.result.validation import compare_trials


def some() -> Validation:
    rows = [np.array([-3.0, -1.0]), np.array([-2.0, -1.0]), np.array([-9.0, -5.0])]
    trials = [
        Trial("bdeu", {"ess": 1.0}, arcs=9),
        Trial("bic", arcs=5),
        Trial("bdeu", {"ess": 1.0}, max_parents=1, arcs=3),
    ]
    return Validation(compare_trials(trials, rows), chosen=0, rows=2, folds=1, left_out=("aic",))


def test_trials_are_compared_row_by_row() -> None:
    first, best, last = some().trials
    assert (first.held_out, best.held_out, last.held_out) == (-2.0, -1.5, -7.0)
    assert first.held_out_se == pytest.approx(math.sqrt(2) / math.sqrt(2))
    assert (best.behind, best.behind_se) == (0.0, 0.0)
    assert first.behind == pytest.approx(0.5)
    assert first.behind_se == pytest.approx(0.5)
    assert not first.clearly_behind
    assert last.clearly_behind


def test_names_and_ranking() -> None:
    found = some()
    assert [trial.name for trial in found.trials] == [
        "bdeu (ess 1)",
        "bic",
        "bdeu (ess 1), at most 1 parent",
    ]
    assert found.best.score == "bic"
    assert found.own.name == "bdeu (ess 1)"
    assert found.simplest.name == "bic"
    assert [trial.name for trial in found.by_score] == ["bic", "bdeu (ess 1)"]
    assert found.to_frame()["held_out"].to_list() == [-1.5, -2.0, -7.0]
    assert repr(found) == (
        "Validation: 3 trials on 2 held-out rows\n"
        "  best: bic, -1.500 nats per row (standard error 0.500)"
    )


def test_round_trip() -> None:
    found = some()
    assert Validation.of_fields(json.loads(json.dumps(found.to_fields()))) == found


@pytest.mark.parametrize(
    "change",
    [
        {"chosen": 7},
        {"rows": -1},
        {"trials": []},
        {"trials": [{**some().to_fields()["trials"][0], "smoothing": "heavy"}]},
        {"trials": [{**some().to_fields()["trials"][0], "held_out": math.nan}]},
    ],
)
def test_damaged_fields(change: dict[str, Any]) -> None:
    with pytest.raises(ForebearError):
        Validation.of_fields({**some().to_fields(), **change})
