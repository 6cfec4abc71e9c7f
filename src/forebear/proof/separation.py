"""Separation: which cuts a relaxed solution violates.

Those about statements, in words:

A is an ancestor of B: for every group S with A but not B, a variable outside S has a parent in S.
A is not an ancestor of B: in a group C with both, if every variable but A had a parent in C, then
going back from B along parents in C would end at A. So one of them has none.
Orders: the same, for the variables of a group C before which none of C must come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear import _core
from forebear.proof.cut_kinds import ClusterCut, Cut, LocalCut, StatementCut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.relations import Relations
    from forebear.proof.flat_sets import FlatSets

# Variables and choices of groups, by depth. Many small groups find more cuts than few large ones,
# and take less time; large ones find what small ones cannot. With groups of 12 as well, alarm with
# 10,000 rows took 7.6 s instead of 4.9 s, and wdbc as long (11.8 s).
_GROUPS = ((5, 60), (8, 120))
DEPTHS = len(_GROUPS)
"""The largest depth of the search for cuts."""
_PARALLEL = 0.85  # of two cuts whose cosine is larger, only one is added
TOLERANCE = 1e-6
"""The accuracy of the weight of an arc, a sum of weights that HiGHS knows up to 1e-7: an arc this
near to 0 or 1 is decided, cuts violated by less gain nothing, and flows are multiples of it."""


class Solution(NamedTuple):
    """A relaxed solution: the indices of the sets it uses, and their weights."""

    chosen: NDArray[np.int64]
    weight: NDArray[np.float64]

    def arcs(self, sets: FlatSets) -> NDArray[np.float64]:
        """Return the weight of each arc: [child, parent]."""
        n = sets.n_variables
        arcs = np.zeros((n, n + 1))
        np.add.at(
            arcs,
            (sets.child[self.chosen][:, None], sets.parents[self.chosen]),
            self.weight[:, None],
        )
        return arcs[:, :-1]


def find_cuts(
    solution: Solution,
    sets: FlatSets,
    budget: _core.Budget,
    threads: int,
    depth: int,
    most: int = DEPTHS,
    few: int = 5,
) -> tuple[list[Cut], int]:
    """Find violated cuts, and return with which depth.

    At depth 0 these are clusters; with each further one, local cuts of larger groups join them. As
    long as there are fewer than ``few``, the depth increases up to ``most``.
    """
    view = (
        sets.n_variables,
        sets.child[solution.chosen],
        np.ascontiguousarray(sets.parents[solution.chosen]),
        np.ascontiguousarray(solution.weight),
    )
    found = _core.cluster_cuts(*view, budget=budget, threads=threads)
    cuts: list[Cut] = [ClusterCut(tuple(members), level) for members, level, _ in found]
    violation = [value for *_, value in found]
    searched = 0
    while True:
        for variables, choices in _GROUPS[searched:depth]:
            more = _core.local_cuts(
                *view, variables=variables, choices=choices, budget=budget, threads=threads
            )
            for group, values, limit, value in more:
                table = np.array(values, dtype=np.int64).reshape(len(group), -1)
                cuts.append(LocalCut(tuple(group), table, limit))
                violation.append(value)
        searched = depth
        if len(cuts) >= few or depth >= most:
            return select(cuts, violation, solution, sets), depth
        depth += 1


def select(
    cuts: Sequence[Cut], violation: Sequence[float], solution: Solution, sets: FlatSets
) -> list[Cut]:
    """Keep the cuts that are deepest, relative to their length, and not nearly parallel."""
    most = max(30, sets.n_variables)
    is_chosen = np.zeros(len(sets), dtype=bool)
    is_chosen[solution.chosen] = True
    used = sets.kept(is_chosen)
    rows = np.zeros((len(cuts), len(solution.chosen)))
    for row, cut in zip(rows, cuts, strict=True):
        places, values = cut.coefficients(used)
        row[places] = values / cut.largest
    length = np.sqrt((rows * rows).sum(axis=1)) + 1e-9
    rows /= length[:, None]
    order = np.argsort(-np.array(violation) / length, kind="stable")
    kept: list[int] = []
    for i in order.tolist():
        if len(kept) >= most:
            break
        # Not with @, which calls a library that may use every core.
        if not kept or np.einsum("ij,j->i", rows[kept], rows[i]).max() <= _PARALLEL:
            kept.append(i)
    return [cuts[i] for i in kept]


# ---- cuts for statements -----------------------------------------------------------------------


def adjacency_cuts(relations: Relations) -> list[StatementCut]:
    """Return the cuts for adjacent pairs: one of the two has the other as a parent."""
    return [
        StatementCut("adjacent", (a, b), (a, b), (((a,), (b,)), ((b,), (a,))), False)
        for a, b in relations.adjacent
    ]


def find_relation_cuts(
    solution: Solution, sets: FlatSets, relations: Relations, budget: _core.Budget
) -> list[StatementCut]:
    """Find cuts that a solution violates; if it is a network, it respects all or there is one."""
    found = [*adjacency_cuts(relations)]
    for a, b in relations.ancestors:
        inside, outside = _least_cut(solution, sets, a, b)
        found.append(StatementCut("ancestors", (a, b), inside, ((outside, inside),), False))
    for a, b in relations.not_ancestors:
        for group in _clusters(solution, sets, {a: [b]}, budget, replace=True):
            if a in group and b in group:
                heads = tuple(v for v in group if v != a)
                found.append(StatementCut("not_ancestors", (a, b), group, ((heads, group),), True))
    earlier: dict[int, list[int]] = {}
    for a, b in relations.before:
        earlier.setdefault(b, []).append(a)
    for group in _clusters(solution, sets, earlier, budget) if earlier else ():
        heads = tuple(v for v in group if not set(group) & set(earlier.get(v, ())))
        if 0 < len(heads) < len(group):
            found.append(StatementCut("before", None, group, ((heads, group),), True))
    return [cut for cut in dict.fromkeys(found) if _violation(cut, solution, sets) > TOLERANCE]


def _violation(cut: StatementCut, solution: Solution, sets: FlatSets) -> float:
    places, values = cut.coefficients(sets)
    weight = np.zeros(len(sets))
    weight[solution.chosen] = solution.weight
    return float((weight[places] * values).sum()) - cut.limit


def _least_cut(
    solution: Solution, sets: FlatSets, start: int, end: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Find the group with the start but not the end that fewest sets of others meet.

    That is a minimum cut in the graph with a vertex per set: from its members to it, and from it
    to its variable with the weight of the set. Returns also the other variables.
    """
    from scipy.sparse import csr_array  # here: it would double the time of the import
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    n, chosen = sets.n_variables, solution.chosen
    count = len(chosen)
    member = sets.parents[chosen]
    row, slot = np.nonzero(member < n)
    tails = np.concatenate([member[row, slot], n + np.arange(count)])
    heads = np.concatenate([n + row, sets.child[chosen]])
    weight = np.floor(solution.weight / TOLERANCE).astype(np.int32)
    room = np.concatenate([np.full(len(row), 2 / TOLERANCE, dtype=np.int32), weight])
    entries: Any = (room, (tails, heads))
    graph: Any = csr_array(entries, shape=(n + count, n + count))
    left = graph - maximum_flow(graph, start, end).flow
    left.data = np.maximum(left.data, 0)
    left.eliminate_zeros()
    group = np.zeros(n + count, dtype=bool)
    group[breadth_first_order(left, start, return_predecessors=False)] = True
    inside, outside = np.flatnonzero(group[:n]), np.flatnonzero(~group[:n])
    return tuple(inside.tolist()), tuple(outside.tolist())


def _clusters(
    solution: Solution,
    sets: FlatSets,
    added: Mapping[int, Sequence[int]],
    budget: _core.Budget,
    *,
    replace: bool = False,
) -> list[tuple[int, ...]]:
    """Return clusters that are violated if all sets of some variables have the added parents.

    With ``replace`` they have no others.
    """
    n, child = sets.n_variables, sets.child[solution.chosen]
    parents = sets.parents[solution.chosen]
    more = np.full((len(child), max(map(len, added.values()))), n, dtype=np.int32)
    for v, own in added.items():
        more[child == v, : len(own)] = own
        if replace:
            parents[child == v] = n
    parents = np.sort(np.concatenate([parents, more], axis=1), axis=1)
    parents[:, 1:][parents[:, 1:] == parents[:, :-1]] = n  # members that are there twice
    found = _core.cluster_cuts(
        n,
        child,
        np.sort(parents, axis=1),
        np.ascontiguousarray(solution.weight),
        most_level=1,
        budget=budget,
        threads=1,
    )
    return [tuple(sorted(members)) for members, _, _ in found]
