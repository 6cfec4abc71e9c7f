"""The picture of groups: boxes do not overlap, and all groups and links are there."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forebear.network.drawing.group_boxes import groups_svg, spring_places


@given(st.integers(1, 14), st.data())
def test_boxes_do_not_overlap(n: int, data: st.DataObject) -> None:
    sizes = [(data.draw(st.floats(30, 300)), 50.0) for _ in range(n)]
    pairs = list(combinations(range(n), 2))
    linked = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    places = spring_places(sizes, {pair: data.draw(st.integers(1, 9)) for pair in linked})
    assert np.isfinite(places).all()
    for one, other in pairs:
        apart = np.abs(places[one] - places[other])
        needed = (np.array(sizes[one]) + np.array(sizes[other])) / 2
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
