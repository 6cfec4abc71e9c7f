"""Drawing of groups of variables as boxes, with lines for the arcs between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from forebear._util.text import counted
from forebear.drawing.springs import spring_places
from forebear.drawing.svg import STYLE, brief, markup, text_width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HEIGHT = 54.0
_MARGIN = 24.0
_WIDEST_LINE = 9.0


def groups_svg(
    titles: Sequence[str], counts: Sequence[int], links: Mapping[tuple[int, int], int]
) -> str:
    """Draw one box per group with its title and number of variables.

    Parameters
    ----------
    titles
        The title of every group.
    counts
        Its number of variables.
    links
        The number of arcs between two groups, in either direction. The more, the wider the line.

    Returns
    -------
    str
        An SVG element with the same classes as that of ``network_svg``.
    """
    remarks = [counted(count, "variable") for count in counts]
    sizes = [
        (1.4 * max(text_width(title), text_width(remark)) + 20.0, _HEIGHT)
        for title, remark in zip(titles, remarks, strict=True)
    ]
    places = spring_places(sizes, links)
    corners = [
        (x - width / 2, y - height / 2)
        for (x, y), (width, height) in zip(places, sizes, strict=True)
    ]
    left, top = (min(corner[axis] for corner in corners) - _MARGIN for axis in (0, 1))
    right = max(x + width / 2 for (x, _), (width, _) in zip(places, sizes, strict=True)) + _MARGIN
    bottom = max(y for _, y in places) + _HEIGHT / 2 + _MARGIN
    width, height = brief(right - left), brief(bottom - top)
    label = f"{counted(len(titles), 'group')} of variables"
    most = max(links.values(), default=1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="fb-network" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-label="{label}">',
        f"<title>{label}</title><style>{STYLE}</style>",
        '<rect class="fb-paper" width="100%" height="100%"/>',
        f'<g class="fb-view" transform="translate({brief(-left)} {brief(-top)})">',
    ]
    for (one, other), count in sorted(links.items()):
        ends = (*places[one], *places[other])
        x1, y1, x2, y2 = (brief(float(value)) for value in ends)
        wide = brief(max(1.0, _WIDEST_LINE * math.sqrt(count / most)))
        parts.append(
            f'<g class="fb-arc" data-arc="{one} {other}">'
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke-width="{wide}" '
            'stroke-opacity="0.35"/></g>'
        )
    for k, (title, remark, (x, y), (own, _)) in enumerate(
        zip(titles, remarks, places, sizes, strict=True)
    ):
        parts.append(
            f'<g class="fb-node" data-v="{k}" transform="translate({brief(float(x))} '
            f'{brief(float(y))})"><rect x="{brief(-own / 2)}" '
            f'y="{brief(-_HEIGHT / 2)}" width="{brief(own)}" '
            f'height="{brief(_HEIGHT)}" rx="10"/>'
            f'<text class="fb-title" y="-4">{markup(title)}</text>'
            f'<text class="fb-remark" y="16">{remark}</text></g>'
        )
    return "".join([*parts, "</g></svg>"])
