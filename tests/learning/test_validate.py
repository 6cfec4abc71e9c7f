"""validate(): what is tried on every fold, and how it ends."""

from __future__ import annotations

import numpy as np
import pytest

from forebear import (
    DataError,
    Dataset,
    ForebearError,
    ForebearWarning,
    Knowledge,
    Trial,
    Validation,
    Watcher,
    fit_network,
    learn,
    simulate,
    validate,
)
from forebear.learning.trials import fold


@pytest.fixture(scope="module")
def table() -> Dataset:
    return simulate(8, 400, max_parents=3, seed=5).data


class Trialled(Watcher):
    """Notes the trials, and interrupts the run after one with a limit on parents if wanted."""

    def __init__(self, *, interrupts: bool = False) -> None:
        self.trials: list[str] = []
        self.interrupts = interrupts

    def tried(self, trial: Trial) -> None:
        self.trials.append(trial.name)
        if self.interrupts and trial.max_parents is not None:
            raise KeyboardInterrupt


def test_every_score_and_limit_is_tried_on_every_fold(table: Dataset) -> None:
    watcher = Trialled()
    found = validate(table, folds=3, generations=2, seed=1, watcher=watcher)
    assert (found.rows, found.folds, found.stop_reason) == (table.n_rows, 3, "folds")
    names = [trial.name for trial in found.trials]
    assert names == watcher.trials
    assert names[:5] == ["bic", "bdeu (ess 1)", "bdeu (ess 10)", "fnml", "aic"]
    assert f"{found.best.score_name}, at most 1 parent" in names
    assert found.own == found.best
    same = validate(table, folds=3, generations=2, seed=1, threads=1)
    assert [t.held_out for t in same.trials] == [t.held_out for t in found.trials]


def test_figures_are_those_of_networks_learnt_from_the_other_rows(table: Dataset) -> None:
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


def test_what_validate_refuses(table: Dataset) -> None:
    with pytest.raises(ForebearError, match=r"^folds must be at least 2, got 1$"):
        validate(table, folds=1)
    with pytest.raises(ForebearError, match=r"^scores must name at least one score$"):
        validate(table, scores=[])
    with pytest.raises(DataError, match=r"^the table has one column, 'a': a network needs two$"):
        validate(Dataset(np.array([[0, 1]]), ("a",), (("x", "y"),)))


def test_an_interrupted_validation_is_marked(table: Dataset) -> None:
    watcher = Trialled(interrupts=True)
    with pytest.warns(ForebearWarning, match="interrupted: the result has 1 of 2 folds"):
        found = validate(table, scores=["aic"], folds=2, generations=3, seed=1, watcher=watcher)
    assert (found.folds, found.stop_reason) == (1, "interrupted")
    assert Validation.of_fields(found.to_fields()) == found
