"""Cuts for relations: ancestors, non-ancestors, adjacent pairs and orders as inequalities.

A is an ancestor of B: for every group S with A but not B, a variable outside S has a parent in S.
A is not an ancestor of B: in a group C with both, if every variable but A had a parent in C, then
going back from B along parents in C would end at A. So one of them has none.
Orders: the same, for the variables of a group C before which none of C must come.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.relations import Relations
    from forebear.proof.flat_sets import FlatSets
    from forebear.proof.separation import Solution

_VIOLATED = 1e-4
"""Cuts that are violated by less gain nothing. Whole solutions violate a cut by 1."""
_SCALE = 10**6
"""Flows are whole numbers; this is a weight of 1."""


@dataclass(frozen=True)
class HeadsCut:
    """Of some heads, not all have a parent in a group.

    ``pair`` is that of the statement about non-ancestors; None if orders are the reason.
    """

    heads: tuple[int, ...]
    group: tuple[int, ...]
    pair: tuple[int, int] | None = None

    largest = 1

    @property
    def limit(self) -> int:
        """All heads but one."""
        return len(self.heads) - 1

    @property
    def most(self) -> int:
        """All heads."""
        return len(self.heads)

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return 1 for each set of a head with members in the group."""
        return _ones(sets, [(self.heads, self.group)], meets=True)


@dataclass(frozen=True)
class TailsCut:
    """Some head has a parent among its tails: ``sides`` are groups of heads, and their tails.

    ``pair`` is that of the statement about ancestors or, with two sides, about adjacent variables.
    """

    sides: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    pair: tuple[int, int]

    largest = 1

    @property
    def limit(self) -> int:
        """All heads but one may have no such parent."""
        return self.most - 1

    @property
    def most(self) -> int:
        """All heads."""
        return sum(len(heads) for heads, _ in self.sides)

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return 1 for each set of a head without a member among its tails."""
        return _ones(sets, self.sides, meets=False)


RelationCut = HeadsCut | TailsCut


def _ones(
    sets: FlatSets, sides: Sequence[tuple[Collection[int], Collection[int]]], *, meets: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sets of the heads of each side that meet its tails, or that do not."""
    found = [np.zeros(0, dtype=np.int64)]
    for heads, tails in sides:
        is_head = np.zeros(sets.n_variables, dtype=bool)
        is_head[list(heads)] = True
        is_tail = np.zeros(sets.n_variables + 1, dtype=bool)
        is_tail[list(tails)] = True
        own = np.flatnonzero(is_head[sets.child])
        found.append(own[is_tail[sets.parents[own]].any(axis=1) == meets])
    places = np.sort(np.concatenate(found))
    return places, np.ones(len(places), dtype=np.int64)


def adjacency_cuts(relations: Relations) -> list[RelationCut]:
    """Return the cuts for adjacent pairs: one of the two has the other as a parent."""
    return [TailsCut((((a,), (b,)), ((b,), (a,))), (a, b)) for a, b in relations.adjacent]


def find_relation_cuts(
    solution: Solution, sets: FlatSets, relations: Relations, budget: _core.Budget
) -> list[RelationCut]:
    """Find cuts that a solution violates; if it is a network, it respects all or there is one."""
    found = [*adjacency_cuts(relations)]
    for a, b in relations.ancestors:
        found.append(_least_cut(solution, sets, a, b))
    arcs = solution.arcs(sets)
    for a, b in relations.not_ancestors:
        found += [
            HeadsCut(tuple(v for v in group if v != a), group, (a, b))
            for group in _groups(solution, sets, arcs, {a: (b,)}, budget)
            if a in group and b in group
        ]
    if relations.before:
        earlier: dict[int, tuple[int, ...]] = {}
        for a, b in relations.before:
            earlier[b] = (*earlier.get(b, ()), a)
        for group in _groups(solution, sets, arcs, earlier, budget, keep=True):
            inside = set(group)
            heads = tuple(v for v in group if not inside & set(earlier.get(v, ())))
            if 0 < len(heads) < len(group):
                found.append(HeadsCut(heads, group))
    return [cut for cut in dict.fromkeys(found) if _violation(cut, solution, sets) > _VIOLATED]


def _violation(cut: RelationCut, solution: Solution, sets: FlatSets) -> float:
    places, values = cut.coefficients(sets)
    weight = np.zeros(len(sets))
    weight[solution.chosen] = solution.weight
    return float((weight[places] * values).sum()) - cut.limit


