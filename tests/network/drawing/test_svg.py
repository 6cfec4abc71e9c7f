"""Pictures: all variables and arcs are drawn, names are escaped, classes are distinguishable."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from results import random_dag, result_of
from strategies import networks

from forebear import ForebearError, Network, compare_networks
from forebear.network.drawing.svg import ARC_CLASSES, differences_svg, network_svg

SVG = "{http://www.w3.org/2000/svg}"
NASTY = ('<script>alert("1")</script>', 'it\'s & "more"', "Обувь 鞋 👟", "a\x00b\x1bc\n", "")
COLLIDER = Network(("a", "b", "c", "d", "e"), ((), (), (0, 1), (), (3,)))
TRUE = Network.from_arcs(COLLIDER.names, [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")])
LEARNED = Network.from_arcs(COLLIDER.names, [("a", "c"), ("d", "c"), ("d", "e"), ("a", "b")])


def of_class(root: Element, name: str) -> list[Element]:
    return [node for node in root.iter() if name in (node.get("class") or "").split()]


def arcs_drawn(picture: str) -> dict[str, str]:
    """The class of every arc, by its ends."""
    arcs = [g for g in ElementTree.fromstring(picture).iter(f"{SVG}g") if "data-arc" in g.attrib]
    drawn = {arc.attrib["data-arc"]: arc.attrib["class"].removeprefix("fb-arc fb-") for arc in arcs}
    assert len(drawn) == len(arcs)
    return drawn


def legend_of(picture: str) -> list[str | None]:
    (legend,) = of_class(ElementTree.fromstring(picture), "fb-legend")
    return [node.text for node in legend.iter(f"{SVG}text")]


def compared(learned: Network, true: Network) -> str:
    return differences_svg(learned, compare_networks(learned, true), title="two networks")


def test_variables_and_arcs_are_drawn_with_a_legend() -> None:
    picture = network_svg(COLLIDER)
    root = ElementTree.fromstring(picture)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Bayesian network: 5 variables and 3 arcs"
    nodes = of_class(root, "fb-node")
    assert [node.findtext(f"{SVG}text") for node in nodes] == list(COLLIDER.names)
    assert nodes[2].findtext(f"{SVG}title") == "c, parents: a, b"
    assert arcs_drawn(picture) == {"0 2": "compelled", "1 2": "compelled", "3 4": "reversible"}
    assert legend_of(picture) == [ARC_CLASSES["compelled"], ARC_CLASSES["reversible"]]
    assert 'class="fb-legend"' not in network_svg(COLLIDER, legend={})
    assert "0 variables and 0 arcs" in network_svg(Network((), ()))


def test_arcs_of_any_class_may_form_cycles() -> None:
    classes = {(0, 2): "shared", (2, 0): "added", (2, 1): "turned", (3, 4): "missing"}
    picture = network_svg(COLLIDER, arc_classes=classes, legend={"shared": "ours"})
    assert arcs_drawn(picture) == {f"{u} {v}": name for (u, v), name in classes.items()}
    assert legend_of(picture) == ["ours"]
    with pytest.raises(ForebearError, match='there is no class of arcs "x"'):
        network_svg(COLLIDER, arc_classes={(0, 2): "x"})


def test_names_are_inert_and_long_ones_are_cut() -> None:
    picture = network_svg(Network(NASTY, ((), (0,), (1,), (2,), ())), title=NASTY[0])
    root = ElementTree.fromstring(picture)
    assert "<script" not in picture
    assert root.findtext(f"{SVG}title") == NASTY[0]
    labels = [node.findtext(f"{SVG}text") for node in of_class(root, "fb-node")]
    assert labels == [*NASTY[:3], "a�b�c�", ""]
    name = "x" * 100
    root = ElementTree.fromstring(network_svg(Network((name,), ((),))))
    (node,) = of_class(root, "fb-node")
    assert node.findtext(f"{SVG}text") == "x" * 27 + "…"
    assert node.findtext(f"{SVG}title") == f"{name}, parents: none"


def test_differences_are_drawn_and_counted() -> None:
    picture = compared(LEARNED, TRUE)
    shared = {"0 2": "shared", "3 4": "shared"}
    assert arcs_drawn(picture) == shared | {"3 2": "turned", "1 2": "missing", "0 1": "added"}
    assert legend_of(picture) == [
        *("in both (2)", "reversed, as learned (1)"),
        *("only in the true network (1)", "only in the learned network (1)"),
    ]
    assert legend_of(compared(TRUE, TRUE)) == ["in both (4)"]
    rules = [
        re.search(rf"\.fb-{kind}\{{--c:var\((.*?)\);?(.*?)\}}", picture)
        for kind in ("shared", "turned", "missing", "added")
    ]
    assert len({rule and rule[1] for rule in rules}) == 4, "colors differ"
    assert len({rule and rule[2] for rule in rules}) == 4, "dashes differ"


@given(networks(max_variables=5, min_variables=5), networks(max_variables=5, min_variables=5))
def test_any_two_networks_can_be_drawn(learned: Network, true: Network) -> None:
    edges = set(learned.skeleton()) | set(true.skeleton())
    assert len(arcs_drawn(compared(learned, true))) == len(edges)


def test_networks_show_a_picture_unless_they_are_large() -> None:
    small, large = random_dag(20, 3), random_dag(200, 3)
    assert "<svg" in small._repr_html_()
    assert "<svg" not in large._repr_html_()
    assert "200 variables" in large._repr_html_()


def test_names_are_inert() -> None:
    for copies in (1, 40):
        names = tuple(f"{name}{k}" for name in NASTY for k in range(copies))
        result = result_of(Network(names, ((),) * len(names)), algorithm=NASTY[0])
        for shown in (result._repr_html_(), result.network._repr_html_()):
            assert "<script" not in shown
            assert "<img" not in shown
