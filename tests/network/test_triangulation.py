"""Triangulation on graphs with known treewidth, and on random ones."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear.network.triangulation import TooManyCellsError, triangulate


def test_a_grid_has_the_width_of_its_shorter_side() -> None:
    across = [(10 * row + k, 10 * row + k + 1) for row in range(4) for k in range(9)]
    down = [(10 * row + k, 10 * row + k + 10) for row in range(3) for k in range(10)]
    tree = triangulate(dict.fromkeys(range(40), 2), [*across, *down])
    assert max(map(len, tree.cliques)) == 5


def test_ties_go_to_the_smaller_clique() -> None:
    # Cutting the square along either diagonal adds one edge.
    tree = triangulate({0: 9, 1: 2, 2: 9, 3: 2}, [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert sorted(tree.cliques) == [(0, 1, 3), (1, 2, 3)]


def test_a_clique_with_too_many_cells_is_named() -> None:
    edges = list(combinations(range(5), 2))
    triangulate(dict.fromkeys(range(5), 2), edges, most_cells=32)
    with pytest.raises(TooManyCellsError) as caught:
        triangulate(dict.fromkeys(range(5), 2), edges, most_cells=31)
    assert sorted(caught.value.clique) == [0, 1, 2, 3, 4]


@given(st.integers(1, 9), st.data())
def test_cliques_cover_the_edges_and_none_holds_another(n: int, data: st.DataObject) -> None:
    edges = data.draw(st.sets(st.sampled_from([*combinations(range(n + 1), 2)])))
    last = data.draw(st.sets(st.sampled_from(range(n + 1)), max_size=3))
    tree = triangulate(dict.fromkeys(range(n + 1), 2), edges, last=last)
    assert sorted(tree.order) == list(range(n + 1))
    assert last <= {*tree.cliques[0]}
    for edge in edges:
        assert any({*edge} <= {*clique} for clique in tree.cliques)
    for one, other in combinations(tree.cliques, 2):
        assert len({*one} | {*other}) > max(len(one), len(other))
    for v, home in tree.homes.items():
        later = {u for u in tree.order[tree.order.index(v) :] if {v, u} in map(set, edges)}
        assert {v, *later} <= {*tree.cliques[home]}
