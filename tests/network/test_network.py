"""Networks: validation, cycles, and functions that accept them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import naive
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, ForebearError, Network, compare_networks, fit_network
from forebear.network.network import as_network


@st.composite
def graphs(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    """Any directed graph without loops of one arc, cyclic or not."""
    n = draw(st.integers(1, 7))
    others = [[u for u in range(n) if u != v] for v in range(n)]
    families = [draw(st.sets(st.sampled_from(o), max_size=2)) if o else set() for o in others]
    return tuple(tuple(family) for family in families)


def names(n: int) -> tuple[str, ...]:
    return tuple(f"v{k}" for k in range(n))


@given(graphs())
def test_a_network_is_built_exactly_when_the_graph_is_acyclic(
    parents: tuple[tuple[int, ...], ...],
) -> None:
    if not naive.is_acyclic(parents):
        with pytest.raises(ForebearError, match="the arcs form a cycle: "):
            Network(names(len(parents)), parents)
        return
    network = Network(names(len(parents)), parents)
    place = {v: k for k, v in enumerate(network.order)}
    assert sorted(place) == list(range(network.n_variables))
    assert all(place[p] < place[v] for p, v in network.arcs)
    assert network.topological_order() == tuple(network.names[v] for v in network.order)


def test_the_cycle_is_named_in_the_direction_of_its_arcs() -> None:
    # a -> b -> c -> a, with d hanging below.
    with pytest.raises(ForebearError) as caught:
        Network(("a", "b", "c", "d"), ((2,), (0,), (1,), (2,)))
    found = str(caught.value).removeprefix("the arcs form a cycle: ")
    assert found in {"a -> b -> c -> a", "b -> c -> a -> b", "c -> a -> b -> c"}
    with pytest.raises(ForebearError, match=r"^the arcs form a cycle: b -> b$"):
        Network(("a", "b"), ((), (1,)))
    n = 10_000
    with pytest.raises(ForebearError, match=r"\.\.\.") as caught:
        Network(names(n), tuple(((v - 1) % n,) for v in range(n)))
    assert len(str(caught.value)) < 200


def test_parents_are_sorted_and_arcs_and_children_agree() -> None:
    network = Network(("a", "b", "c"), ((2, 1), (), (1,)))
    assert network.parents == ((1, 2), (), (1,))
    assert network.arcs == ((1, 0), (2, 0), (1, 2))
    assert network.children == ((), (0, 2), (0,))
    assert repr(network) == "Network(3 variables, 3 arcs)"


@pytest.mark.parametrize(
    ("variables", "parents", "message"),
    [
        (("a", "a"), ((), ()), "variable a is named twice"),
        (("a", "b"), ((),), "the network has 2 variables, but 1 list of parents"),
        (("a", "b"), ((), (2,)), "b lists parent 2, but the last variable is 1"),
        (("a", "b"), ((), (-1,)), "b lists parent -1, but the last variable is 1"),
        (("a", "b"), ((), (0, 0)), "b lists the same parent twice"),
        (
            ("a", "b"),
            ((), ("a",)),
            "parents must be lists of indices: use Network.from_arcs for names",
        ),
    ],
)
def test_bad_graphs(variables: tuple[str, ...], parents: Any, message: str) -> None:
    with pytest.raises(ForebearError, match=f"^{re.escape(message)}$"):
        Network(variables, parents)


class HasNetwork:
    """An object with a network, such as a Result."""

    network = Network(("a", "b"), ((), (0,)))


def test_functions_accept_objects_with_a_network() -> None:
    network = HasNetwork.network
    fitted = network.fit(Dataset(np.array([[0, 1], [1, 0]]), ("a", "b"), (("x", "y"),) * 2))
    for value in (network, fitted, HasNetwork()):
        assert as_network(value) is network
        assert network.equivalent(value)
        assert compare_networks(value, value).shd == 0
        assert fit_network(value, pl.DataFrame({"a": [0, 1], "b": [0, 1]})).network == network
    wrong: Any
    for wrong, message in (
        (3, "(a Network, a FittedNetwork or a Result), got int"),
        ("net.bif", "got 'net.bif': read a file with read_network"),
        (Path("net.bif"), "got 'net.bif': read a file with read_network"),
    ):
        with pytest.raises(ForebearError, match=re.escape(message)):
            as_network(wrong)
