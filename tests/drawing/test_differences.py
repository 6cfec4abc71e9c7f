"""The picture of two networks: every arc once, told apart by colour and by dashes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from strategies import networks

from forebear.drawing.differences import differences_svg
from forebear.network.comparison import compare_networks
from forebear.network.network import Network

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("a", "b", "c", "d", "e")
TRUE = Network.from_arcs(NAMES, [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")])
LEARNT = Network.from_arcs(NAMES, [("a", "c"), ("d", "c"), ("d", "e"), ("a", "b")])


def draw(learnt: Network, true: Network) -> str:
    return differences_svg(learnt, compare_networks(learnt, true), title="two networks")


def arcs_drawn(picture: str) -> dict[str, str]:
    """The class of every arc, by its ends."""
    groups = ElementTree.fromstring(picture).iter(f"{SVG}g")
    arcs = [group for group in groups if "data-arc" in group.attrib]
    drawn = {arc.attrib["data-arc"]: arc.attrib["class"].removeprefix("fb-arc fb-") for arc in arcs}
    assert len(drawn) == len(arcs)
    return drawn


def test_every_arc_is_drawn_as_what_it_is() -> None:
    assert arcs_drawn(draw(LEARNT, TRUE)) == {
        "0 2": "shared",
        "3 4": "shared",
        "3 2": "turned",
        "1 2": "missing",
        "0 1": "added",
    }


def test_the_legend_counts_what_there_is() -> None:
    picture = draw(LEARNT, TRUE)
    for line in ("in both (2)", "reversed, as learnt (1)", "only in the true network (1)"):
        assert f">{line}<" in picture
    assert ">in both (4)<" in draw(TRUE, TRUE)
    assert "only in" not in draw(TRUE, TRUE)


def test_kinds_differ_in_colour_and_in_dashes() -> None:
    picture = draw(LEARNT, TRUE)
    colours, dashes = set(), set()
    for kind in ("shared", "turned", "missing", "added"):
        rule = re.search(rf"\.fb-{kind}\{{--c:var\((.*?)\);?(.*?)\}}", picture)
        assert rule is not None
        colours.add(rule[1])
        dashes.add(rule[2])
    assert len(colours) == len(dashes) == 4


@given(networks(max_variables=5, min_variables=5), networks(max_variables=5, min_variables=5))
def test_any_two_networks_can_be_drawn(learnt: Network, true: Network) -> None:
    edges = set(learnt.skeleton()) | set(true.skeleton())
    assert len(arcs_drawn(draw(learnt, true))) == len(edges)
