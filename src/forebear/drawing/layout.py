"""Layered layout of a directed graph: the places of nodes and the routes of arcs.

Arcs lead down. Connected components are laid out one by one and packed side by
side; nodes without arcs form a grid below.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from forebear.drawing.layering import Graph, assign_layers, reading_order
from forebear.drawing.placing import Layered, place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Arc = tuple[int, int]
    Point = tuple[float, float]

NODE_HEIGHT = 28.0
_GAP = 22.0
_BEND_WIDTH = 14.0
_DEFAULT_WIDTH = 60.0

_SHAPE = 1.7
"""The ratio of width to height of a large picture."""

_ALWAYS_FITS = 1000.0
"""The width up to which no layer is split."""

_FEW_BENDS = 400

_MANY = 40
"""More nodes than this fill a picture, so that a tall one is worth stretching."""


@dataclass(frozen=True)
class Layout:
    """The centre of every node, the points on the route of every arc, and the total size."""

    centres: tuple[Point, ...]
    routes: dict[Arc, tuple[Point, ...]]
    width: float
    height: float


@dataclass
class _Part:
    """A component with its top left corner at the origin."""

    centres: dict[int, Point]
    routes: dict[Arc, list[Point]]
    width: float
    height: float


def layout(
    n: int,
    arcs: Iterable[tuple[int, int]],
    order: Sequence[int] | None = None,
    *,
    widths: Sequence[float] | None = None,
    quick: bool = False,
) -> Layout:
    """Lay out the nodes 0 to n - 1 and the arcs between them.

    Arcs that follow ``order`` lead down, the others up; the graph need not be a
    DAG. Without an order, one is found that all arcs of a DAG follow. ``quick``
    takes less time and leaves more crossings.
    """
    distinct = sorted({(u, v) for u, v in arcs if u != v})
    widths = [_DEFAULT_WIDTH] * n if widths is None else widths
    rank = [0] * n
    for k, v in enumerate(reading_order(n, distinct) if order is None else order):
        rank[v] = k
    nodes_of, arcs_of = _parts(n, distinct)
    alone = [nodes[0] for nodes in nodes_of if len(nodes) == 1]
    widest = max(
        _ALWAYS_FITS, math.sqrt(_SHAPE * 3.5 * NODE_HEIGHT * sum(w + _GAP for w in widths))
    )
    drawn = [
        _draw_part(sorted(nodes, key=rank.__getitem__), arcs_of[nodes[0]], widths, widest, quick)
        for nodes in nodes_of
        if len(nodes) > 1
    ]
    packed = _pack(drawn)
    if alone:
        packed = _stack(packed, _grid(alone, widths, max(packed.width, _grid_width(alone, widths))))
    return Layout(
        tuple(packed.centres[v] for v in range(n)),
        {arc: tuple(points) for arc, points in packed.routes.items()},
        packed.width,
        packed.height,
    )


def _parts(n: int, arcs: Sequence[Arc]) -> tuple[list[list[int]], dict[int, list[Arc]]]:
    """Split into connected components; the arcs of each have its first node as the key."""
    part = list(range(n))

    def find(v: int) -> int:
        while part[v] != v:
            part[v] = part[part[v]]
            v = part[v]
        return v

    for u, v in arcs:
        a, b = find(u), find(v)
        part[max(a, b)] = min(a, b)
    nodes: dict[int, list[int]] = {}
    for v in range(n):
        nodes.setdefault(find(v), []).append(v)
    arcs_of: dict[int, list[Arc]] = {root: [] for root in nodes}
    for u, v in arcs:
        arcs_of[find(u)].append((u, v))
    return list(nodes.values()), arcs_of


def _draw_part(
    nodes: list[int], arcs: list[Arc], widths: Sequence[float], widest: float, quick: bool
) -> _Part:
    """Lay out one component; ``nodes`` are in the order that arcs should follow."""
    local = {v: k for k, v in enumerate(nodes)}
    # Each arc with its upper end first, so that the rest need not handle arcs that lead up.
    sights = {(u, v): _downward(local[u], local[v]) for u, v in arcs}
    graph = Graph.of_arcs([widths[v] + _GAP for v in nodes], sorted(set(sights.values())))
    layered, chains = _with_bends(graph, assign_layers(graph, widest))
    x = place(layered, quick=quick)
    row_of = {v: r for r, row in enumerate(layered.rows) for v in row}
    left = min(x[k] - w / 2 for k, w in enumerate(layered.widths))
    width = max(x[k] + w / 2 for k, w in enumerate(layered.widths)) - left
    # In wide pictures the layers are further apart, so that arcs are not too flat.
    ideal = width / (_SHAPE * len(layered.rows) * NODE_HEIGHT)
    distance = NODE_HEIGHT * min(6.0, max(2.75, ideal))
    height = (len(layered.rows) - 1) * distance + NODE_HEIGHT
    # In tall pictures of many nodes, arcs would lie on each other.
    stretch = min(3.0, max(1.0, height / width)) if len(nodes) > _MANY else 1.0
    left, width = left * stretch, width * stretch
    spots = [(x[k] * stretch - left, row_of[k] * distance + NODE_HEIGHT / 2) for k in range(len(x))]
    routes = {}
    for arc, sight in sights.items():
        route = [spots[k] for k in chains[sight]]
        if arc[::-1] in sights:
            route = _aside(route, 1 if arc[0] < arc[1] else -1)
        routes[arc] = route if local[arc[0]] == sight[0] else route[::-1]
    centres = {v: spots[k] for v, k in local.items()}
    return _Part(centres, routes, width, height)


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
    reach = _reach([layer[v] - layer[u] for u, v in arcs], max(_FEW_BENDS, len(graph)))
    chains: dict[Arc, list[int]] = {}
    for u, v in arcs:
        chains[u, v] = [u, v]
        if 1 < layer[v] - layer[u] <= reach:
            bends = range(len(widths), len(widths) + layer[v] - layer[u] - 1)
            for r, bend in enumerate(bends, layer[u] + 1):
                rows[r].append(bend)
            widths += [_BEND_WIDTH] * len(bends)
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


def _pack(parts: list[_Part]) -> _Part:
    """Put components side by side in rows, the tallest first."""
    if not parts:
        return _Part({}, {}, 0.0, 0.0)
    apart = 2 * _GAP
    area = sum((part.width + apart) * (part.height + apart) for part in parts)
    shelf_width = max(max(part.width for part in parts), math.sqrt(_SHAPE * area))
    whole = _Part({}, {}, 0.0, 0.0)
    x = y = shelf_height = 0.0
    for part in sorted(parts, key=lambda part: -part.height):
        if x > 0 and x + part.width > shelf_width:
            x, y, shelf_height = 0.0, y + shelf_height + apart, 0.0
        _put(whole, part, x, y)
        x += part.width + apart
        shelf_height = max(shelf_height, part.height)
    return whole


def _stack(top: _Part, bottom: _Part) -> _Part:
    """Put one part below the other, both centred."""
    if not top.centres:
        return bottom
    whole = _Part({}, {}, 0.0, 0.0)
    width = max(top.width, bottom.width)
    _put(whole, top, (width - top.width) / 2, 0.0)
    _put(whole, bottom, (width - bottom.width) / 2, top.height + 2 * NODE_HEIGHT)
    return whole


def _put(whole: _Part, part: _Part, x: float, y: float) -> None:
    whole.centres |= {v: (cx + x, cy + y) for v, (cx, cy) in part.centres.items()}
    whole.routes |= {
        arc: [(px + x, py + y) for px, py in points] for arc, points in part.routes.items()
    }
    whole.width = max(whole.width, x + part.width)
    whole.height = max(whole.height, y + part.height)


def _grid_width(nodes: list[int], widths: Sequence[float]) -> float:
    """Choose the width of a grid with a good shape."""
    cell = max(widths[v] for v in nodes) + _GAP
    return max(cell, math.sqrt(_SHAPE * len(nodes) * cell * 1.5 * NODE_HEIGHT))


def _grid(nodes: list[int], widths: Sequence[float], width: float) -> _Part:
    """Put nodes without arcs in rows and columns."""
    cell = max(widths[v] for v in nodes) + _GAP
    columns = min(len(nodes), max(1, int((width + _GAP) // cell)))
    step = 1.5 * NODE_HEIGHT
    centres = {
        v: ((k % columns) * cell + (cell - _GAP) / 2, (k // columns) * step + NODE_HEIGHT / 2)
        for k, v in enumerate(nodes)
    }
    rows = -(-len(nodes) // columns)
    return _Part(centres, {}, columns * cell - _GAP, (rows - 1) * step + NODE_HEIGHT)
