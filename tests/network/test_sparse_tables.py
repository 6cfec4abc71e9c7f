"""The probabilities of configurations that occur, against those of all configurations."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from naive_gaps import random_gaps

from forebear import Dataset, LimitError, Network, simulate
from forebear.network.completion import complete
from forebear.network.expectation import expect
from forebear.network.fitting import fit_table, posterior_means
from forebear.network.sparse_tables import fit_sparse_tables


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
    holes = random_gaps(simulated.data, 0.3, "em")
    whole = fit_table(network, holes, partial(posterior_means, ess=1.0))
    occurring = fit_sparse_tables(network, holes, 1.0)
    assert any(
        len(one) < t[..., 0].size
        for one, t in zip(occurring.configurations, whole.tables, strict=True)
    )
    assert occurring.log_likelihoods(simulated.data.codes) == pytest.approx(
        whole.log_likelihoods(simulated.data), abs=1e-12
    )
    one, two = (complete(fit, holes, copies=3, seed=2) for fit in (whole, occurring))
    assert (one[0].codes == two[0].codes).all()
    assert one[1] == pytest.approx(two[1], abs=1e-12)


def test_a_family_too_large_for_a_whole_table_is_completed() -> None:
    holes, network = wide_family()
    with pytest.raises(LimitError, match="too many probabilities to hold in memory"):
        network.fit(replace(holes, missing="available"))
    found = expect(network, holes)
    assert not found.completed.has_missing
    assert np.isfinite(found.log_likelihoods).all()


def test_a_family_whose_cells_cannot_be_numbered_is_refused() -> None:
    holes, network = wide_family(n=20)
    with pytest.raises(LimitError, match="of y, which has 20 parents, are too many"):
        expect(network, holes)
