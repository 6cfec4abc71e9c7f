"""Back-off smoothing against its definition."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import naive_fitting
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear._util.errors import ForebearError
from forebear.data.dataset import Dataset
from forebear.data.examples import example_path
from forebear.network.fitting import (
    SHARES,
    WEIGHTS,
    BackOff,
    Level,
    Strength,
    choose_back_off,
    fit_network,
    levels_of,
)
from forebear.network.formats.bif import read_bif
from forebear.network.network import Network

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVELS = st.builds(Level, st.sampled_from(WEIGHTS), st.sampled_from(SHARES))
STRENGTHS = st.sampled_from(["light", "medium", "strong"])


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
def test_each_level_is_the_best_after_those_before(
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


def test_it_predicts_better_than_the_prior_of_the_score() -> None:
    truth = read_bif(example_path("orchard.bif"))
    rows, fresh = (truth.sample(300, np.random.default_rng(seed)) for seed in (1, 2))
    backed_off = fit_network(truth, rows).log_likelihood(fresh)
    assert backed_off > fit_network(truth, rows, ess=1).log_likelihood(fresh)
    assert backed_off == fit_network(truth, rows, smoothing="medium").log_likelihood(fresh)


def test_choices_that_do_not_fit_together() -> None:
    network = Network(("a",), ((),))
    data = Dataset(np.array([[0, 1]]), ("a",), (("x", "y"),))
    with pytest.raises(ForebearError) as unknown:
        network.fit(data, smoothing="heavy")  # type: ignore[arg-type]
    assert str(unknown.value) == (
        "smoothing must be one of auto, light, medium, strong, ess, got 'heavy'"
    )
    with pytest.raises(ForebearError) as both:
        network.fit(data, smoothing="light", ess=2)
    assert str(both.value) == 'ess is for smoothing="ess": leave one out'
