"""Rows with missing values under a network: likelihoods and draws against brute force."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_gaps import random_gaps

from forebear import Dataset, FittedNetwork, LimitError, Network
from forebear.network.completion import complete, observed_likelihoods
from forebear.network.simulation import random_network


def brute_force(fitted: FittedNetwork, codes: list[int]) -> float:
    """Add the probabilities of all completions of a row."""
    arities = [len(states) for states in fitted.states]
    options = [range(a) if c >= a else [c] for c, a in zip(codes, arities, strict=True)]
    total = 0.0
    for row in itertools.product(*options):
        probability = 1.0
        for v, family in enumerate(fitted.network.parents):
            probability *= fitted.tables[v][(*(row[p] for p in family), row[v])]
        total += probability
    return math.log(total)


@settings(max_examples=50)
@given(st.integers(2, 7), st.integers(0, 3), st.integers(0, 10**6), st.floats(0.0, 1.0))
def test_likelihoods_equal_brute_force(n: int, parents: int, seed: int, share: float) -> None:
    fitted = random_network(n, max_parents=parents, states=(2, 4), rng=np.random.default_rng(seed))
    holes = random_gaps(fitted.sample(10, seed=seed), share, "em", seed=seed)
    found = fitted.log_likelihoods(holes)
    expected = [brute_force(fitted, row.tolist()) for row in holes.codes.T]
    assert found == pytest.approx(expected, abs=1e-10)


def test_draws_have_the_joint_distribution_of_the_missing_values() -> None:
    fitted = random_network(5, max_parents=3, states=(2, 3), rng=np.random.default_rng(4))
    row = fitted.sample(1, seed=1)
    codes = row.codes.copy()
    codes[:3] = row.arities[:3, np.newaxis]  # three are missing
    holes = replace(row, codes=codes, missing="em")
    completed, logs = complete(fitted, holes, copies=20_000, seed=3)
    assert completed.copies == 20_000
    assert not completed.has_missing
    assert (completed.codes[3:] == codes[3:]).all()
    drawn = Counter(map(tuple, completed.codes[:3].T.tolist()))
    for state in itertools.product(*(range(a) for a in row.arities[:3])):
        whole = brute_force(fitted, [*state, *codes[3:, 0].tolist()])
        expected = math.exp(whole - logs[0])
        assert drawn[state] / 20_000 == pytest.approx(expected, abs=0.015)


def test_draws_do_not_depend_on_threads() -> None:
    fitted = random_network(8, max_parents=2, rng=np.random.default_rng(1))
    holes = random_gaps(fitted.sample(100, seed=1), 0.5, "em")
    one, two = (complete(fitted, holes, copies=3, seed=5, threads=t) for t in (1, 2))
    assert (one[0].codes == two[0].codes).all()
    assert (one[1] == two[1]).all()


def entangled() -> tuple[FittedNetwork, Dataset]:
    """Make a network whose missing causes all depend on each other, given what is observed."""
    rng = np.random.default_rng(2)
    causes, effects = 26, 90
    parents = [()] * causes + [tuple(sorted(rng.choice(causes, 6, False))) for _ in range(effects)]
    network = Network(tuple(f"x{v}" for v in range(causes + effects)), tuple(parents))
    tables = [rng.dirichlet(np.ones(2), size=(2,) * len(family)) for family in parents]
    fitted = FittedNetwork(network, (("0", "1"),) * (causes + effects), tuple(tables))
    row = fitted.sample(2, seed=1)
    codes = row.codes.copy()
    codes[:causes] = 2
    return fitted, replace(row, codes=codes, missing="em")


def test_what_cannot_be_summed_out_is_drawn_and_refused_as_a_likelihood() -> None:
    fitted, holes = entangled()
    completed, logs = complete(fitted, holes, copies=4, seed=1)
    assert np.isnan(logs).all()
    assert (completed.codes[:26] < 2).all()
    assert (completed.codes[26:, 0] == holes.codes[26:, 0]).all()
    with pytest.raises(LimitError, match=r"the likelihood of 2 rows with missing values cannot be"):
        observed_likelihoods(fitted, holes.codes)


def test_a_time_limit_ends_it() -> None:
    fitted, holes = entangled()
    with pytest.raises(TimeoutError):
        complete(fitted, holes.take(np.zeros(5_000, dtype=int)), copies=50, seed=1, seconds=0.01)
