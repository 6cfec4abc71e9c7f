"""Layouts: arcs lead down, nodes do not overlap, pictures keep a good shape."""

from __future__ import annotations

from itertools import combinations, pairwise

import naive_layout
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forebear.drawing.layering import Graph, assign_layers, reading_order
from forebear.drawing.layout import NODE_HEIGHT, layout
from forebear.drawing.placing import _isotonic

Arcs = list[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn, acyclic: bool = False) -> tuple[int, Arcs]:
    n = draw(st.integers(1, 12))
    pairs = [(u, v) for u in range(n) for v in range(n) if (u < v if acyclic else u != v)]
    arcs = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=30)) if pairs else []
    relabel = draw(st.permutations(range(n)))
    return n, [(relabel[u], relabel[v]) for u, v in arcs]


@given(graphs(acyclic=True))
def test_arcs_of_a_dag_lead_down(graph: tuple[int, Arcs]) -> None:
    n, arcs = graph
    made = layout(n, arcs)
    assert set(made.routes) == set(arcs)
    for (u, v), route in made.routes.items():
        assert route[0] == made.centres[u]
        assert route[-1] == made.centres[v]
        assert all(lower[1] > upper[1] for upper, lower in pairwise(route))


@given(graphs(), st.randoms(use_true_random=False))
def test_arcs_that_follow_the_order_lead_down_and_others_up(
    graph: tuple[int, Arcs], shuffler: st.DrawFn
) -> None:
    n, arcs = graph
    order = list(range(n))
    shuffler.shuffle(order)  # type: ignore[attr-defined]
    made = layout(n, arcs, order)
    for (u, v), route in made.routes.items():
        forward = order.index(u) < order.index(v)
        assert (route[-1][1] > route[0][1]) == forward
    routes = [
        route if route[0][1] < route[-1][1] else route[::-1] for route in made.routes.values()
    ]
    assert len(set(routes)) == len(routes), "an arc and its reverse lie on each other"


@given(graphs(), st.data())
def test_nodes_do_not_overlap_and_stay_inside(graph: tuple[int, Arcs], data: st.DataObject) -> None:
    n, arcs = graph
    widths = data.draw(st.lists(st.floats(10, 300), min_size=n, max_size=n))
    made = layout(n, arcs, widths=widths)
    for (x, y), width in zip(made.centres, widths, strict=True):
        assert width / 2 - 1e-6 <= x <= made.width - width / 2 + 1e-6
        assert NODE_HEIGHT / 2 - 1e-6 <= y <= made.height - NODE_HEIGHT / 2 + 1e-6
    for u, v in combinations(range(n), 2):
        (x, y), (other_x, other_y) = made.centres[u], made.centres[v]
        apart = abs(x - other_x) - (widths[u] + widths[v]) / 2
        assert apart > 1 or abs(y - other_y) > NODE_HEIGHT


@settings(max_examples=60)
@given(graphs(acyclic=True))
def test_arcs_are_as_short_as_they_can_be(graph: tuple[int, Arcs]) -> None:
    n, arcs = graph
    n, arcs = min(n, 5), [(u, v) for u, v in arcs if max(u, v) < 5]
    layer = assign_layers(Graph.of_arcs([1.0] * n, arcs), widest=100.0)
    assert all(layer[u] < layer[v] for u, v in arcs)
    assert sum(layer[v] - layer[u] for u, v in arcs) == naive_layout.shortest_layering(n, arcs)


def test_wide_layers_are_broken() -> None:
    n = 900
    star = layout(n, [(0, v) for v in range(1, n)])
    assert star.width < 5 * star.height
    alone = layout(n, [])
    assert 1 < alone.width / alone.height < 3
    layer = assign_layers(Graph.of_arcs([1.0] * 50, [(0, v) for v in range(1, 50)]), widest=10.0)
    assert max(np.bincount(layer)) <= 10


def test_the_order_of_a_cyclic_graph_lists_every_node_once() -> None:
    assert sorted(reading_order(4, [(0, 1), (1, 2), (2, 0), (2, 3)])) == [0, 1, 2, 3]


def test_crossings_that_need_not_be_are_removed() -> None:
    # Three parents over three children, given crosswise: no two arcs need to cross.
    made = layout(6, [(0, 5), (1, 4), (2, 3), (0, 4), (1, 3)])
    for (u, v), (a, b) in combinations(made.routes, 2):
        above = made.centres[u][0] - made.centres[a][0]
        below = made.centres[v][0] - made.centres[b][0]
        assert above * below >= 0


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=7),
)
def test_isotonic_regression(pairs: list[tuple[int, int]]) -> None:
    wanted = [float(a) for a, _ in pairs]
    weights = [float(b) for _, b in pairs]
    assert _isotonic(wanted, weights) == pytest.approx(naive_layout.isotonic(wanted, weights))
