"""Random networks, the tables drawn from them, and the example that comes with the package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear._util.errors import ForebearError
from forebear.network.simulation import parse_states, random_network, simulate, simulate_from


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed))


@given(
    n=st.integers(1, 30),
    max_parents=st.integers(0, 5),
    low=st.integers(2, 4),
    more=st.integers(0, 2),
    seed=st.integers(0, 2**32),
)
def test_a_random_network_has_the_requested_shape(
    n: int, max_parents: int, low: int, more: int, seed: int
) -> None:
    fitted = random_network(n, max_parents=max_parents, states=(low, low + more), rng=rng(seed))
    assert fitted.n_variables == n
    assert all(len(family) <= max_parents for family in fitted.network.parents)
    assert all(low <= len(states) <= low + more for states in fitted.states)
    assert sorted(fitted.network.names) == list(fitted.network.names)


def test_the_network_does_not_depend_on_the_number_of_rows() -> None:
    few, many = simulate(20, 10, seed=4), simulate(20, 100, seed=4)
    assert few.network.network == many.network.network
    again = simulate_from(few.network, 100, seed=4)
    assert again.fingerprint == many.data.fingerprint
    assert simulate(20, 10, seed=5).network.network != few.network.network


@pytest.mark.parametrize(
    "text", ["", "-", "2-", "-4", "two", "2-3-4", "2.5", "4-2", "1-3", "2-9999"]
)
def test_bad_states_are_refused(text: str) -> None:
    with pytest.raises(ForebearError, match=r"^states must be "):
        parse_states(text)


@pytest.mark.parametrize(
    ("given_values", "message"),
    [
        ({"n_variables": 3}, "no parameter 'n_variables': did you mean variables"),
        ({"variables": 0}, r"^variables must be at least 1, got 0"),
        ({"rows": 0}, r"^rows must be at least 1, got 0"),
        ({"max_parents": -1}, "max_parents must be at least 0, got -1"),
        ({"states": (4, 2)}, "states must be in ascending order, got 4 and 2"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"variables": 100, "max_parents": 20}, "lower max_parents"),
    ],
)
def test_bad_numbers_are_refused(given_values: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        simulate(**({"variables": 10, "rows": 10} | given_values))
