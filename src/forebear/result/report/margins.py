"""What the report shows about the margins of the arcs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebear._util.text import counted
from forebear.result.arc_margins import LEVELS

if TYPE_CHECKING:
    from forebear.result.arc_margins import ArcMargin, ArcMargins


class MarginLevel(NamedTuple):
    """A line of the key: how arcs are drawn, what it means, and how many there are."""

    width: str
    meaning: str
    arcs: str


def arc_widths(margins: ArcMargins | None) -> dict[tuple[int, int], str]:
    """Return the width of every arc that is not drawn as usual, by what is proven."""
    if margins is None:
        return {}
    widths = {(one.parent, one.child): _width(one.margin) for one in margins.of_kind("edge")}
    return {arc: width for arc, width in widths.items() if width}


def _width(margin: float) -> str:
    return "strong" if margin >= LEVELS[0] else "" if margin >= LEVELS[1] else "open"


def margin_levels(margins: ArcMargins | None) -> list[MarginLevel]:
    """Return the key of the widths."""
    if margins is None:
        return []
    widths = [_width(one.margin) for one in margins.of_kind("edge")]
    high, low = LEVELS
    meanings = {
        "strong": f"edge needed by at least {high:g} nats: proven",
        "": f"needed by at least {low:g} nats: proven",
        "open": f"open: not proven, or needed by less than {low:g} nats",
    }
    return [
        MarginLevel(width, meaning, counted(widths.count(width), "edge"))
        for width, meaning in meanings.items()
        if width in widths
    ]


def margin_rows(margins: ArcMargins | None) -> list[tuple[int, int, float, str]] | None:
    """Return parent, child, margin and its text for every edge; a huge number is infinite."""
    if margins is None:
        return None
    return [
        (one.parent, one.child, min(one.margin, 1e308), _text(one))
        for one in margins.of_kind("edge")
    ]


def _text(one: ArcMargin) -> str:
    if one.margin == float("inf"):
        return "all"
    return f"{one.margin:,.2f}" if one.exact else f"≥ {one.margin:,.2f}"
