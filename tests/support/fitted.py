"""Networks for tests of files, and comparisons of what was read with what was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from forebear import FileError, read_fitted
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network

ANY_TEXT = st.text()

NASTY = (
    "wine colour",
    'say "hi"',
    "back\\slash",
    "a,b;c",
    "<script>alert(1)</script> & more",
    "日本 é",
    "two\nlines\r\nand\ttabs",
    " blanks ",
    "1st",
    "node",
    "wine_colour",
    "50% {x} (y)",
)
"""Names that formats trip over: together they also clash once made into identifiers."""


@st.composite
def fitted_networks(draw: st.DrawFn, names: SearchStrategy[str] = ANY_TEXT) -> FittedNetwork:
    """Small networks whose variables and states have any of these names."""
    variables = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    a_few_states = st.lists(names, min_size=1, max_size=3, unique=True)
    states = tuple(tuple(draw(a_few_states)) for _ in variables)
    order = draw(st.permutations(range(len(variables))))
    parents = [draw(st.sets(st.sampled_from(range(len(order))), max_size=3)) for _ in order]
    earlier = [set(order[: order.index(v)]) for v in range(len(order))]
    families = tuple(tuple(sorted(p & before)) for p, before in zip(parents, earlier, strict=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables = tuple(
        rng.dirichlet(np.ones(len(states[v])), size=tuple(len(states[p]) for p in family))
        for v, family in enumerate(families)
    )
    return FittedNetwork(Network(tuple(variables), families), states, tables)


def nasty_network() -> FittedNetwork:
    """A network of all the nasty names: a chain, each variable with two of them as states."""
    n = len(NASTY)
    network = Network(NASTY, ((), *((v,) for v in range(n - 2)), ()))
    states = tuple((NASTY[v], NASTY[(v + 1) % n]) for v in range(n))
    rng = np.random.default_rng(5)
    tables = tuple(rng.dirichlet([1, 1], size=(2,) * len(family)) for family in network.parents)
    return FittedNetwork(network, states, tables)


def assert_same(left: FittedNetwork, right: FittedNetwork) -> None:
    """To the bit, variables in the same order."""
    assert left.network == right.network
    assert left.states == right.states
    for a, b in zip(left.tables, right.tables, strict=True):
        np.testing.assert_array_equal(a, b)


def arcs_by_name(network: Network) -> set[tuple[str, str]]:
    """The arcs, whatever the order of the variables."""
    return {(network.names[p], network.names[v]) for p, v in network.arcs}


def assert_same_structure(left: Network, right: Network) -> None:
    """The same variables and arcs, in any order."""
    assert set(left.names) == set(right.names)
    assert arcs_by_name(left) == arcs_by_name(right)


def fitted_of(path: Path, text: str) -> FittedNetwork:
    """Read a network from a file with this text."""
    path.write_text(text, encoding="utf-8")
    return read_fitted(path)


def error_of(path: Path, text: str, old: str, new: str, count: int = 1) -> str:
    """Read a file in which something is replaced; return the error after the path."""
    assert old in text
    with pytest.raises(FileError) as caught:
        fitted_of(path, text.replace(old, new, count))
    return str(caught.value).removeprefix(str(path))