def _least_cut(solution: Solution, sets: FlatSets, start: int, end: int) -> RelationCut:
    """Find the group with the start but not the end that fewest sets of others meet.

    That is a minimum cut in the graph with a vertex per set: from its members to it, and from it
    to its variable with the weight of the set.
    """
    from scipy.sparse import csr_array  # here: it would double the time of the import
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    n, chosen = sets.n_variables, solution.chosen
    count = len(chosen)
    member = sets.parents[chosen]
    row, slot = np.nonzero(member < n)
    tails = np.concatenate([member[row, slot], n + np.arange(count)])
    heads = np.concatenate([n + row, sets.child[chosen]])
    weight = np.floor(solution.weight * _SCALE).astype(np.int32)
    room = np.concatenate([np.full(len(row), 2 * _SCALE, dtype=np.int32), weight])
    size = (n + count, n + count)
    entries: Any = (room, (tails, heads))
    graph: Any = csr_array(entries, shape=size)
    left = graph - maximum_flow(graph, start, end).flow
    left.data = np.maximum(left.data, 0)
    left.eliminate_zeros()
    reached = breadth_first_order(left, start, return_predecessors=False)
    group = np.zeros(n + count, dtype=bool)
    group[reached] = True
    outside, inside = np.flatnonzero(~group[:n]), np.flatnonzero(group[:n])
    return TailsCut(((tuple(outside.tolist()), tuple(inside.tolist())),), (start, end))


def _groups(
    solution: Solution,
    sets: FlatSets,
    arcs: NDArray[np.float64],
    added: dict[int, tuple[int, ...]],
    budget: _core.Budget,
    *,
    keep: bool = False,
) -> Iterator[tuple[int, ...]]:
    """Yield groups of variables that would be cyclic if some had the added parents.

    With ``keep`` those variables also have the parents that they have.
    """
    n = sets.n_variables
    for v, parents in added.items():
        for p in parents:
            path = _cheapest_path(arcs, v, p, added if keep else {})
            if path:
                yield tuple(sorted(path))
    chosen = solution.chosen
    child, parents_of = sets.child[chosen], sets.parents[chosen]
    weight = solution.weight
    most = max(map(len, added.values()))
    wide = np.full((len(chosen), parents_of.shape[1] + most), n, dtype=np.int32)
    wide[:, : parents_of.shape[1]] = parents_of
    keeps = np.ones(len(chosen), dtype=bool)
    extra = []
    for v, parents in added.items():
        own = np.flatnonzero(child == v)
        if keep:
            wide[own, parents_of.shape[1] : parents_of.shape[1] + len(parents)] = parents
            continue
        keeps[own] = False
        extra.append(v)
    more = np.full((len(extra), wide.shape[1]), n, dtype=np.int32)
    for i, v in enumerate(extra):
        more[i, : len(added[v])] = added[v]
    child = np.concatenate([child[keeps], np.array(extra, dtype=np.int32)]).astype(np.int32)
    wide = np.sort(np.concatenate([wide[keeps], more]), axis=1)
    repeated = np.zeros(wide.shape, dtype=bool)
    repeated[:, 1:] = wide[:, 1:] == wide[:, :-1]
    wide = np.sort(np.where(repeated, n, wide), axis=1).astype(np.int32)
    weight = np.concatenate([weight[keeps], np.ones(len(extra))])
    order = np.argsort(child, kind="stable")
    found = _core.cluster_cuts(
        n,
        np.ascontiguousarray(child[order]),
        np.ascontiguousarray(wide[order]),
        np.ascontiguousarray(weight[order]),
        most_level=1,
        budget=budget,
        threads=1,
    )
    yield from (tuple(sorted(members)) for members, level, _ in found if level == 1)


def _cheapest_path(
    arcs: NDArray[np.float64], start: int, end: int, added: dict[int, tuple[int, ...]]
) -> list[int] | None:
    """Return the path whose arcs lack least weight in all, if that is less than 1.

    ``arcs[child, parent]`` are weights; an added parent has weight 1.
    """
    lack = np.maximum(0.0, 1.0 - arcs)
    for v, parents in added.items():
        lack[v, list(parents)] = 0.0
    best = np.full(len(arcs), math.inf)
    last = np.full(len(arcs), -1)
    best[start] = 0.0
    queue = [(0.0, start)]
    while queue:
        total, u = heapq.heappop(queue)
        if total > best[u]:
            continue
        if u == end:
            path = [end]
            while path[-1] != start:
                path.append(int(last[path[-1]]))
            return path
        for v in np.flatnonzero(total + lack[:, u] < np.minimum(best, 1.0 - _VIOLATED)).tolist():
            best[v], last[v] = total + lack[v, u], u
            heapq.heappush(queue, (float(best[v]), v))
    return None
