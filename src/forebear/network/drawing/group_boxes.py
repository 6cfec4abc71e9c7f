"""Groups of variables as boxes, with lines for the arcs between them.

Linked boxes attract each other, all repel, and none overlap.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.html import escaped
from forebear._util.text import counted
from forebear.network.drawing.svg import brief, document, text_width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_SHAPE = 1.5
"""The ratio of width to height of the picture."""


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
    height, margin, widest_line = 54.0, 24.0, 9.0
    widths = [1.4 * max(map(text_width, pair)) + 20.0 for pair in zip(titles, remarks, strict=True)]
    places = spring_places([(width, height) for width in widths], links)
    halves = np.stack([np.array(widths) / 2, np.full(len(widths), height / 2)], axis=1)
    corner = (places - halves).min(axis=0) - margin
    size = (places + halves).max(axis=0) + margin - corner
    most = max(links.values(), default=1)
    drawn = []
    for (one, other), count in sorted(links.items()):
        (x1, y1), (x2, y2) = ([brief(at) for at in places[end].tolist()] for end in (one, other))
        wide = brief(max(1.0, widest_line * math.sqrt(count / most)))
        drawn.append(
            f'<g class="fb-arc" data-arc="{one} {other}">'
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke-width="{wide}" '
            'stroke-opacity="0.35"/></g>'
        )
    for k, (title, remark, width) in enumerate(zip(titles, remarks, widths, strict=True)):
        x, y = (brief(at) for at in places[k].tolist())
        drawn.append(
            f'<g class="fb-node" data-v="{k}" transform="translate({x} {y})">'
            f'<rect x="{brief(-width / 2)}" y="{brief(-height / 2)}" width="{brief(width)}" '
            f'height="{brief(height)}" rx="10"/>'
            f'<text class="fb-title" y="-4">{escaped(title)}</text>'
            f'<text class="fb-remark" y="16">{remark}</text></g>'
        )
    label = f"{counted(len(titles), 'group')} of variables"
    return document(
        (float(size[0]), float(size[1])),
        label,
        f"<title>{label}</title>",
        (float(-corner[0]), float(-corner[1])),
        drawn,
    )


def spring_places(
    sizes: Sequence[tuple[float, float]], links: Mapping[tuple[int, int], float], gap: float = 26.0
) -> NDArray[np.float64]:
    """Place boxes of these widths and heights; the heavier a link, the nearer its ends.

    Between two boxes there is a gap in which a line can be seen.

    The method is that of Fruchterman and Reingold (1991), from a circle, so that the same boxes
    get the same places. Boxes that overlap in the end are pushed apart.
    """
    linked = sorted({k for link in links for k in link})
    places = np.zeros((len(sizes), 2))
    boxes = np.array(sizes).reshape(-1, 2) + gap
    local = {k: place for place, k in enumerate(linked)}
    inner = {(local[one], local[other]): weight for (one, other), weight in links.items()}
    places[linked] = _linked_places(boxes[linked], inner)
    # What has no links stands in a row below.
    x, y = (places[linked].min(axis=0)[0], places[linked].max(axis=0)[1]) if linked else (0.0, 0.0)
    for k in sorted(set(range(len(sizes))) - set(linked)):
        places[k] = x + boxes[k, 0] / 2, y + boxes[:, 1].max()
        x += boxes[k, 0]
    return _apart(places, boxes)


def _linked_places(
    boxes: NDArray[np.float64], links: Mapping[tuple[int, int], float]
) -> NDArray[np.float64]:
    n = len(boxes)
    around = 2 * np.pi * np.arange(n) / max(n, 1)
    places = np.stack([np.cos(around), np.sin(around)], axis=1) * np.sqrt(n)
    pull = np.zeros((n, n))
    for (one, other), weight in links.items():
        pull[one, other] = pull[other, one] = np.sqrt(weight)
    pull /= max(pull.max(initial=0.0), 1e-12)
    for heat in np.linspace(0.5 * np.sqrt(n), 0.01, 300) if n > 1 else ():
        apart = places[:, None] - places[None]
        distance = np.sqrt((apart**2).sum(axis=2)) + 1e-9
        # A weak pull to the middle keeps parts without links between them together.
        force = (apart * (1 / distance**2 - pull * distance)[..., None]).sum(axis=1)
        force -= 0.4 * places
        length = np.sqrt((force**2).sum(axis=1, keepdims=True)) + 1e-9
        places += force / length * np.minimum(length, heat)
    scaled: NDArray[np.float64] = places * _spread(places, boxes)
    return scaled


def _spread(places: NDArray[np.float64], boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scale at which the boxes cover less than half of the picture."""
    extent = np.maximum(np.ptp(places, axis=0), 1e-9) if len(places) else np.ones(2)
    area = 2.4 * boxes.prod(axis=1).sum()
    height = np.sqrt(area / _SHAPE)
    scale: NDArray[np.float64] = np.array([_SHAPE * height, height]) / extent
    return scale


def _apart(places: NDArray[np.float64], boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Push boxes that overlap apart, along the direction in which they overlap less."""
    moved = True
    while moved:
        moved = False
        for one in range(len(places)):
            for other in range(one):
                away = places[one] - places[other]
                overlap = (boxes[one] + boxes[other]) / 2 - np.abs(away)
                if (overlap <= 1e-6).any():
                    continue
                axis = int(overlap.argmin())
                push = (overlap[axis] / 2 + 1e-3) * (1 if away[axis] >= 0 else -1)
                places[one, axis] += push
                places[other, axis] -= push
                moved = True
    return places
