"""Sampling (Algorithm 1): the ranks in a sample, and climbs on a sample."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from climbs import NO_LIMIT, assert_like_new, naive_ranks, numbers, started
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from strategies import pack, random_parent_sets

from forebear.search.sampling import FEW_SETS, draw_half_normal, sample_ranks
from forebear.search.space import SearchSpace


def weights(count: int, sigma: float) -> list[float]:
    """Equation 11: exp(-k^2 / (2 sigma^2)) of ranks k = 1..count."""
    return [math.exp(-(k**2) / (2 * sigma**2)) for k in range(1, count + 1)]


def sequential(weighed: list[float], size: int) -> dict[frozenset[int], float]:
    """Return the probability of each set of ranks, drawn without replacement."""
    likely: dict[frozenset[int], float] = {}
    for draw in permutations(range(len(weighed)), size):
        probability, left = 1.0, math.fsum(weighed)
        for rank in draw:
            probability *= weighed[rank] / left
            left -= weighed[rank]
        likely[frozenset(draw)] = likely.get(frozenset(draw), 0.0) + probability
    return likely


@pytest.mark.parametrize(("count", "sigma"), [(6, 2.0), (10, 3.0), (4, 100.0)])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_draws_are_half_normal(count: int, sigma: float, size: int) -> None:
    """Chi-squared test at a fixed seed against sequential weighted draws."""
    rng = np.random.default_rng(5)
    draws = 8000
    likely = sequential(weights(count, sigma), size)
    seen = dict.fromkeys(likely, 0)
    for _ in range(draws):
        seen[frozenset(draw_half_normal(count, size, sigma, rng).tolist())] += 1
    # Cells of few expected draws are added up.
    rare = {key for key, probability in likely.items() if probability * draws < 10}
    cells = [(seen[key], likely[key] * draws) for key in likely if key not in rare]
    cells.append((sum(seen[key] for key in rare), sum(likely[key] for key in rare) * draws))
    statistic = sum((n - expected) ** 2 / expected for n, expected in cells if expected)
    assert statistic < chi2.ppf(0.999, len(cells) - 1)


def test_far_in_the_tail_nothing_underflows() -> None:
    """Weights below the smallest float still give distinct ranks, the best ones first."""
    rng = np.random.default_rng(7)
    chosen = np.sort(draw_half_normal(100_000, 5_000, 50.0, rng))
    assert len(np.unique(chosen)) == 5_000
    assert weights(5_000, 50.0)[-1] == 0.0
    assert chosen[-1] < 5_100


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.25, 0.33, 0.5, 0.8])
def test_strategy_1_takes_the_first_ranks(rate: float) -> None:
    counts = np.array([1, 2, 49, 50, 51, 1000, 12_345])
    for count, ranks in zip(counts.tolist(), sample_ranks(counts, rate, None), strict=True):
        if count < FEW_SETS:
            assert ranks.tolist() == list(range(count))
        else:
            first = max(1, round(rate * count))
            assert ranks.tolist() == [*range(first), count - 1]


@given(
    st.lists(st.integers(1, 3000), min_size=1, max_size=5),
    st.floats(1e-4, 1.0),
    st.integers(0, 2**32),
)
def test_samples_contain_the_best_and_the_empty_set(
    counts: list[int], rate: float, seed: int
) -> None:
    drawn = sample_ranks(np.array(counts), rate, np.random.default_rng(seed))
    for count, ranks in zip(counts, drawn, strict=True):
        assert ranks.dtype == np.int32
        assert (np.diff(ranks) > 0).all()
        assert ranks[0] == 0
        assert ranks[-1] == count - 1
        if count < FEW_SETS or rate == 1.0:
            assert len(ranks) == count
        else:
            size = max(1, round(rate * count))
            assert size <= len(ranks) <= size + 2


@pytest.mark.parametrize(("n", "slots"), [(25, 3), (60, 2), (260, 3)])
def test_a_climb_uses_only_its_sample(n: int, slots: int) -> None:
    """It equals a climb over a collection of only these sets."""
    space = SearchSpace(random_parent_sets(n, 300, slots, seed=n))
    ranks = sample_ranks(space.counts, 0.1, np.random.default_rng(n))
    sample = space.sample(ranks)
    np.testing.assert_array_equal(sample.counts, [len(chosen) for chosen in ranks])
    climber = started(sample, np.random.default_rng(n).permutation(n))
    climber.climb(numbers(n), NO_LIMIT)
    assert_like_new(climber, sample)
    full = sample.full_ranks(climber.ranks)
    assert all(rank in chosen for rank, chosen in zip(full, ranks, strict=True))
    np.testing.assert_array_equal(full, [c[r] for c, r in zip(ranks, climber.ranks, strict=True)])
    assert sample.score(climber.ranks) == space.score(full)
    # Among all sets this order can only be better, and counts in the same ticks.
    whole = started(space, climber.order)
    assert whole.score >= climber.score
    assert whole.ranks.tolist() == naive_ranks(space.parent_sets, climber.order.tolist())


@pytest.mark.parametrize(
    ("starts", "ranks", "what"),
    [
        ([0, 2], [0, 2, 2], "one list of ranks per variable"),
        ([0, 2, 3], [0, 1, 0], "every empty set"),
        ([0, 10**9, 3], [0, 2, 0], "every empty set"),
        ([0, 3, 4], [1, 0, 2, 0], "ascending order"),
        ([0, 2, 3], [-1, 2, 0], "ascending order"),
    ],
)
def test_invalid_samples_are_rejected(starts: list[int], ranks: list[int], what: str) -> None:
    three_sets = [(-1.0, (1,)), (-2.0, (2,)), (-3.0, ())]
    space = SearchSpace(pack([three_sets, [(-1.0, ())], [(-1.0, ())]]))
    with pytest.raises(ValueError, match=what):
        space.sets.sample(
            np.array([*starts, starts[-1] + 1], dtype=np.int64),
            np.array([*ranks, 0], dtype=np.int32),
        )
