"""Pictures: every variable and arc is there, names are inert, classes are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from forebear import ForebearError, Network
from forebear.drawing.svg import ARC_CLASSES, network_svg

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

SVG = "{http://www.w3.org/2000/svg}"
NASTY = ('<script>alert("1")</script>', 'it\'s & "more"', "Обувь 鞋 👟", "a\x00b\x1bc\n", "")


@pytest.fixture
def collider() -> Network:
    return Network(("a", "b", "c", "d", "e"), ((), (), (0, 1), (), (3,)))


def parse(picture: str) -> Element:
    return ElementTree.fromstring(picture)


def of_class(root: Element, name: str) -> list[Element]:
    return [node for node in root.iter() if name in (node.get("class") or "").split()]


def test_variables_and_arcs_are_drawn(collider: Network) -> None:
    root = parse(network_svg(collider))
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Bayesian network: 5 variables and 3 arcs"
    nodes = of_class(root, "fb-node")
    assert [node.findtext(f"{SVG}text") for node in nodes] == list(collider.names)
    assert nodes[2].findtext(f"{SVG}title") == "c, parents: a, b"
    (view,) = of_class(root, "fb-view")
    drawn = {arc.get("data-arc"): arc.get("class") for arc in of_class(view, "fb-arc")}
    assert drawn == {
        "0 2": "fb-arc fb-compelled",
        "1 2": "fb-arc fb-compelled",
        "3 4": "fb-arc fb-reversible",
    }


def test_the_legend_names_what_is_drawn(collider: Network) -> None:
    (legend,) = of_class(parse(network_svg(collider)), "fb-legend")
    words = [node.text for node in legend.iter(f"{SVG}text")]
    assert words == [ARC_CLASSES["compelled"], ARC_CLASSES["reversible"]]
    assert not of_class(parse(network_svg(collider, legend={})), "fb-legend")


def test_two_networks_in_one_picture(collider: Network) -> None:
    classes = {(0, 2): "shared", (2, 0): "added", (2, 1): "turned", (3, 4): "missing"}
    root = parse(network_svg(collider, arc_classes=classes, legend={"shared": "ours"}))
    (view,) = of_class(root, "fb-view")
    assert {arc.get("data-arc") for arc in of_class(view, "fb-arc")} == {
        f"{u} {v}" for u, v in classes
    }
    assert [node.text for node in of_class(root, "fb-legend")[0].iter(f"{SVG}text")] == ["ours"]


def test_unknown_classes_are_refused(collider: Network) -> None:
    with pytest.raises(ForebearError, match='there is no class of arcs "x"'):
        network_svg(collider, arc_classes={(0, 2): "x"})


def test_names_are_inert() -> None:
    network = Network(NASTY, ((), (0,), (1,), (2,), ()))
    picture = network_svg(network, title=NASTY[0])
    root = parse(picture)
    assert "<script" not in picture
    assert root.findtext(f"{SVG}title") == NASTY[0]
    labels = [node.findtext(f"{SVG}text") for node in of_class(root, "fb-node")]
    assert labels == [*NASTY[:3], "a�b�c�", ""]


def test_long_names_are_cut_and_told_in_full() -> None:
    name = "x" * 100
    (node,) = of_class(parse(network_svg(Network((name,), ((),)))), "fb-node")
    label = node.findtext(f"{SVG}text")
    assert label is not None
    assert len(label) < 30
    assert label.endswith("…")
    assert node.findtext(f"{SVG}title") == f"{name}, parents: none"


def test_a_network_of_nothing() -> None:
    assert (
        parse(network_svg(Network((), ()))).get("aria-label", "").endswith("0 variables and 0 arcs")
    )
