"""Layered layout of a directed graph: the places of nodes and the routes of arcs.

Arcs lead down. Connected components are laid out one by one and packed in rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from forebear.network.drawing.layers import Layers
from forebear.network.graphs import reachable

Arc = tuple[int, int]
Point = tuple[float, float]

NODE_HEIGHT = 28.0
_GAP = 22.0

_SHAPE = 1.7
"""The ratio of width to height of a large picture."""


@dataclass
class Layout:
    """The centers of nodes, the points on the routes of arcs, and the total size."""

    centers: dict[int, Point]
    routes: dict[Arc, list[Point]]
    width: float
    height: float


def layout(
    n: int,
    arcs: Iterable[tuple[int, int]],
    order: Sequence[int],
    widths: Sequence[float],
) -> Layout:
    """Lay out the nodes 0 to n - 1 and the arcs between them.

    Arcs that follow ``order`` lead down, the others up; the graph need not be a DAG. An arc and
    its reverse have the same route.
    """
    rank = {v: k for k, v in enumerate(order)}
    # A layer of up to 1,000 units is never split.
    area = 3.5 * NODE_HEIGHT * sum(w + _GAP for w in widths)
    widest = max(1000.0, math.sqrt(_SHAPE * area))
    return _pack(
        [
            _draw_part(sorted(nodes, key=rank.__getitem__), inside, widths, widest)
            for nodes, inside in _components(n, sorted(arcs))
        ]
    )


def _components(n: int, arcs: Sequence[Arc]) -> list[tuple[set[int], list[Arc]]]:
    """Return the nodes and the arcs of every connected component."""
    near: list[list[int]] = [[] for _ in range(n)]
    for u, v in arcs:
        near[u].append(v)
        near[v].append(u)
    home: dict[int, int] = {}
    components: list[tuple[set[int], list[Arc]]] = []
    for v in range(n):
        if v not in home:
            nodes = reachable([v], near)
            home |= dict.fromkeys(nodes, len(components))
            components.append((nodes, []))
    for arc in arcs:
        components[home[arc[0]]][1].append(arc)
    return components


def _draw_part(nodes: list[int], arcs: list[Arc], widths: Sequence[float], widest: float) -> Layout:
    """Lay out one component; ``nodes`` are in the order that arcs should follow."""
    if not arcs:
        width = widths[nodes[0]]
        return Layout({nodes[0]: (width / 2, NODE_HEIGHT / 2)}, {}, width, NODE_HEIGHT)
    local = {v: k for k, v in enumerate(nodes)}
    # Each arc with its upper end first: from here on, all arcs lead down.
    downward = {(u, v): (min(local[u], local[v]), max(local[u], local[v])) for u, v in arcs}
    layers = Layers.of([widths[v] + _GAP for v in nodes], sorted(set(downward.values())), widest)
    x = layers.place()
    left = min(at - width / 2 for at, width in zip(x, layers.widths, strict=True))
    width = max(at + width / 2 for at, width in zip(x, layers.widths, strict=True)) - left
    # In wide pictures the layers are further apart, so that arcs are not too flat.
    ideal = width / (_SHAPE * len(layers.rows) * NODE_HEIGHT)
    distance = NODE_HEIGHT * min(6.0, max(2.75, ideal))
    height = (len(layers.rows) - 1) * distance + NODE_HEIGHT
    # In tall pictures of many nodes, arcs would overlap.
    stretch = min(3.0, max(1.0, height / width)) if len(nodes) > 40 else 1.0
    row_of = {v: r for r, row in enumerate(layers.rows) for v in row}
    spots = [
        ((at - left) * stretch, row_of[k] * distance + NODE_HEIGHT / 2) for k, at in enumerate(x)
    ]
    routes = {}
    for arc, (upper, lower) in downward.items():
        route = [spots[k] for k in layers.routes[upper, lower]]
        routes[arc] = route if local[arc[0]] == upper else route[::-1]
    centers = {v: spots[k] for v, k in local.items()}
    return Layout(centers, routes, width * stretch, height)


def _pack(parts: list[Layout]) -> Layout:
    """Put components side by side in rows, the tallest first."""
    whole = Layout({}, {}, 0.0, 0.0)
    area = sum((part.width + _GAP) * (part.height + _GAP) for part in parts)
    row_width = max(math.sqrt(_SHAPE * area), *(part.width for part in parts), 0.0)
    x = y = row_height = 0.0
    for part in sorted(parts, key=lambda part: -part.height):
        if x > 0 and x + part.width > row_width:
            x, y, row_height = 0.0, y + row_height + _GAP, 0.0
        whole.centers |= {v: (cx + x, cy + y) for v, (cx, cy) in part.centers.items()}
        whole.routes |= {
            arc: [(px + x, py + y) for px, py in route] for arc, route in part.routes.items()
        }
        whole.width = max(whole.width, x + part.width)
        whole.height = max(whole.height, y + part.height)
        x += part.width + _GAP
        row_height = max(row_height, part.height)
    return whole
