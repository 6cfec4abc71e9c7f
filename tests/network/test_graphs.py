"""Properties of networks against their definitions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import naive_graphs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import networks

from forebear._util.errors import ForebearError
from forebear.network.network import Network

# earthquake -> alarm <- burglary, alarm -> call, and a radio that only reports earthquakes.
ALARM = Network.from_arcs(
    ("burglary", "earthquake", "alarm", "call", "radio"),
    [("burglary", "alarm"), ("earthquake", "alarm"), ("alarm", "call"), ("earthquake", "radio")],
)


def named(network: Network, *indices: int) -> tuple[str, ...]:
    return tuple(network.names[v] for v in indices)


def arcs_of(network: Network) -> naive_graphs.Arcs:
    return frozenset(network.arcs)


def test_a_small_network() -> None:
    cpdag = ALARM.cpdag()
    assert repr(cpdag) == (
        "PartialGraph with 5 variables\n"
        "  directed: 3 (burglary -> alarm, earthquake -> alarm, alarm -> call)\n"
        "  undirected: 1 (earthquake - radio)"
    )
    assert ALARM.d_separated("burglary", "radio")
    assert not ALARM.d_separated("burglary", "radio", given="call")
    assert ALARM.d_separated(["burglary", "call"], 4, given={"earthquake"})


@given(networks())
def test_relatives(network: Network) -> None:
    arcs = arcs_of(network)
    for v in range(network.n_variables):
        below = naive_graphs.below(arcs, v) - {v}
        names = network.names
        assert network.descendants(v) == named(network, *sorted(below))
        assert all(names[v] in network.ancestors(u) for u in below)
        above = [u for u in names if names[v] in network.descendants(u)]
        assert network.ancestors(v) == tuple(above)
        assert network.parents_of(v) == named(network, *network.parents[v])
        assert network.children_of(names[v]) == named(network, *network.children[v])


@given(networks(max_variables=5))
def test_the_markov_blanket_is_the_smallest_separating_set(network: Network) -> None:
    others = range(network.n_variables)
    for v in others:
        rest = [u for u in others if u != v]
        shields = [
            set(shield)
            for size in range(len(rest) + 1)
            for shield in combinations(rest, size)
            if network.d_separated(v, [u for u in rest if u not in shield], shield)
        ]
        assert network.markov_blanket(v) == named(network, *sorted(set.intersection(*shields)))


@given(networks(), st.data())
def test_d_separation_means_that_no_path_is_active(network: Network, data: st.DataObject) -> None:
    sides = data.draw(st.lists(st.integers(0, 3), min_size=network.n_variables, max_size=None))
    x, y, known = ([v for v in range(network.n_variables) if sides[v] == k] for k in (1, 2, 3))
    expected = naive_graphs.d_separated(network.n_variables, arcs_of(network), x, y, known)
    assert network.d_separated(x, y, known) == expected
    assert network.d_separated(y, x, known) == expected


@given(networks())
def test_moral_graphs_and_v_structures(network: Network) -> None:
    n, arcs = network.n_variables, arcs_of(network)
    linked = {(a, b) for a, b in combinations(range(n), 2) if {(a, b), (b, a)} & arcs}
    assert network.skeleton() == tuple(named(network, *pair) for pair in sorted(linked))
    triples = naive_graphs.v_structures(n, arcs)
    assert len(network.v_structures()) == len(triples)
    assert set(network.v_structures()) == {named(network, *triple) for triple in triples}
    edges = sorted(linked | {(a, b) for a, _, b in triples})
    assert network.moral_graph() == tuple(named(network, *pair) for pair in edges)


@given(networks(max_variables=5))
def test_compelled_arcs_are_those_of_the_whole_class(network: Network) -> None:
    members = naive_graphs.equivalence_class(network.n_variables, arcs_of(network))
    assert network.compelled == frozenset.intersection(*members)
    cpdag = network.cpdag()
    assert set(cpdag.directed) == network.compelled
    assert cpdag.directed == tuple(arc for arc in network.arcs if arc in network.compelled)
    ends = {(min(arc), max(arc)) for arc in cpdag.directed}
    edges = sorted(ends | set(cpdag.undirected))
    assert tuple(named(network, *pair) for pair in edges) == network.skeleton()
    assert cpdag.directed_names == tuple(named(network, *arc) for arc in cpdag.directed)
    assert cpdag.undirected_names == tuple(named(network, *pair) for pair in cpdag.undirected)
    assert len(ends) + len(cpdag.undirected) == len(network.arcs)


@given(networks(max_variables=4, min_variables=2), st.data())
def test_equivalence_is_that_of_skeletons_and_v_structures(
    network: Network, data: st.DataObject
) -> None:
    n = network.n_variables
    members = naive_graphs.equivalence_class(n, arcs_of(network))
    same = Network.from_arcs(network.names, data.draw(st.sampled_from(members)))
    assert network.equivalent(same.reordered(data.draw(st.permutations(network.names))))
    turned = [arc if data.draw(st.booleans()) else arc[::-1] for arc in network.arcs]
    try:
        other = Network.from_arcs(network.names, turned)
    except ForebearError:
        assume(False)
    assert network.equivalent(other) == (arcs_of(other) in members)


@given(networks(), st.data())
def test_another_order_is_the_same_network(network: Network, data: st.DataObject) -> None:
    other = network.reordered(data.draw(st.permutations(network.names)))
    assert set(other.arc_names) == set(network.arc_names)
    assert other.reordered(network.names) == network


def test_names_or_indices_of_any_kind() -> None:
    fourth: Any = np.int64(3)
    assert ALARM.index("call") == ALARM.index(3) == ALARM.index(fourth) == 3
    assert type(ALARM.index(fourth)) is int
    assert Network.from_arcs(("a", "b"), [(0, "b")]) == Network(("a", "b"), ((), (0,)))
    assert ALARM.d_separated(fourth, np.array([4]), given=(1,))
    assert ALARM.d_separated((), "call")


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: ALARM.markov_blanket(5), r"^there is no variable 5: there are 5 "),
        (lambda: ALARM.markov_blanket(-1), r"^there is no variable -1: there are 5 "),
        (lambda: ALARM.ancestors("alram"), r'^no variable is called "alram": did you mean "alarm"'),
        (lambda: Network.from_arcs(ALARM.names, [("zzz", "call")]), 'variable is called "zzz"$'),
        (lambda: Network.from_arcs("ab", [("a", "b"), (0, 1)]), "b lists the same parent twice"),
        (lambda: Network.from_arcs("ab", [("a", "b"), ("b", "a")]), "the arcs form a cycle: "),
        (lambda: ALARM.d_separated("call", ("radio", "call")), "but call is in two of them"),
        (lambda: ALARM.reordered(("x", *ALARM.names, "y")), "has no variables called x, y"),
        (lambda: ALARM.reordered(ALARM.names[:3]), "omits call, radio"),
        (lambda: ALARM.reordered((*ALARM.names, "call")), "variable call is named twice"),
    ],
)
def test_mistakes_are_rejected(mistake: Callable[[], object], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        mistake()
