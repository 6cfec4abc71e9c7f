"""Comparison of networks: the measures against their definitions."""

from __future__ import annotations

import json
from itertools import combinations

import naive_graphs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import networks

from forebear._util.errors import ForebearError
from forebear.network.comparison import compare_networks
from forebear.network.network import Network

NAMES = ("a", "b", "c", "d", "e")
TRUE = Network.from_arcs(NAMES, [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")])
LEARNED = Network.from_arcs(NAMES, [("a", "c"), ("d", "c"), ("d", "e"), ("a", "b")])
"""Of four true arcs it has two, one turned round, and lacks b -> c; a -> b is its own."""


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Network, Network]:
    """Draw two networks of the same variables, often alike."""
    learned = draw(networks(max_variables=5))
    if draw(st.booleans()):
        arcs = [arc for arc in learned.arcs if draw(st.booleans())]
        return learned, Network.from_arcs(learned.names, arcs)
    n = learned.n_variables
    return learned, draw(networks(max_variables=n, min_variables=n))


def marks(network: Network) -> dict[tuple[int, int], object]:
    """How each pair is drawn in the CPDAG, from the whole equivalence class."""
    members = naive_graphs.equivalence_class(network.n_variables, frozenset(network.arcs))
    pairs_of_variables = combinations(range(network.n_variables), 2)
    return {
        (a, b): {((a, b) in member, (b, a) in member) for member in members}
        for a, b in pairs_of_variables
    }


def test_measures_by_hand() -> None:
    found = compare_networks(LEARNED, TRUE)
    assert found.common == (("a", "c"), ("d", "e"))
    assert found.reversed == (("d", "c"),)
    assert found.missing == (("b", "c"),)
    assert found.extra == (("a", "b"),)
    assert (found.shd, found.true_arcs, found.learned_arcs) == (3, 4, 4)
    assert (found.arc_precision, found.arc_recall, found.arc_f1) == (0.5, 0.5, 0.5)
    skeleton = (found.skeleton_precision, found.skeleton_recall, found.skeleton_f1)
    assert skeleton == (0.75, 0.75, 0.75)
    # TP = 2.5 and FN = 1.5 of a = 4; FP = 1 and TN = 5 of i = 6.
    assert found.bsf == pytest.approx(0.5 * (2.5 / 4 + 5 / 6 - 1 / 6 - 1.5 / 4))
    # True: all compelled. Learnt: d -> c <- a compelled, a - b and d - e not.
    # a -> c is the only one that agrees; b - c, c - d, d - e and a - b do not.
    assert found.shd_cpdag == 4
    assert repr(found) == (
        "Comparison of 4 learned arcs with 4 true arcs\n"
        "  common: 2\n  reversed: 1\n  missing: 1\n  extra: 1\n"
        "  SHD: 3; 4 between the CPDAGs\n"
        "  F1: 0.500; 0.750 without directions"
    )
    facts = json.loads(json.dumps(found.to_dict()))
    assert facts["shd"] == 3
    assert [facts[key] for key in ("common", "reversed", "missing", "extra")] == [2, 1, 1, 1]
    assert facts["arcs"]["reversed"] == [["d", "c"]]


@given(pairs())
def test_measures_are_those_of_the_definitions(both: tuple[Network, Network]) -> None:
    learned, true = both
    found = compare_networks(learned, true)
    tp = fp = fn = tn = 0.0
    differ = 0
    for a, b in combinations(range(true.n_variables), 2):
        one, other = ({(a, b), (b, a)} & set(network.arcs) for network in (learned, true))
        differ += one != other
        same = 1.0 if one == other else 0.5
        tp += same if one and other else 0.0
        fn += 1.0 - same if one and other else float(bool(other))
        fp += bool(one) and not other
        tn += not one and not other
    assert found.shd == differ
    n_true, n_other = len(true.arcs), tn + fp
    if n_true and n_other:
        expected = 0.5 * (tp / n_true + tn / n_other - fp / n_other - fn / n_true)
        assert found.bsf == pytest.approx(expected, abs=1e-12)
    shared = set(learned.arcs) & set(true.arcs)
    assert found.arc_precision * len(learned.arcs) == pytest.approx(len(shared))
    assert found.arc_recall * len(true.arcs) == pytest.approx(len(shared))
    edges = set(learned.skeleton()) & set(true.skeleton())
    assert found.skeleton_precision * len(learned.arcs) == pytest.approx(len(edges))
    assert found.skeleton_recall * len(true.arcs) == pytest.approx(len(edges))
    for precision, recall, f1 in (
        (found.arc_precision, found.arc_recall, found.arc_f1),
        (found.skeleton_precision, found.skeleton_recall, found.skeleton_f1),
    ):
        harmonic = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert f1 == pytest.approx(harmonic)


@given(pairs(), st.data())
def test_the_distance_of_the_classes_in_any_order(
    both: tuple[Network, Network], data: st.DataObject
) -> None:
    learned, true = both
    ours, theirs = marks(learned), marks(true)
    found = compare_networks(learned, true)
    assert found.shd_cpdag == sum(ours[pair] != theirs[pair] for pair in ours)
    assert (found.shd_cpdag == 0) == learned.equivalent(true)
    shuffled = true.reordered(data.draw(st.permutations(true.names)))
    assert compare_networks(learned, shuffled) == found
    same = compare_networks(learned, learned)
    assert (same.shd, same.shd_cpdag, same.bsf) == (0, 0, 1.0)
    assert same.arc_f1 == same.skeleton_f1 == 1.0
    assert len(same.common) == len(learned.arcs)


def test_networks_with_no_arcs_or_all() -> None:
    empty = Network(NAMES, ((),) * 5)
    nothing_found = compare_networks(empty, TRUE)
    assert (nothing_found.arc_precision, nothing_found.arc_recall) == (1.0, 0.0)
    assert (nothing_found.arc_f1, nothing_found.skeleton_f1, nothing_found.bsf) == (0, 0, 0)
    nothing_there = compare_networks(TRUE, empty)
    assert (nothing_there.arc_precision, nothing_there.arc_recall) == (0.0, 1.0)
    assert nothing_there.arc_f1 == 0


def test_different_variables() -> None:
    other = Network(("a", "b", "c", "x", "y", "z"), ((),) * 6)
    with pytest.raises(ForebearError) as caught:
        compare_networks(other, TRUE)
    assert str(caught.value) == (
        "the networks have different variables: only the learned network has x, y, z; "
        "only the true network has d, e"
    )
