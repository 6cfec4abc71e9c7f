"""Trials on held-out rows: what is tried, in which time, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from forebear import BIC, Dataset, Knowledge, fit_network, simulate
from forebear.budget import Clock
from forebear.knowledge.enforcement import Enforced
from forebear.learning.run import Run
from forebear.learning.splits import fold, hold_out
from forebear.learning.trials import Setting, Trials, held_out_likelihoods


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
