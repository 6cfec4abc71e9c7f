"""Layouts: arcs lead down, nodes do not overlap, pictures keep a good shape."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from naive_layout import Arcs, graphs

from forebear.network.drawing.layout import NODE_HEIGHT, Layout, layout


def plain(n: int, arcs: Arcs) -> Layout:
    return layout(n, arcs, range(n), [60.0] * n)


@given(graphs(), st.data())
def test_arcs_that_follow_the_order_lead_down_and_nodes_stay_apart(
    graph: tuple[int, Arcs], data: st.DataObject
) -> None:
    n, arcs = graph
    order = data.draw(st.permutations(range(n)))
    widths = data.draw(st.lists(st.floats(10, 300), min_size=n, max_size=n))
    made = layout(n, arcs, order, widths)
    assert set(made.routes) == set(arcs)
    for (u, v), route in made.routes.items():
        assert (route[0], route[-1]) == (made.centers[u], made.centers[v])
        heights = [y for _, y in route]
        assert heights == sorted(heights, reverse=order.index(u) > order.index(v))
        assert len(set(heights)) == len(heights)
    assert sorted(made.centers) == list(range(n))
    for v, width in enumerate(widths):
        x, y = made.centers[v]
        assert width / 2 - 1e-6 <= x <= made.width - width / 2 + 1e-6
        assert NODE_HEIGHT / 2 - 1e-6 <= y <= made.height - NODE_HEIGHT / 2 + 1e-6
    for u, v in combinations(range(n), 2):
        (x, y), (other_x, other_y) = made.centers[u], made.centers[v]
        apart = abs(x - other_x) - (widths[u] + widths[v]) / 2
        assert apart > 1 or abs(y - other_y) > NODE_HEIGHT


def test_avoidable_crossings_are_removed() -> None:
    # Three parents over three children, given crosswise: no two arcs need to cross.
    made = plain(6, [(0, 5), (1, 4), (2, 3), (0, 4), (1, 3)])
    for (u, v), (a, b) in combinations(made.routes, 2):
        above = made.centers[u][0] - made.centers[a][0]
        below = made.centers[v][0] - made.centers[b][0]
        assert above * below >= 0
