"""Layered layout of a directed graph: the places of nodes and the routes of arcs.

Arcs lead down. Connected components are laid out one by one and packed in rows.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from forebear.network.drawing.layers import Graph, assign_layers
from forebear.network.drawing.placement import Layered, place
from forebear.network.graphs import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Arc = tuple[int, int]
    Point = tuple[float, float]

NODE_HEIGHT = 28.0
_GAP = 22.0

_SHAPE = 1.7
"""The ratio of width to height of a large picture."""


@dataclass
class Layout:
    """The centres of nodes, the points on the routes of arcs, and the total size."""

    centres: dict[int, Point]
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

    Arcs that follow ``order`` lead down, the others up; the graph need not be a
    DAG.
    """
    distinct = sorted({(u, v) for u, v in arcs if u != v})
    rank = {v: k for k, v in enumerate(order)}
    # A layer of up to 1,000 units is never split.
    area = 3.5 * NODE_HEIGHT * sum(w + _GAP for w in widths)
    widest = max(1000.0, math.sqrt(_SHAPE * area))
    return _pack(
        [
            _draw_part(sorted(nodes, key=rank.__getitem__), inside, widths, widest)
            for nodes, inside in _components(n, distinct)
        ]
    )


def _components(n: int, arcs: Sequence[Arc]) -> list[tuple[set[int], list[Arc]]]:
    """Return the nodes and the arcs of every connected component."""
    near: list[list[int]] = [[] for _ in range(n)]
    for u, v in arcs:
        near[u].append(v)
        near[v].append(u)
    home: dict[int, int] = {}
    found: list[tuple[set[int], list[Arc]]] = []
    for v in range(n):
        if v not in home:
            nodes = reachable([v], near)
            home |= dict.fromkeys(nodes, len(found))
            found.append((nodes, []))
    for arc in arcs:
        found[home[arc[0]]][1].append(arc)
    return found


def _draw_part(nodes: list[int], arcs: list[Arc], widths: Sequence[float], widest: float) -> Layout:
    """Lay out one component; ``nodes`` are in the order that arcs should follow."""
    if not arcs:
        width = widths[nodes[0]]
        return Layout({nodes[0]: (width / 2, NODE_HEIGHT / 2)}, {}, width, NODE_HEIGHT)
    local = {v: k for k, v in enumerate(nodes)}
    # Each arc with its upper end first, so that the rest need not handle arcs that lead up.
    sights = {(u, v): _downward(local[u], local[v]) for u, v in arcs}
    graph = Graph.of_arcs([widths[v] + _GAP for v in nodes], sorted(set(sights.values())))
    layered, chains = _with_bends(graph, assign_layers(graph, widest))
    x = place(layered)
    row_of = {v: r for r, row in enumerate(layered.rows) for v in row}
    left = min(x[k] - w / 2 for k, w in enumerate(layered.widths))
    width = max(x[k] + w / 2 for k, w in enumerate(layered.widths)) - left
    # In wide pictures the layers are further apart, so that arcs are not too flat.
    ideal = width / (_SHAPE * len(layered.rows) * NODE_HEIGHT)
    distance = NODE_HEIGHT * min(6.0, max(2.75, ideal))
    height = (len(layered.rows) - 1) * distance + NODE_HEIGHT
    # In tall pictures of many nodes, arcs would lie on each other.
    stretch = min(3.0, max(1.0, height / width)) if len(nodes) > 40 else 1.0
    left, width = left * stretch, width * stretch
    spots = [(x[k] * stretch - left, row_of[k] * distance + NODE_HEIGHT / 2) for k in range(len(x))]
    routes = {}
    for arc, sight in sights.items():
        route = [spots[k] for k in chains[sight]]
        if arc[::-1] in sights:
            route = _aside(route, 1 if arc[0] < arc[1] else -1)
        routes[arc] = route if local[arc[0]] == sight[0] else route[::-1]
    centres = {v: spots[k] for v, k in local.items()}
    return Layout(centres, routes, width, height)


def _downward(u: int, v: int) -> Arc:
    return (u, v) if u < v else (v, u)


def _aside(route: list[Point], side: int) -> list[Point]:
    """Bend a route a little, so that an arc and its reverse do not coincide."""
    if len(route) == 2:
        (x0, y0), (x1, y1) = route
        route = [route[0], ((x0 + x1) / 2, (y0 + y1) / 2), route[1]]
    return [route[0], *((x + 9.0 * side, y) for x, y in route[1:-1]), route[-1]]


def _with_bends(graph: Graph, layer: list[int]) -> tuple[Layered, dict[Arc, list[int]]]:
    """Give long arcs a bend in every layer on their way.

    In large graphs the longest arcs get none: their bends would make the
    picture too wide.
    """
    widths = list(graph.widths)
    rows: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for v, r in enumerate(layer):
        rows[r].append(v)
    arcs = [(u, v) for u, lower in enumerate(graph.below) for v in lower]
    reach = _reach([layer[v] - layer[u] for u, v in arcs], max(400, len(graph)))
    chains: dict[Arc, list[int]] = {}
    for u, v in arcs:
        chains[u, v] = [u, v]
        if 1 < layer[v] - layer[u] <= reach:
            bends = range(len(widths), len(widths) + layer[v] - layer[u] - 1)
            for r, bend in enumerate(bends, layer[u] + 1):
                rows[r].append(bend)
            widths += [14.0] * len(bends)
            chains[u, v] = [u, *bends, v]
    linked = Graph.of_arcs(widths, (link for chain in chains.values() for link in pairwise(chain)))
    bent = frozenset(range(len(graph), len(widths)))
    return Layered(rows, widths, linked.above, linked.below, bent), chains


def _reach(spans: list[int], most_bends: int) -> int:
    """Return the largest number of layers that an arc with bends may span."""
    reach = 1
    for span, count in sorted(Counter(spans).items()):
        most_bends -= (span - 1) * count
        if most_bends < 0:
            break
        reach = span
    return reach


def _pack(parts: list[Layout]) -> Layout:
    """Put components side by side in rows, the tallest first."""
    whole = Layout({}, {}, 0.0, 0.0)
    area = sum((part.width + _GAP) * (part.height + _GAP) for part in parts)
    row_width = max(math.sqrt(_SHAPE * area), *(part.width for part in parts), 0.0)
    x = y = row_height = 0.0
    for part in sorted(parts, key=lambda part: -part.height):
        if x > 0 and x + part.width > row_width:
            x, y, row_height = 0.0, y + row_height + _GAP, 0.0
        whole.centres |= {v: (cx + x, cy + y) for v, (cx, cy) in part.centres.items()}
        whole.routes |= {
            arc: [(px + x, py + y) for px, py in route] for arc, route in part.routes.items()
        }
        whole.width = max(whole.width, x + part.width)
        whole.height = max(whole.height, y + part.height)
        x += part.width + _GAP
        row_height = max(row_height, part.height)
    return whole
