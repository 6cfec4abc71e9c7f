"""Held-out rows are predicted by what was fitted to the others."""

from __future__ import annotations

import numpy as np

from forebear import fit_network, simulate
from forebear.validation.evaluation import held_out_likelihoods
from forebear.validation.splitting import hold_out


def test_every_strength_predicts_the_rows_held_out() -> None:
    truth = simulate(5, 200, seed=1)
    (split,) = hold_out(truth.data, 0.25, seed=1)
    network = truth.network.network
    found = held_out_likelihoods(network, split)
    assert list(found) == ["light", "medium", "strong"]
    for strength, rows in found.items():
        expected = fit_network(network, split.train, smoothing=strength).log_likelihoods(split.test)
        np.testing.assert_array_equal(rows, expected)
