"""Averages of networks against brute force, and the averaged network."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import naive_averages
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import networks

from forebear import ForebearError, averaged_network
from forebear.network.averages import average

NAMES = ("a", "b", "c", "d")
CHAIN = ((), (0,), (1,), (2,))
FORK = ((), (0,), (0,), (0,))
COLLIDER = ((), (), (), (0, 1, 2))


@st.composite
def some_networks(draw: st.DrawFn) -> list[Any]:
    """Draw networks over the same variables, some of them several times."""
    n = draw(st.integers(1, 5))
    drawn = draw(st.lists(networks(max_variables=n, min_variables=n), min_size=1, max_size=6))
    return [network.parents for network in drawn for _ in range(draw(st.integers(1, 3)))]


@settings(max_examples=200, deadline=None)
@given(some_networks(), st.floats(0.05, 1.0))
def test_averages_equal_brute_force(found: list[Any], threshold: float) -> None:
    n = len(found[0])
    averages = average([f"X{v}" for v in range(n)], found)
    expected = naive_averages.feature_probabilities(found, [Fraction(1)] * len(found))
    for ours, theirs in zip(
        (averages.arcs, averages.edges, averages.blankets), expected, strict=True
    ):
        assert ours.keys() == {pair for pair, share in theirs.items() if share}
        for pair, share in theirs.items():
            assert ours.get(pair, 0.0) == pytest.approx(float(share))
            # What all networks have is certain, to the last bit.
            assert (ours.get(pair) == 1.0) == (share == 1)
    made = averaged_network(averages, threshold)
    names = made.names
    likely = {e for e, share in averages.edges.items() if share >= threshold}
    assert set(made.skeleton()) == {(names[a], names[b]) for a, b in likely}
    assert set(made.arcs) == naive_averages.averaged_arcs(
        n, averages.arcs, averages.edges, threshold
    )


def test_names_ties_and_cycles() -> None:
    averages = average(NAMES, [*[CHAIN] * 3, FORK, *[COLLIDER] * 3])
    assert averages.arc("a", "b") == averages.edge("b", "a") == pytest.approx(4 / 7)
    assert averages.arc(0, 3) == averages.blanket("d", "a") == pytest.approx(4 / 7)
    assert averages.arc("b", "a") == 0.0
    assert averages.blanket("a", "b") == 1.0
    with pytest.raises(ForebearError, match='no variable is called "e"'):
        averages.arc("e", "a")
    tied = average(NAMES, [CHAIN, COLLIDER])
    assert set(averaged_network(tied).arcs) == {(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)}
    assert averaged_network(tied, 0.51).arcs == ((2, 3),)
    # Three arcs of two thirds make a cycle: the least probable one is turned round.
    found = [((), (0,), (1,)), ((2,), (), (1,)), ((2,), (0,), ())]
    cyclic = average(NAMES[:3], [*[found[0]] * 6, *[found[1]] * 4, *[found[2]] * 5])
    assert cyclic.arc(0, 1) > cyclic.arc(1, 2) > cyclic.arc(2, 0) > 0.5
    assert averaged_network(cyclic).arcs == ((0, 1), (0, 2), (1, 2))


def test_invalid_thresholds_are_rejected() -> None:
    averages = average(NAMES, [CHAIN])
    for threshold in (0.0, -1.0, 1.1):
        with pytest.raises(ForebearError, match=r"threshold must be in \(0, 1\]"):
            averaged_network(averages, threshold)
    with pytest.raises(ForebearError, match="threshold must be a number, got nan"):
        averaged_network(averages, math.nan)


def test_how_averages_are_shown() -> None:
    averages = average(NAMES, [*[CHAIN] * 3, FORK])
    frame = averages.to_frame()
    assert frame.columns == ["parent", "child", "probability", "either_direction"]
    assert frame.row(0) == ("a", "b", 1.0, 1.0)
    assert frame["probability"].is_sorted(descending=True)
    assert repr(averages).startswith("Averages of 4 networks of 4 variables\n  arcs: 5, of which 3")
    assert "most probable: a -> b 1.00" in repr(averages)
    assert "<th>either direction</th>" in averages._repr_html_()
    empty = average(NAMES, [((),) * 4])
    assert empty.to_frame().is_empty()
    assert repr(empty).endswith("arcs: 0, of which 0 have a probability of at least 0.5")
