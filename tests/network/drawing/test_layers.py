"""Layers: arcs lead down and are as short as they can be, no layer is too wide, and the isotonic
regression for the places in a layer is that by brute force."""

from __future__ import annotations

import naive_layout
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_layout import Arcs, graphs

from forebear.network.drawing.layers import assign_layers, isotonic


@settings(max_examples=60)
@given(graphs(acyclic=True))
def test_the_sum_of_the_lengths_of_arcs_is_minimal(graph: tuple[int, Arcs]) -> None:
    n, arcs = graph
    n, arcs = min(n, 5), [(u, v) for u, v in arcs if max(u, v) < 5]
    assume(arcs)
    layer = assign_layers([1.0] * n, arcs, widest=100.0)
    assert all(layer[u] < layer[v] for u, v in arcs)
    assert sum(layer[v] - layer[u] for u, v in arcs) == naive_layout.shortest_layering(n, arcs)


def test_wide_layers_are_split() -> None:
    layer = assign_layers([1.0] * 50, [(0, v) for v in range(1, 50)], widest=10.0)
    assert max(np.bincount(layer)) <= 10


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=7))
def test_isotonic_regression(pairs: list[tuple[int, int]]) -> None:
    wanted, weights = ([float(pair[k]) for pair in pairs] for k in (0, 1))
    assert isotonic(wanted, weights) == pytest.approx(naive_layout.isotonic(wanted, weights))
