"""Rows with missing values: likelihoods and draws against brute force, probabilities fitted to
them, and probabilities of the configurations that occur against those of all."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_missing import random_missing

from forebear import Dataset, FittedNetwork, LimitError, Network, fit_network, simulate
from forebear.network.expectation_maximization import (
    complete,
    expect,
    fit_sparse_tables,
    observed_likelihoods,
)
from forebear.network.fit_network import fit_table, posterior_means
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
    holes = random_missing(fitted.sample(10, seed=seed), share, "em", seed=seed)
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
    holes = random_missing(fitted.sample(100, seed=1), 0.5, "em")
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


def test_rows_too_large_for_elimination_are_only_drawn() -> None:
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
        complete(fitted, holes, copies=50, seed=1, seconds=0.0)


def test_it_comes_close_to_the_complete_table() -> None:
    simulated = simulate(8, 4_000, max_parents=2, seed=3)
    holes = random_missing(simulated.data, 0.4, "em")
    found = expect(simulated.network.network, holes)
    complete_fit = fit_network(simulated.network.network, simulated.data, ess=1)
    for v, theirs in enumerate(complete_fit.tables):
        rows = theirs.reshape(-1, theirs.shape[-1])[found.fitted.configurations[v]]
        assert np.abs(found.fitted.tables[v] - rows).mean() < 0.05
    assert found.log_likelihoods.mean() > simulated.network.log_likelihoods(holes).mean() - 0.01


def test_fit_completes_tables_with_missing_em() -> None:
    simulated = simulate(6, 1_000, max_parents=2, seed=3)
    structure = simulated.network.network
    available, em = (
        structure.fit(random_missing(simulated.data, 0.4, way)).log_likelihoods(simulated.data)
        for way in ("available", "em")
    )
    assert em.mean() != available.mean()
    best = structure.fit(simulated.data).log_likelihoods(simulated.data).mean()
    assert best >= em.mean() > best - 0.1
    assert best >= available.mean() > best - 0.1


def wide_family(n: int = 8) -> tuple[Dataset, Network]:
    """Make a table of variables with 30 states and a network where all are parents of one."""
    rng = np.random.default_rng(1)
    names = (*(f"x{v}" for v in range(n)), "y")
    states = (tuple(f"s{k:02}" for k in range(30)),) * (n + 1)
    codes = rng.integers(0, 30, (n + 1, 40))
    codes[0, :5] = 30
    codes[n, 5:8] = 30
    network = Network(names, (*((),) * n, tuple(range(n))))
    return Dataset(codes, names, states, missing="em"), network


def test_it_agrees_with_whole_tables() -> None:
    simulated = simulate(8, 60, max_parents=3, states=(2, 4), seed=5)
    network = simulated.network.network
    holes = random_missing(simulated.data, 0.3, "em")
    whole = fit_table(network, holes, partial(posterior_means, ess=1.0))
    occurring = fit_sparse_tables(network, holes)
    assert any(
        len(one) < t[..., 0].size
        for one, t in zip(occurring.configurations, whole.tables, strict=True)
    )
    assert observed_likelihoods(occurring, simulated.data.codes) == pytest.approx(
        whole.log_likelihoods(simulated.data), abs=1e-12
    )
    one, two = (complete(fit, holes, copies=3, seed=2) for fit in (whole, occurring))
    assert (one[0].codes == two[0].codes).all()
    assert one[1] == pytest.approx(two[1], abs=1e-12)


def test_a_family_too_large_for_a_whole_table_is_completed() -> None:
    holes, network = wide_family()
    with pytest.raises(LimitError, match="too many probabilities"):
        network.fit(replace(holes, missing="available"))
    found = expect(network, holes)
    assert not found.completed.has_missing
    assert np.isfinite(found.log_likelihoods).all()


def test_a_family_whose_cells_cannot_be_numbered_is_refused() -> None:
    holes, network = wide_family(n=20)
    with pytest.raises(LimitError, match="y has too many probabilities, because it has 20 parents"):
        expect(network, holes)


def test_expectation_ends_where_all_values_are_certain() -> None:
    """The log-likelihood is then 0, and cannot rise by a share of itself."""
    holes = Dataset(np.array([[0, 1]]), ("a",), (("x",),), "em")
    assert expect(Network(("a",), ((),)), holes).completed.codes.tolist() == [[0] * 10]
