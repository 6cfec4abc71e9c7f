"""Probabilities estimated from tables."""

from __future__ import annotations

import math
from itertools import product

import naive_scores
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import columns_of, crowded, problems

from forebear import (
    Dataset,
    ForebearError,
    LimitError,
    Network,
    fit_network,
    score_network,
)


@given(problems(), st.sampled_from([0.0, 0.5, 1.0, 10.0, 1e-320, 1e300]))
def test_every_probability_is_the_posterior_mean(
    problem: tuple[Network, Dataset], ess: float
) -> None:
    network, data = problem
    fitted = network.fit(data, ess=ess)
    places = columns_of(network, data)
    assert fitted.states == tuple(data.states[place] for place in places)
    for v, parents in enumerate(network.parents):
        counted = naive_scores.count(data, places[v], [places[p] for p in parents])
        q, r = counted.n_configurations, counted.child_arity
        for given_states in product(*map(range, counted.parent_arities)):
            rows = counted.configurations[given_states]
            row = fitted.tables[v][given_states]
            for k in range(r):
                cell = counted.cells[given_states, k]
                mean = (cell + ess / (r * q)) / (rows + ess / q) if rows else 1 / r
                assert row[k] == pytest.approx(mean, rel=1e-12)


@given(problems())
def test_frequencies_reach_the_score_called_log_likelihood(
    problem: tuple[Network, Dataset],
) -> None:
    network, data = problem
    most = network.fit(data, ess=0).log_likelihood(data)
    assert most == pytest.approx(score_network(network, data, "ll"), rel=1e-9, abs=1e-9)
    assert network.fit(data).log_likelihood(data) <= most + 1e-9


@pytest.mark.parametrize("ess", [-1.0, math.nan, math.inf])
def test_bad_equivalent_sample_sizes(ess: float) -> None:
    data = Dataset(np.array([[0]]), ("sky",), (("clear",),))
    with pytest.raises(ForebearError, match=r"^ess must be (at least 0|a number|finite), got "):
        fit_network(Network(("sky",), ((),)), data, ess=ess)


def test_probabilities_that_are_too_many_are_refused_at_once() -> None:
    with pytest.raises(LimitError) as caught:
        fit_network(*crowded(1_500))
    assert str(caught.value).startswith(
        "this network has too many probabilities to hold in memory: hub alone, with 1,500 parents, "
        "has more than 10^451. "
    )
