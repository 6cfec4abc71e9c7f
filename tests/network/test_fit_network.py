"""Probabilities estimated from tables: posterior means, and back-off smoothing, by definition."""

from __future__ import annotations

import math
from itertools import product

import naive_fitting
import naive_scores
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import columns_of, crowded, problems

from forebear import (
    Dataset,
    ForebearError,
    LimitError,
    Network,
    fit_network,
    score_network,
)
from forebear.network.fit_network import (
    SHARES,
    WEIGHTS,
    BackOff,
    Level,
    Strength,
    choose_back_off,
    levels_of,
)

LEVELS = st.builds(Level, st.sampled_from(WEIGHTS), st.sampled_from(SHARES))
STRENGTHS = st.sampled_from(["light", "medium", "strong"])


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


def test_too_many_probabilities_are_rejected_at_once() -> None:
    with pytest.raises(LimitError) as caught:
        fit_network(*crowded(1_500))
    assert str(caught.value).startswith(
        "this network has too many probabilities: hub alone, with 1,500 parents, has more than "
        "10^451; "
    )


@st.composite
def families(draw: st.DrawFn) -> NDArray[np.int64]:
    """Draw the counts of a variable and its parents."""
    shape = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)))
    cells = int(np.prod(shape))
    counts = draw(st.lists(st.sampled_from([0, 0, 1, 2, 5]), min_size=cells, max_size=cells))
    return np.array(counts, dtype=np.int64).reshape(shape)


def rows_of(counts: NDArray[np.int64]) -> list[tuple[int, ...]]:
    return [cell for cell, n in np.ndenumerate(counts) for _ in range(n)]


@st.composite
def smoothed(draw: st.DrawFn) -> tuple[NDArray[np.int64], BackOff]:
    counts = draw(families())
    order = draw(st.permutations(range(counts.ndim - 1)))
    levels = draw(st.lists(LEVELS, min_size=counts.ndim, max_size=counts.ndim))
    return counts, BackOff(tuple(order), tuple(levels))


@given(smoothed())
def test_every_probability_follows_the_definition(case: tuple[NDArray[np.int64], BackOff]) -> None:
    counts, smoothing = case
    table = smoothing.table(counts)
    assert table.sum(axis=-1) == pytest.approx(1.0)
    rows, n_states = rows_of(counts), counts.shape[-1]
    for *configuration, state in product(*map(range, counts.shape)):
        expected = naive_fitting.back_off(
            rows,
            state,
            dict(enumerate(configuration)),
            smoothing.order,
            smoothing.levels,
            n_states,
        )
        assert table[(*configuration, state)] == pytest.approx(expected, rel=1e-12)


@given(families(), STRENGTHS)
def test_each_level_is_the_best_given_the_earlier_ones(
    counts: NDArray[np.int64], strength: Strength
) -> None:
    chosen = choose_back_off(counts, strength)
    assert sorted(chosen.order) == list(range(counts.ndim - 1))
    rows, n_states = rows_of(counts), counts.shape[-1]
    for size in range(counts.ndim):
        order, before = chosen.order[:size], chosen.levels[:size]
        own = naive_fitting.left_out(rows, order, (*before, chosen.levels[size]), n_states)
        for level in levels_of(strength)[::5]:
            assert own >= naive_fitting.left_out(rows, order, (*before, level), n_states) - 1e-9


def test_a_configuration_without_rows_backs_off() -> None:
    data = Dataset(
        np.array([[0] * 40, [0] * 30 + [1] * 10]), ("a", "b"), (("x", "y"), ("no", "yes"))
    )
    table = Network(("a", "b"), ((), (0,))).fit(data).tables[1]
    assert table[1] == pytest.approx([0.69, 0.31], abs=0.01)


def test_invalid_smoothing_is_rejected() -> None:
    network = Network(("a",), ((),))
    data = Dataset(np.array([[0, 1]]), ("a",), (("x", "y"),))
    with pytest.raises(ForebearError) as unknown:
        network.fit(data, smoothing="heavy")  # type: ignore[arg-type]
    assert str(unknown.value) == (
        "smoothing must be one of auto, light, medium, strong, ess, got 'heavy'"
    )
    with pytest.raises(ForebearError) as both:
        network.fit(data, smoothing="light", ess=2)
    assert str(both.value) == 'ess requires smoothing="ess"'
