"""Trials on held-out rows: splits, settings that fail, and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from forebear import BIC, DataError, Dataset, ForebearError, Knowledge, fit_network, simulate
from forebear.knowledge.enforcement import Enforcement
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.learning.trials import Setting, Trials, fold, held_out_likelihoods, hold_out


@pytest.fixture(scope="module")
def table() -> Dataset:
    return simulate(8, 400, max_parents=3, seed=5).data


def test_every_strength_predicts_the_rows_held_out() -> None:
    truth = simulate(5, 200, seed=1)
    (split,) = hold_out(truth.data, 0.25, seed=1)
    network = truth.network.network
    found = held_out_likelihoods(network, split)
    assert list(found) == ["light", "medium", "strong"]
    for strength, rows in found.items():
        expected = fit_network(network, split.train, smoothing=strength).log_likelihoods(split.test)
        np.testing.assert_array_equal(rows, expected)


def test_a_setting_that_fails_is_left_out(table: Dataset) -> None:
    knowledge = Knowledge(required=[("X1", "X3"), ("X2", "X3")])
    problem = Problem(table, BIC(), None, Enforcement.of(knowledge, table.names))
    trials = Trials(problem, Run.make(generations=2, seed=1), fold(table, 2, seed=1))
    trials.try_all([Setting(BIC(), None), Setting(BIC(), 1)])
    assert trials.failure is not None
    found = trials.validation(trials.best())
    assert "bic, at most 1 parent" in found.left_out
    assert (found.folds, found.rows) == (2, table.n_rows)


def test_the_certificate_is_not_about_a_trial(table: Dataset, tmp_path: Path) -> None:
    problem = Problem(table, BIC(), None, Enforcement.of(None, table.names))
    run = Run.make(generations=2, seed=1, certify=tmp_path / "proof.cert")
    Trials(problem, run, fold(table, 2, seed=1)).try_all([Setting(BIC(), None)])
    assert list(tmp_path.iterdir()) == []


# ---- splits ----------------------------------------------------------------------------


def numbered(n_rows: int) -> Dataset:
    """Make a table whose only column tells the row."""
    states = tuple(map(str, range(n_rows + 1)))
    return Dataset(np.arange(n_rows)[np.newaxis], ("row",), (states,))


@pytest.mark.parametrize("folds", [2, 3, 10])
def test_folds_hold_out_every_row_once(folds: int) -> None:
    table = numbered(10)
    splits = fold(table, folds, seed=1)
    assert len(splits) == folds
    assert sorted(np.concatenate([split.test.codes[0] for split in splits])) == list(range(10))
    for train, test in splits:
        assert sorted([*train.codes[0], *test.codes[0]]) == list(range(10))
        assert train.states == test.states == table.states


@pytest.mark.parametrize(
    ("rows", "share", "held_out"), [(50, 0.1, 5), (3, 0.001, 1), (3, 0.999, 2)]
)
def test_rows_are_held_out_by_share(rows: int, share: float, held_out: int) -> None:
    (split,) = hold_out(numbered(rows), share, seed=1)
    assert (split.train.n_rows, split.test.n_rows) == (rows - held_out, held_out)
    (again,) = hold_out(numbered(rows), share, seed=1)
    assert again.test.fingerprint == split.test.fingerprint


def test_other_rows_are_held_out_each_time() -> None:
    several = hold_out(numbered(10), 0.4, seed=1, times=5)
    assert len(several) == 2
    assert len({int(row) for one in several for row in one.test.codes[0]}) == 8


def test_mistakes() -> None:
    for share in (0.0, 1.0, 1.5):
        message = f"^holdout must be above 0 and below 1, got {share:g}$"
        with pytest.raises(ForebearError, match=message):
            hold_out(numbered(3), share, seed=1)
    with pytest.raises(DataError, match="has 3 rows, but validation needs at least 5"):
        fold(numbered(3), 5, seed=1)
