"""Groups: every node is in one group that follows the arcs; their boxes do not overlap."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forebear.network.drawing.groups import communities, groups_svg, spring_places


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


@given(st.integers(1, 14), st.data())
def test_boxes_do_not_overlap(n: int, data: st.DataObject) -> None:
    sizes = np.array([(data.draw(st.floats(30, 300)), 50.0) for _ in range(n)])
    pairs = list(itertools.combinations(range(n), 2))
    linked = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    places = spring_places(sizes, {pair: data.draw(st.integers(1, 9)) for pair in linked})
    assert np.isfinite(places).all()
    for one, other in pairs:
        apart = np.abs(places[one] - places[other])
        needed = (sizes[one] + sizes[other]) / 2
        assert (apart >= needed).any(), (one, other)


def test_all_groups_and_links_are_drawn() -> None:
    picture = ElementTree.fromstring(
        groups_svg(["<one>", "two & three", "alone"], [12, 1, 2], {(0, 1): 4})
    )
    space = "{http://www.w3.org/2000/svg}"
    boxes = [g for g in picture.iter(f"{space}g") if g.get("class") == "fb-node"]
    assert [[text.text for text in box.iter(f"{space}text")] for box in boxes] == [
        ["<one>", "12 variables"],
        ["two & three", "1 variable"],
        ["alone", "2 variables"],
    ]
    assert [g.get("data-arc") for g in picture.iter(f"{space}g") if g.get("data-arc")] == ["0 1"]
    width, height = (float(picture.attrib[name]) for name in ("width", "height"))
    assert picture.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
