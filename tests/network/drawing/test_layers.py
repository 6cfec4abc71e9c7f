"""Layers: arcs lead down and are as short as they can be; no layer is too wide."""

from __future__ import annotations

import naive_layout
import numpy as np
from hypothesis import given, settings
from naive_layout import Arcs, graphs

from forebear.network.drawing.layers import Graph, assign_layers


@settings(max_examples=60)
@given(graphs(acyclic=True))
def test_arcs_are_as_short_as_they_can_be(graph: tuple[int, Arcs]) -> None:
    n, arcs = graph
    n, arcs = min(n, 5), [(u, v) for u, v in arcs if max(u, v) < 5]
    layer = assign_layers(Graph.of_arcs([1.0] * n, arcs), widest=100.0)
    assert all(layer[u] < layer[v] for u, v in arcs)
    assert sum(layer[v] - layer[u] for u, v in arcs) == naive_layout.shortest_layering(n, arcs)


def test_wide_layers_are_broken() -> None:
    layer = assign_layers(Graph.of_arcs([1.0] * 50, [(0, v) for v in range(1, 50)]), widest=10.0)
    assert max(np.bincount(layer)) <= 10
