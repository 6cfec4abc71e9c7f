"""Communities: every node is in one group, groups follow the arcs, and modularity is high."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from forebear.network.drawing.communities import communities


def cliques(count: int, size: int) -> list[tuple[int, int]]:
    """Complete graphs in a ring, one arc between each and the next."""
    arcs = [
        (k * size + u, k * size + v)
        for k in range(count)
        for u, v in itertools.combinations(range(size), 2)
    ]
    return arcs + [(k * size, ((k + 1) % count) * size + 1) for k in range(count)]


@given(st.integers(0, 30), st.data())
def test_every_node_is_in_one_group(n: int, data: st.DataObject) -> None:
    pairs = [(u, v) for v in range(n) for u in range(v)]
    arcs = data.draw(st.lists(st.sampled_from(pairs), unique=True, max_size=60)) if pairs else []
    groups = communities(n, arcs)
    assert sorted(v for group in groups for v in group) == list(range(n))
    assert [len(group) for group in groups] == sorted(map(len, groups), reverse=True)
    assert groups == communities(n, [(v, u) for u, v in reversed(arcs)]), "directions do not matter"


def test_cliques_in_a_ring_are_found() -> None:
    groups = communities(30, cliques(5, 6))
    assert sorted(groups) == [list(range(k, k + 6)) for k in range(0, 30, 6)]


def test_small_groups_join_their_neighbours() -> None:
    # A pair hangs on a clique; another pair stands alone, and so do two nodes without arcs.
    arcs = [*itertools.combinations(range(5), 2), (4, 5), (5, 6), (7, 8)]
    assert communities(11, arcs) == [[0, 1, 2, 3, 4, 5, 6], [7, 8], [9, 10]]
