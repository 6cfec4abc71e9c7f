"""The sampler and the exact sums against brute force over all networks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_posterior import arc_matrix, empty_ranks, network_probabilities, random_sets
from scipy.stats import chi2

from forebear import ParentSets, _core

CHAINS = 64
"""Independent chains: the last draw of each is an independent sample."""


def sampler_of(
    sets: ParentSets,
    betas: list[float],
    chains: int,
    tail: float = 1e-9,
    start: list[int] | None = None,
) -> _core.Sampler:
    words = np.random.SeedSequence(7).generate_state(4 * chains, np.uint64)
    return _core.Sampler(
        sets.offsets,
        sets.scores,
        sets.parents,
        betas,
        np.array([start or empty_ranks(sets)] * chains * len(betas), dtype=np.int32),
        [_core.Random(words[4 * c : 4 * c + 4].tolist()) for c in range(chains)],
        tail,
        [[], [], [], []],
    )


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 4),
    seed=st.integers(0, 10**6),
    # The last two beyond the range of a double, and of a long double.
    spread=st.sampled_from([0.0, 1.0, 50.0, 2_000.0, 100_000.0]),
)
def test_exact_sums_are_sums_over_all_networks(n: int, seed: int, spread: float) -> None:
    sets = random_sets(n, seed, spread=spread, most=max(1, min(n - 1, 3)))
    shares, total = network_probabilities(sets)
    found, probabilities, finished = _core.exact_sums(
        sets.offsets, sets.scores, sets.parents, np.zeros(n), _core.Budget(None)
    )
    expected = np.zeros(len(sets))
    for ranks, share in shares.items():
        expected[sets.offsets[:-1] + np.array(ranks)] += share
    assert finished
    assert found == pytest.approx(total, abs=1e-9)
    np.testing.assert_allclose(probabilities, expected, atol=1e-9)


def test_exact_sums_stop_in_time() -> None:
    sets = random_sets(5, 1)
    *_, finished = _core.exact_sums(
        sets.offsets, sets.scores, sets.parents, np.zeros(5), _core.Budget(0.0)
    )
    assert not finished


@pytest.mark.parametrize("betas", [[1.0], [1.0, 0.5]], ids=["alone", "tempered"])
@pytest.mark.parametrize(("n", "seed"), [(3, 0), (3, 5), (4, 1), (4, 2)])
def test_chains_have_the_posterior_as_their_distribution(
    n: int, seed: int, betas: list[float]
) -> None:
    """A chi-squared test over all networks, on draws that are nearly independent.

    The seeds are fixed, so the test gives the same number every time. A move with a wrong ratio
    makes it hundreds of times as large.
    """
    sets = random_sets(n, seed, spread=1.5, most=min(n - 1, 2))
    shares, _ = network_probabilities(sets)
    sampler = sampler_of(sets, betas, CHAINS)
    sampler.advance(20, 1, 2, _core.Budget(None))
    sampler.forget()
    draws = 250
    sampler.advance(draws, 20, 2, _core.Budget(None))
    counts: Counter[tuple[int, ...]] = Counter()
    for chain in range(CHAINS):
        counts.update(map(tuple, sampler.samples(chain)[0].tolist()))
    assert counts.keys() <= shares.keys()
    total = CHAINS * draws
    common = [ranks for ranks, share in shares.items() if share * total >= 10]
    seen = np.array([counts[ranks] for ranks in common], dtype=float)
    expected = np.array([shares[ranks] * total for ranks in common])
    rest, rest_seen = total - expected.sum(), total - seen.sum()
    statistic = ((seen - expected) ** 2 / expected).sum()
    if rest > 10:
        statistic += (rest_seen - rest) ** 2 / rest
    # Draws are 20 sweeps apart and not quite independent: half as much again is allowed.
    assert statistic < 1.5 * chi2.ppf(0.999, len(common))


@pytest.mark.parametrize("seed", range(2))
def test_visits_count_every_sweep(seed: int) -> None:
    """The share of sweeps with each arc is its exact probability, whatever is thinned."""
    sets = random_sets(4, seed)
    exact = arc_matrix(sets, network_probabilities(sets)[0])
    sampler = sampler_of(sets, [1.0], 4)
    sampler.advance(1, 100, 2, _core.Budget(None))
    sampler.forget()
    sampler.advance(10, 5_000, 2, _core.Budget(None))
    shares = np.zeros_like(exact)
    for chain in range(4):
        visits, sweeps = sampler.visits(chain)
        assert sweeps == 50_000
        for v in range(4):
            own = visits[sets.offsets[v] : sets.offsets[v + 1]]
            assert own.sum() == sweeps
            for times, one in zip(own.tolist(), sets.of(v), strict=True):
                shares[list(one.parents), v] += times / sweeps / 4
    assert np.abs(shares - exact).max() < 0.01


def test_what_scans_leave_out_is_bounded() -> None:
    sets = random_sets(5, 3, spread=10.0)
    sampler = sampler_of(sets, [1.0], 2, tail=1e-3)
    sampler.advance(200, 1, 1, _core.Budget(None))
    assert 0.0 < sampler.left_out <= 1e-3


def test_starts_are_checked() -> None:
    with pytest.raises(ValueError, match="rank"):
        sampler_of(random_sets(3, 3), [1.0], 1, start=[99, 0, 0])
