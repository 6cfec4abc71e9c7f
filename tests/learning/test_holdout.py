"""learn() on held-out rows: which score is chosen, and when a warning is given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from waiting import PATIENCE

from forebear import (
    Dataset,
    ForebearWarning,
    LimitError,
    NoImprovement,
    Result,
    Trial,
    Validation,
    fit_network,
    learn,
    simulate,
)
from forebear.learning.holdout import warn_of_overfitting
from forebear.result.validation import compare_trials

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def table() -> Dataset:
    return simulate(8, 400, max_parents=3, seed=5).data


def test_the_score_is_chosen_by_held_out_rows(table: Dataset, tmp_path: Path) -> None:
    result = learn(table, score="auto", generations=3, seed=1)
    found = result.validation
    assert found is not None
    assert found.own == found.simplest
    assert (result.held_out, result.held_out_se) == (found.own.held_out, found.own.held_out_se)
    assert result.smoothing == found.own.smoothing
    assert result.provenance["score"] == found.own.score
    assert result.provenance["rows"] == table.n_rows
    assert "validate" in result.phases
    assert found.rows == round(0.25 * table.n_rows)
    fitted = fit_network(result, table)
    plain = fit_network(result.network, table, smoothing=found.own.smoothing)
    assert fitted.log_likelihood(table) == plain.log_likelihood(table)
    result.save(tmp_path / "found.json")
    again = Result.load(tmp_path / "found.json")
    assert again.validation == found
    assert again.to_json() == result.to_json()
    assert '"held_out": -' in result.to_json()


@pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
def test_the_users_score_is_kept(table: Dataset) -> None:
    result = learn(table, score="aic", holdout=0.25, generations=2, seed=1)
    found = result.validation
    assert found is not None
    assert (found.own.name, found.rows) == ("aic", 100)
    assert result.provenance["score"] == "aic"
    assert "held out: " in repr(result)


@pytest.mark.parametrize(
    "options",
    [{"time_limit": 4.0}, {"generations": NoImprovement(seconds=0.2)}],
    ids=["time", "a rule"],
)
def test_auto_ends_in_time(
    table: Dataset, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebear.learning.holdout.DEFAULT_SECONDS", 8.0)
    result = learn(table, score="auto", seed=1, cache=False, **options)
    assert result.seconds < PATIENCE
    assert result.validation is not None
    assert result.validation.rows == result.validation.folds * 100


@pytest.mark.parametrize(("score", "used"), [("auto", "bdeu (ess 1)"), ("aic", "aic")])
def test_without_time_for_trials_a_warning_says_so(
    table: Dataset, monkeypatch: pytest.MonkeyPatch, score: str, used: str
) -> None:
    def fail(*_: object) -> None:
        raise LimitError("there was no time")

    monkeypatch.setattr("forebear.learning.trials.learn_table", fail)
    with pytest.warns(ForebearWarning) as caught:
        result = learn(table, score=score, holdout=0.2, generations=2, seed=1)
    assert str(caught[0].message) == (
        f"held-out rows could not be predicted, so the score is {used}: there was no time"
    )
    assert result.validation is None
    assert result.provenance["score"] == used.partition(" ")[0]


def validation(own: list[float], other: list[float]) -> Validation:
    trials = [Trial("bdeu", {"ess": 1.0}, arcs=20), Trial("bic", arcs=10)]
    return Validation(compare_trials(trials, [np.array(own), np.array(other)]), 0, len(own), 1)


OVERFITTED = validation([-8.0, -9.0, -8.5], [-6.0, -6.5, -6.4])


def test_a_score_that_overfits_gets_a_warning_with_the_numbers() -> None:
    with pytest.warns(ForebearWarning) as caught:
        warn_of_overfitting(OVERFITTED)
    assert str(caught[0].message) == (
        "bdeu (ess 1) overfits this table: its network gives held-out rows -8.50 nats each "
        "(standard error 0.29), compared with -6.30 with bic: choose one of these, or pass "
        'score="auto"'
    )


@pytest.mark.parametrize(
    "found",
    [
        validation([-8.0, -9.0, -8.5], [-9.0, -9.9, -9.0]),
        validation([-8.0, -9.0, -8.5], [-7.0, -9.5, -8.9]),
        replace(OVERFITTED, trials=(OVERFITTED.trials[0], replace(OVERFITTED.trials[1], arcs=30))),
    ],
    ids=["worse", "not clearly better", "richer"],
)
def test_no_warning_without_a_simpler_score_that_is_clearly_better(found: Validation) -> None:
    warn_of_overfitting(found)
