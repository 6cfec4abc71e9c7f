"""The CPDAG of a network learned from experiments, against a list of the whole class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from expected import error
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_graphs import Arcs, interventional_class
from strategies import experiments, networks

from forebear import BDeu, Dataset, ForebearError, Network, compare_networks, score_network
from forebear.network.adjustment import possible_parents
from forebear.scoring.scores import Score, as_score


def numbered(n: int, targets: list[set[int]]) -> tuple[int, ...]:
    """Number the variables by the experiments in which they were set."""
    signatures = [tuple(v in target for target in targets) for v in range(n)]
    return tuple(sorted(set(signatures)).index(own) for own in signatures)


@st.composite
def classes(draw: st.DrawFn) -> tuple[Network, list[Arcs]]:
    """Draw a network with experiments, and list all networks that are equivalent to it."""
    network = draw(networks(max_variables=5, min_variables=2))
    n = network.n_variables
    subsets = st.sets(st.integers(0, n - 1), max_size=n - 1)
    targets = draw(st.lists(subsets, min_size=1, max_size=4))
    assume(all(any(v not in target for target in targets) for v in range(n)))
    own = replace(network, row_sets=numbered(n, targets))
    return own, interventional_class(n, frozenset(network.arcs), targets)


@given(classes())
@settings(max_examples=150)
def test_an_arc_is_directed_if_all_equivalent_networks_have_it(
    drawn: tuple[Network, list[Arcs]],
) -> None:
    network, members = drawn
    assert network.compelled == frozenset.intersection(*members)
    for arcs in members:
        other = Network.from_arcs(network.names, sorted(arcs))
        assert network.equivalent(other)
        assert other.equivalent(network)
        assert compare_networks(network, other).shd_cpdag == 0


@given(classes(), st.data())
def test_other_networks_are_not_equivalent(
    drawn: tuple[Network, list[Arcs]], draw: st.DataObject
) -> None:
    network, members = drawn
    turned = [draw.draw(st.booleans()) for _ in network.arcs]
    pairs = zip(network.arcs, turned, strict=True)
    arcs = [(v, p) if turn else (p, v) for (p, v), turn in pairs]
    try:
        other = Network.from_arcs(network.names, arcs)
    except ForebearError:  # a cycle
        assume(False)
    assert network.equivalent(other) == (frozenset(arcs) in members)


@given(classes())
def test_possible_parents_are_those_in_some_equivalent_network(
    drawn: tuple[Network, list[Arcs]],
) -> None:
    """Effects are computed for each of them."""
    network, members = drawn
    for x in range(network.n_variables):
        expected = {tuple(sorted(p for p, v in arcs if v == x)) for arcs in members}
        assert set(possible_parents(network.cpdag(), x)) == expected


@given(experiments(min_variables=2, max_variables=4), st.data())
def test_equivalent_networks_have_the_same_score(data: Dataset, draw: st.DataObject) -> None:
    n, mask = data.n_variables, data.intervened
    assume(mask is not None and not mask.all(axis=1).any())
    assert mask is not None
    targets = [set(np.flatnonzero(row).tolist()) for row in mask.T]
    network = draw.draw(networks(max_variables=n, min_variables=n))
    assert numbered(n, targets) == numbered(n, [*targets, *targets])
    score: Score = draw.draw(st.sampled_from([as_score("bdeu"), as_score("bic"), BDeu("auto")]))
    scores = [
        score_network(Network.from_arcs(data.names, sorted(arcs)), data, score)
        for arcs in interventional_class(n, frozenset(network.arcs), targets)
    ]
    assert scores == pytest.approx([scores[0]] * len(scores), rel=1e-9, abs=1e-8)


def test_an_experiment_directs_its_arcs_and_those_that_follow() -> None:
    chain = Network.from_arcs("abcd", [("a", "b"), ("b", "c"), ("c", "d")])
    assert chain.cpdag().directed == ()
    own = replace(chain, row_sets=(0, 1, 0, 0))  # b was set
    assert own.cpdag().directed_names == (("a", "b"), ("b", "c"), ("c", "d"))
    own = replace(chain, row_sets=(0, 0, 0, 1))  # d was set
    assert own.cpdag().directed_names == (("c", "d"),)
    assert own.reordered("dcba").row_sets == (1, 0, 0, 0)
    assert own == chain  # the graph alone is compared


@pytest.mark.parametrize("row_sets", [(0, 1), (0, 1, "x"), 5, (0, 1, True)])
def test_invalid_numbers(row_sets: object) -> None:
    with error("row_sets must have a whole number per variable", ForebearError):
        Network(("a", "b", "c"), ((), (), ()), row_sets=row_sets)  # type: ignore[arg-type]
