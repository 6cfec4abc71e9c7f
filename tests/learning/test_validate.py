"""validate(), and validation in learn(): trials, the choice of a score, and warnings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from waiting import PATIENCE

from forebear import (
    DataError,
    Dataset,
    ForebearError,
    ForebearWarning,
    Knowledge,
    LimitError,
    NoImprovement,
    Result,
    Trial,
    Validation,
    Watcher,
    fit_network,
    learn,
    simulate,
    validate,
)
from forebear.learning.trials import fold
from forebear.learning.validate import warn_of_overfitting
from forebear.result.validation import compare_trials


@pytest.fixture(scope="module")
def table() -> Dataset:
    return simulate(8, 400, max_parents=3, seed=5).data


class Trialled(Watcher):
    """Notes the trials, and interrupts the run after one with a limit on parents if wanted."""

    def __init__(self, *, interrupts: bool = False) -> None:
        self.trials: list[str] = []
        self.interrupts = interrupts

    def trial_finished(self, trial: Trial) -> None:
        self.trials.append(trial.name)
        if self.interrupts and trial.max_parents is not None:
            raise KeyboardInterrupt


def test_every_score_and_limit_is_tried_on_every_fold(table: Dataset) -> None:
    watcher = Trialled()
    found = validate(table, folds=3, generations=2, seed=1, watcher=watcher)
    assert (found.rows, found.folds, found.stop_reason) == (table.n_rows, 3, "folds")
    names = [trial.name for trial in found.trials]
    assert names == watcher.trials
    sparse = [
        "bdeu (ess 1, prior sparse)",
        "bdeu (averaged over ess, prior sparse)",
        "fnml (prior sparse)",
    ]
    plain = ["bic", "bdeu (ess 1)", "bdeu (ess 10)", "fnml", "aic"]
    assert names[:8] == [*sparse[:2], plain[0], sparse[2], *plain[1:]]
    assert f"{found.best.score_name}, at most 1 parent" in names
    assert found.own == found.best
    same = validate(table, folds=3, generations=2, seed=1, threads=1)
    assert [t.held_out for t in same.trials] == [t.held_out for t in found.trials]


def test_likelihoods_are_those_of_networks_learned_from_the_other_rows(table: Dataset) -> None:
    found = validate(table, scores=["bic"], folds=2, generations=3, seed=4)
    rows = []
    for split in fold(table, 2, seed=4):
        network = learn(split.train, score="bic", generations=3, seed=4, certify=None).network
        fitted = fit_network(network, split.train, smoothing=found.trials[0].smoothing)
        rows.append(fitted.log_likelihoods(split.test))
    joined = np.concatenate(rows)
    assert found.trials[0].held_out == pytest.approx(joined.mean())
    assert found.trials[0].held_out_se == pytest.approx(joined.std(ddof=1) / 20)


def test_a_limit_and_knowledge_hold_for_all_trials(table: Dataset) -> None:
    known = Knowledge(forbidden=[("X1", "X2"), ("X2", "X1")])
    found = validate(
        table, scores=["aic"], max_parents=2, folds=2, generations=2, seed=1, knowledge=known
    )
    assert {trial.max_parents for trial in found.trials} <= {1, 2}


def test_invalid_calls_of_validate_are_rejected(table: Dataset) -> None:
    with pytest.raises(ForebearError, match=r"^folds must be at least 2, got 1$"):
        validate(table, folds=1)
    with pytest.raises(ForebearError, match=r"^scores must name at least one score$"):
        validate(table, scores=[])
    with pytest.raises(
        DataError, match=r"^the table has one column, 'a': a network needs at least two$"
    ):
        validate(Dataset(np.array([[0, 1]]), ("a",), (("x", "y"),)))


def test_an_interrupted_validation_is_marked(table: Dataset) -> None:
    watcher = Trialled(interrupts=True)
    with pytest.warns(ForebearWarning, match="interrupted: the result has 1 of 2 folds"):
        found = validate(table, scores=["aic"], folds=2, generations=3, seed=1, watcher=watcher)
    assert (found.folds, found.stop_reason) == (1, "interrupted")
    assert Validation.of_fields(found.to_fields()) == found


# ---- learn() ---------------------------------------------------------------------------


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
    assert "Held out" in repr(result)


@pytest.mark.parametrize(
    "options",
    [{"time_limit": 4.0}, {"generations": NoImprovement(seconds=0.2)}],
    ids=["time", "a rule"],
)
def test_auto_ends_in_time(
    table: Dataset, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebear.learning.validate.DEFAULT_SECONDS", 8.0)
    result = learn(table, score="auto", seed=1, cache=False, **options)
    assert result.seconds < PATIENCE
    assert result.validation is not None
    assert result.validation.rows == result.validation.folds * 100


@pytest.mark.parametrize(
    ("score", "used"), [("auto", "bdeu (averaged over ess, prior sparse)"), ("aic", "aic")]
)
def test_no_time_for_trials_causes_a_warning(
    table: Dataset, monkeypatch: pytest.MonkeyPatch, score: str, used: str
) -> None:
    def fail(*_: object) -> None:
        raise LimitError("there was no time")

    monkeypatch.setattr("forebear.learning.trials.learn_table", fail)
    with pytest.warns(ForebearWarning) as caught:
        result = learn(table, score=score, holdout=0.2, generations=2, seed=1)
    assert str(caught[0].message) == (
        f"validation on held-out rows failed, so the score is {used}: there was no time"
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
        "bdeu (ess 1) overfits this table: the log-likelihood per held-out row is -8.50 nats "
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


def test_all_trials_have_the_given_prior(table: Dataset) -> None:
    found = validate(table, scores=["bic", "aic"], prior=0.1, folds=2, generations=1, seed=1)
    assert {trial.prior for trial in found.trials} == {0.1}
    result = learn(table, score="auto", prior="sparse", generations=1, seed=1)
    assert result.validation is not None
    assert {trial.prior for trial in result.validation.trials} == {"sparse"}
    assert result.prior == "sparse"
