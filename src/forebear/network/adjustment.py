"""Adjustment sets by the backdoor criterion, and the effects that a CPDAG allows.

The functions take variables by index; ``DAG`` and ``FittedNetwork`` are the public interface.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from forebear.network import graphs
from forebear.network.graphs import Neighbors, PartialGraph


def backdoor_graph(parents: Neighbors, x: int, y: int) -> dict[int, set[int]] | None:
    """Return a graph in which the separators of x and y are the adjustment sets by the backdoor
    criterion (Pearl, 1993); None if there are none, because y is a parent of x.

    It is the moral graph of the ancestors of x and y without the arcs that leave x. Descendants of
    x must not be in an adjustment set, so they are removed and their neighbors connected.
    """
    if y in parents[x]:
        return None
    without = [[p for p in family if p != x] for family in parents]
    near = graphs.moral_ancestors(without, {x, y})
    own = {v: neighbors - {v} for v, neighbors in near.items()}
    for v in graphs.reachable([x], graphs.children_of(parents)) & own.keys() - {x, y}:
        around = own.pop(v)
        for u in around:
            own[u] |= around - {u}
            own[u].discard(v)
    return own


def smallest_separator(near: Mapping[int, set[int]], x: int, y: int) -> tuple[int, ...]:
    """Return a smallest set that separates two variables x and y that are not adjacent."""
    from scipy.sparse import csr_array  # here, because it takes long to import
    from scipy.sparse.csgraph import maximum_flow

    members = sorted(near)
    place = {v: k for k, v in enumerate(members)}
    n = len(members)
    # Vertex v is an arc from v to n + v of capacity 1, x and y excepted.
    arcs = [(place[v], n + place[v], n if v in (x, y) else 1) for v in members]
    arcs += [(n + place[v], place[u], n) for v in members for u in near[v]]
    starts, ends, capacities = np.array(arcs, dtype=np.int32).T
    network: Any = csr_array((capacities, (starts, ends)), shape=(2 * n, 2 * n))
    left = (network - maximum_flow(network, place[x], n + place[y]).flow).tocoo()
    open_: dict[int, list[int]] = {k: [] for k in range(2 * n)}
    for start, end, capacity in zip(*left.coords, left.data, strict=True):
        if capacity > 0:
            open_[int(start)].append(int(end))
    reached = graphs.reachable([place[x]], open_)
    return tuple(v for v in members if place[v] in reached and n + place[v] not in reached)


def minimal_separators(near: Mapping[int, set[int]], x: int, y: int) -> Iterator[tuple[int, ...]]:
    """Yield every minimal set that separates two variables x and y that are not adjacent.

    The first set consists of neighbors of x. Further sets follow from each by moving one of its
    variables to the side of x (Shen and Liang, 1997).
    """

    def toward_y(removed: set[int]) -> frozenset[int]:
        """Return the variables next to the part that contains y, after a removal."""
        part = graphs.reachable([y], {v: near[v] - removed for v in near})
        return frozenset(u for v in part for u in near[v]) - part

    seen = {toward_y(near[x])}
    pending = list(seen)
    while pending:
        separator = pending.pop(0)
        yield tuple(sorted(separator))
        side = graphs.reachable([x], {v: near[v] - separator for v in near})
        for v in sorted(separator - near[y]):
            other = toward_y(side | separator | near[v] - {y})
            if other not in seen:
                seen.add(other)
                pending.append(other)


def possible_parents(cpdag: PartialGraph, x: int) -> Iterator[tuple[int, ...]]:
    """Yield the parent sets of x in the networks that a CPDAG represents.

    Variables joined to x by an undirected edge can be parents together if they are adjacent to each
    other, because no new v-structure may arise (Maathuis, Kalisch and Bühlmann, 2009).
    """
    fixed = [p for p, v in cpdag.directed if v == x]
    free = sorted(a + b - x for a, b in cpdag.undirected if x in (a, b))
    joined = {frozenset(edge) for edge in (*cpdag.directed, *cpdag.undirected)}
    cliques: list[tuple[int, ...]] = [()]
    for clique in cliques:  # the list grows during the loop
        yield tuple(sorted((*fixed, *clique)))
        larger = (v for v in free if not clique or v > clique[-1])
        cliques += [(*clique, v) for v in larger if all({u, v} in joined for u in clique)]
