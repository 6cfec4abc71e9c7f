"""Groups of variables with more arcs within than between them, and their picture.

Groups are found by the Louvain method (Blondel et al., 2008): every node moves to the group that
raises modularity most, until none does; then the groups are the nodes of a smaller graph, and so
on.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.html import escaped
from forebear._util.text import counted
from forebear.network.drawing.svg import brief, document, text_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Weights = list[dict[int, float]]


def communities(n: int, arcs: Iterable[tuple[int, int]], fewest: int = 4) -> list[list[int]]:
    """Group the nodes 0 to n - 1, the largest group first.

    Directions do not matter. Groups of fewer than ``fewest`` nodes join the one they have the most
    arcs to. Small components form one group, and so do nodes without arcs.
    """
    links = _links(n, arcs)
    alone = [v for v in range(n) if not links[v]]
    groups = _louvain(links)
    connected = [group for group in groups if links[group[0]]]
    merged, loose = _without_small(connected, links, fewest)
    found = [*merged, *([loose] if loose else []), *([alone] if alone else [])]
    return sorted(found, key=lambda group: (-len(group), group))


def _links(n: int, arcs: Iterable[tuple[int, int]]) -> Weights:
    """Return the weight of the arcs between every node and its neighbours."""
    links: Weights = [defaultdict(float) for _ in range(n)]
    for u, v in arcs:
        links[u][v] += 1.0
        links[v][u] += 1.0
    return links


def _louvain(links: Weights) -> list[list[int]]:
    groups = [[v] for v in range(len(links))]
    # An arc within a group counts as a link of the group to itself, from both ends.
    while True:
        home = _move(links)
        if len(set(home)) == len(links):
            return groups
        place = {group: k for k, group in enumerate(dict.fromkeys(home))}
        joined: list[list[int]] = [[] for _ in place]
        smaller: Weights = [defaultdict(float) for _ in place]
        for v, group in enumerate(home):
            joined[place[group]] += groups[v]
            for u, weight in links[v].items():
                smaller[place[group]][place[home[u]]] += weight
        groups, links = [sorted(group) for group in joined], smaller


def _move(links: Weights) -> list[int]:
    """Move nodes between groups until modularity does not rise; return the group of each."""
    degree = [sum(own.values()) for own in links]
    total = sum(degree)
    home = list(range(len(links)))
    mass = dict(enumerate(degree))
    moved = total > 0
    while moved:
        moved = False
        for v, own in enumerate(links):
            mass[home[v]] -= degree[v]
            towards: dict[int, float] = defaultdict(float)
            for u, weight in own.items():
                if u != v:
                    towards[home[u]] += weight
            gain = {g: w - degree[v] * mass[g] / total for g, w in towards.items()}
            stay = gain.get(home[v], -degree[v] * mass[home[v]] / total)
            best = max(gain, key=lambda g: (gain[g], -g), default=home[v])
            # A gain that is only rounding moves no node: nodes might move in circles.
            if gain.get(best, stay) > stay + 1e-9:
                home[v], moved = best, True
            mass[home[v]] += degree[v]
    return home


def _without_small(
    groups: list[list[int]], links: Weights, fewest: int
) -> tuple[list[list[int]], list[int]]:
    """Let small groups join their neighbours; return also what lies in small components."""
    home = {v: k for k, group in enumerate(groups) for v in group}
    loose: list[int] = []
    for k in sorted(range(len(groups)), key=lambda k: len(groups[k])):
        if len(groups[k]) >= fewest:
            continue
        near = Counter(home[u] for v in groups[k] for u in links[v] if home[u] != k)
        if near:
            target = max(near, key=lambda g: (near[g], -g))
            groups[target] = sorted(groups[target] + groups[k])
            home |= dict.fromkeys(groups[k], target)
        else:
            loose += groups[k]
        groups[k] = []
    return [group for group in groups if group], sorted(loose)


def groups_svg(
    titles: Sequence[str], counts: Sequence[int], links: Mapping[tuple[int, int], int]
) -> str:
    """Draw one box per group with its title and number of variables.

    ``links`` are the numbers of arcs between two groups: the more, the wider the line. The SVG
    element has the same classes as that of ``network_svg``.
    """
    remarks = [counted(count, "variable") for count in counts]
    height, margin, widest_line = 54.0, 24.0, 9.0
    widths = [1.4 * max(map(text_width, pair)) + 20.0 for pair in zip(titles, remarks, strict=True)]
    boxes = np.array([(width, height) for width in widths])
    places = spring_places(boxes, links)
    corner = (places - boxes / 2).min(axis=0) - margin
    size = (places + boxes / 2).max(axis=0) + margin - corner
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
    about = f"<title>{label}</title>"
    return document(tuple(size.tolist()), label, about, tuple((-corner).tolist()), drawn)


def spring_places(
    boxes: NDArray[np.float64], links: Mapping[tuple[int, int], float], shape: float = 1.5
) -> NDArray[np.float64]:
    """Place boxes of given widths and heights; the heavier a link, the nearer its ends.

    The method is that of Fruchterman and Reingold (1991), from a circle, so that the same boxes
    get the same places. Boxes that overlap in the end are pushed apart. ``shape`` is the ratio of
    width to height of the picture.
    """
    boxes = boxes + 26.0  # a gap in which a line can be seen
    n = len(boxes)
    around = 2 * np.pi * np.arange(n) / n
    places = np.stack([np.cos(around), np.sin(around)], axis=1) * np.sqrt(n)
    pull = np.zeros((n, n))
    for (one, other), weight in links.items():
        pull[one, other] = pull[other, one] = weight
    # Without a link there is a weak pull, too, so that no box is far from the others.
    pull = np.maximum(np.sqrt(pull / max(pull.max(), 1.0)), 0.1)
    for heat in np.linspace(0.5 * np.sqrt(n), 0.01, 300):
        apart = places[:, None] - places[None]
        distance = np.sqrt((apart**2).sum(axis=2)) + 1e-9
        force = (apart * (1 / distance**2 - pull * distance)[..., None]).sum(axis=1)
        length = np.sqrt((force**2).sum(axis=1, keepdims=True)) + 1e-9
        places += force / length * np.minimum(length, heat)
    # Scaled so that the boxes cover less than half of the picture.
    height = np.sqrt(2.4 * boxes.prod(axis=1).sum() / shape)
    places *= np.array([shape * height, height]) / np.maximum(np.ptp(places, axis=0), 1.0)
    return _push_apart(places, boxes)


def _push_apart(places: NDArray[np.float64], boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Push boxes that overlap apart, along the direction in which they overlap less."""
    moved = True
    while moved:
        moved = False
        for one, other in itertools.combinations(range(len(places)), 2):
            away = places[one] - places[other]
            overlap = (boxes[one] + boxes[other]) / 2 - np.abs(away)
            if (overlap > 1e-6).all():
                axis = int(overlap.argmin())
                push = math.copysign(overlap[axis] / 2 + 1e-3, away[axis])
                places[one, axis] += push
                places[other, axis] -= push
                moved = True
    return places
