"""Expectation maximisation: probabilities from tables with missing values."""

from __future__ import annotations

import numpy as np
from naive_gaps import random_gaps

from forebear import fit_network, simulate
from forebear.network.expectation import expect


def test_it_comes_close_to_the_complete_table() -> None:
    simulated = simulate(8, 4_000, max_parents=2, seed=3)
    holes = random_gaps(simulated.data, 0.4, "em")
    found = expect(simulated.network.network, holes)
    complete_fit = fit_network(simulated.network.network, simulated.data, ess=1)
    for v, theirs in enumerate(complete_fit.tables):
        rows = theirs.reshape(-1, theirs.shape[-1])[found.fitted.configurations[v]]
        assert np.abs(found.fitted.tables[v] - rows).mean() < 0.05
    assert found.log_likelihoods.mean() > simulated.network.log_likelihoods(holes).mean() - 0.01


def test_fit_uses_it_where_the_table_says_so() -> None:
    simulated = simulate(6, 1_000, max_parents=2, seed=3)
    structure = simulated.network.network
    available, em = (
        structure.fit(random_gaps(simulated.data, 0.4, way)).log_likelihoods(simulated.data)
        for way in ("available", "em")
    )
    assert em.mean() != available.mean()
    best = structure.fit(simulated.data).log_likelihoods(simulated.data).mean()
    assert best >= em.mean() > best - 0.1
    assert best >= available.mean() > best - 0.1
