"""Trials on held-out rows: what is tried, in which time, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from forebear import BIC, BDeu, Dataset, Knowledge, fit_network, simulate
from forebear.budget import Clock
from forebear.knowledge.enforcement import Enforced
from forebear.learning.run import Run
from forebear.learning.splits import fold, hold_out
from forebear.learning.trials import SCORES_TRIED, Setting, Trials, held_out_likelihoods


@pytest.fixture(scope="module")
def table() -> Dataset:
    return simulate(8, 400, max_parents=3, seed=5).data


def trials_of(table: Dataset, clock: Clock, knowledge: Any = None) -> Trials:
    run = replace(Run.checked(generations=2, seed=1), clock=clock)
    known = Enforced.of(knowledge, table.names)
    return Trials(fold(table, 2, seed=1), known, run)


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
    trials = trials_of(table, Clock(), Knowledge(required=[("X1", "X3"), ("X2", "X3")]))
    trials.run([Setting(BIC(), None), Setting(BIC(), 1)])
    assert trials.failure is not None
    found = trials.validation(trials.best())
    assert "bic, at most 1 parent" in found.left_out
    assert (found.folds, found.rows) == (2, table.n_rows)


def test_nothing_is_tried_twice(table: Dataset) -> None:
    trials = trials_of(table, Clock())
    trials.run([Setting(BIC(), 2), Setting(BIC(), 1)], own=Setting(BIC(), 2))
    assert [one.setting.max_parents for one in trials.done] == [2, 1]


def test_a_setting_of_the_users_that_fails_ends_the_trials(table: Dataset) -> None:
    trials = trials_of(table, Clock(), Knowledge(required=[("X1", "X3"), ("X2", "X3")]))
    own = Setting(BDeu(1.0), 1)
    trials.run([own, Setting(BIC(), None)], own)
    assert not trials.has(own)
    assert [one.setting.score for one in trials.done] == [BIC()]


def test_without_time_there_is_still_one_trial(table: Dataset) -> None:
    trials = trials_of(table, Clock(1e-9))
    trials.run([Setting(score, None) for score in SCORES_TRIED])
    assert len(trials.done) <= 1
    assert len(trials.left_out) >= 4
