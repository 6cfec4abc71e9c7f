"""Brute-force inference by the table of all joint probabilities, and networks to query."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network


def joint_table(fitted: FittedNetwork) -> NDArray[np.float64]:
    """Return the probability of every configuration, one axis per variable."""
    sizes = [len(states) for states in fitted.states]
    joint = np.empty(sizes)
    for row in itertools.product(*map(range, sizes)):
        families = enumerate(fitted.network.parents)
        of_each = [fitted.tables[v][(*(row[p] for p in own), row[v])] for v, own in families]
        joint[row] = np.prod(of_each)
    return joint


def cut(fitted: FittedNetwork, do: Mapping[int, int]) -> FittedNetwork:
    """Return the network in which some variables have no parents, but one certain state."""
    families = enumerate(fitted.network.parents)
    parents = tuple(() if v in do else own for v, own in families)
    tables = tuple(
        np.eye(len(states))[do[v]] if v in do else table
        for v, (states, table) in enumerate(zip(fitted.states, fitted.tables, strict=True))
    )
    return FittedNetwork(Network(fitted.network.names, parents), fitted.states, tables)


def posterior(
    joint: NDArray[np.float64], variables: Sequence[int], evidence: Mapping[int, int]
) -> NDArray[np.float64]:
    """Return P(variables, evidence), one axis per variable in the given order."""
    kept = joint[
        tuple(
            slice(evidence[v], evidence[v] + 1) if v in evidence else slice(None)
            for v in range(joint.ndim)
        )
    ]
    others = tuple(v for v in range(joint.ndim) if v not in variables)
    ascending = sorted(variables)
    summed: NDArray[np.float64] = kept.sum(axis=others)
    return summed.transpose([ascending.index(v) for v in variables])


@st.composite
def networks_to_ask(draw: st.DrawFn, most: int = 7) -> FittedNetwork:
    """Networks of a few variables with one to three states, some of whose probabilities are 0."""
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    density = draw(st.floats(0, 1))
    place = rng.permutation(n)
    parents = tuple(
        tuple(u for u in range(n) if place[u] < place[v] and rng.random() < density)
        for v in range(n)
    )
    names = tuple(f"v{v}" for v in range(n))
    states = tuple(tuple("abc"[: rng.integers(1, 4)]) for _ in range(n))
    zeros = draw(st.sampled_from([0.0, 0.3]))
    tables = []
    for v, own in enumerate(parents):
        table = rng.random((*(len(states[p]) for p in own), len(states[v])))
        table[rng.random(table.shape) < zeros] = 0.0
        table[table.sum(axis=-1) == 0] = 1.0
        tables.append(table / table.sum(axis=-1, keepdims=True))
    return FittedNetwork(Network(names, parents), states, tuple(tables))
