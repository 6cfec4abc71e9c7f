"""Places for boxes without a direction: linked boxes attract, all repel, and none overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_ROUNDS = 300
_SHAPE = 1.5
"""The ratio of width to height of the picture."""

_GAP = 26.0
"""Least distance between two boxes, in which a line can be seen."""


def spring_places(
    sizes: Sequence[tuple[float, float]], links: Mapping[tuple[int, int], float]
) -> NDArray[np.float64]:
    """Place boxes of these widths and heights; the heavier a link, the nearer its ends.

    The method is that of Fruchterman and Reingold (1991), from a circle, so that the same boxes
    get the same places. Boxes that overlap in the end are pushed apart.
    """
    linked = sorted({k for link in links for k in link})
    places = np.zeros((len(sizes), 2))
    boxes = np.array(sizes).reshape(-1, 2) + _GAP
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
    for heat in np.linspace(0.5 * np.sqrt(n), 0.01, _ROUNDS) if n > 1 else ():
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
