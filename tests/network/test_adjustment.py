"""Adjustment sets against the backdoor criterion, path by path, and against pyAgrum."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import naive_graphs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import networks

from forebear import ForebearError, ForebearWarning, Network
from forebear.interop import to_pyagrum
from forebear.network.adjustment import possible_parents
from forebear.network.simulation import random_network


def backdoor_sets(network: Network, x: int, y: int) -> Iterator[set[int]]:
    """Every set that satisfies the backdoor criterion, by the definition of Pearl (1993)."""
    arcs = frozenset(network.arcs)
    others = set(range(network.n_variables)) - naive_graphs.below(arcs, x) - {y}
    kept = frozenset(arc for arc in arcs if arc[0] != x)
    for size in range(len(others) + 1):
        for chosen in combinations(sorted(others), size):
            if naive_graphs.d_separated(network.n_variables, kept, [x], [y], chosen):
                yield set(chosen)


@settings(deadline=None)
@given(networks(min_variables=2, max_variables=6), st.data())
def test_adjustment_sets_are_the_minimal_backdoor_sets(
    network: Network, data: st.DataObject
) -> None:
    x, y = data.draw(st.permutations(range(network.n_variables)))[:2]
    every = list(backdoor_sets(network, x, y))
    minimal = [one for one in every if not any(other < one for other in every)]
    named = [tuple(network.names[v] for v in sorted(one)) for one in minimal]
    found = network.adjustment_sets(x, network.names[y])
    assert sorted(found) == sorted(named)
    assert [len(one) for one in found] == sorted(map(len, found))
    smallest = network.adjustment_set(x, y)
    if not every:
        assert smallest is None
    else:
        assert smallest in found
        assert len(smallest) == len(found[0])


@given(networks(max_variables=5), st.data())
def test_possible_parents_are_those_in_the_class(network: Network, data: st.DataObject) -> None:
    x = data.draw(st.integers(0, network.n_variables - 1))
    members = naive_graphs.equivalence_class(network.n_variables, frozenset(network.arcs))
    expected = {tuple(sorted(p for p, v in arcs if v == x)) for arcs in members}
    found = list(possible_parents(network.cpdag(), x))
    assert set(found) == expected
    assert len(found) == len(expected)


def test_examples() -> None:
    # The M graph: adjusting for m alone would open a path.
    arcs = [("a", "x"), ("a", "m"), ("b", "m"), ("b", "y"), ("x", "y")]
    network = Network.from_arcs("abmxy", arcs)
    assert network.adjustment_set("x", "y") == ()
    assert network.adjustment_sets("x", "y") == ((),)
    assert network.adjustment_set("y", "x") is None
    assert network.adjustment_sets("y", "x") == ()
    with pytest.raises(ForebearError, match="x is both x and y: name two variables"):
        network.adjustment_set("x", "x")


def test_many_sets_are_cut_with_a_warning() -> None:
    # Eight paths of two variables each: 2 ** 8 minimal sets.
    names = ["x", "y", *(f"{side}{k}" for k in range(8) for side in "uv")]
    arcs = [("x", "y")]
    for k in range(8):
        arcs += [(f"u{k}", "x"), (f"u{k}", f"v{k}"), (f"v{k}", "y")]
    network = Network.from_arcs(names, arcs)
    assert len(network.adjustment_sets("x", "y", max_sets=256)) == 256
    with pytest.warns(ForebearWarning, match="only 100 minimal adjustment sets are listed"):
        assert len(set(network.adjustment_sets("x", "y"))) == 100
    assert network.adjustment_set("x", "y") == tuple(f"u{k}" for k in range(8))


def test_pyagrum_agrees() -> None:
    causal = pytest.importorskip("pyagrum.causal")
    rng = np.random.default_rng(4)
    for seed in range(5):
        fitted = random_network(7, max_parents=2, states=(2, 2), rng=np.random.default_rng(seed))
        theirs = to_pyagrum(fitted)
        model = causal.CausalModel(theirs)
        for _ in range(6):
            x, y = (fitted.network.names[v] for v in rng.permutation(7)[:2])
            if y not in fitted.network.descendants(x):
                continue
            found = model.backDoor(x, y)
            if found is None:
                continue  # pyAgrum returns None if x and y need no adjustment
            names = {theirs.variable(node).name() for node in found}
            assert names in [set(one) for one in fitted.network.adjustment_sets(x, y)]
