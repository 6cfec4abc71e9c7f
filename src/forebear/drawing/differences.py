"""Drawing of a comparison: the arcs of two networks in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.drawing.svg import network_svg

if TYPE_CHECKING:
    from forebear.network.comparison import Comparison
    from forebear.network.network import Network

_DRAWN_AS = {
    "common": ("shared", "in both"),
    "reversed": ("turned", "reversed, as learnt"),
    "missing": ("missing", "only in the true network"),
    "extra": ("added", "only in the learnt network"),
}
"""The class in which each kind of arc is drawn, and its text in the legend."""


def differences_svg(learnt: Network, comparison: Comparison, *, title: str) -> str:
    """Draw the arcs of both networks of a comparison; those of the learnt one lead down."""
    classes: dict[tuple[int, int], str] = {}
    legend = {}
    for kind, (drawn_as, meaning) in _DRAWN_AS.items():
        arcs = getattr(comparison, kind)
        if arcs:
            legend[drawn_as] = f"{meaning} ({len(arcs):,})"
        for parent, child in arcs:
            classes[learnt.index(parent), learnt.index(child)] = drawn_as
    return network_svg(learnt, arc_classes=classes, legend=legend, title=title)
