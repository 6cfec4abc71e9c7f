"""Relation cuts: find the cuts that follow from statements about ancestors, orders and pairs.

A is an ancestor of B: for every group S with A but not B, a variable outside S has a parent in S.
A is not an ancestor of B: in a group C with both, if every variable but A had a parent in C, then
going back from B along parents in C would end at A. So one of them has none.
Orders: in a group C, one of the variables that no other variable of C must precede has no parent in
C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from forebear import _core
from forebear.knowledge.relations import Relations
from forebear.proof.cut_kinds import StatementCut
from forebear.proof.flat_sets import FlatSets
from forebear.proof.separation import TOLERANCE, Solution


def adjacency_cuts(relations: Relations) -> list[StatementCut]:
    """Return the cuts for adjacent pairs: one of the two has the other as a parent."""
    return [
        StatementCut("adjacent", (a, b), (a, b), (((a,), (b,)), ((b,), (a,))), False)
        for a, b in relations.adjacent
    ]


def find_relation_cuts(
    solution: Solution, sets: FlatSets, relations: Relations, budget: _core.Budget
) -> list[StatementCut]:
    """Find cuts that a solution violates: at least one for a network that violates a relation."""
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
    """Find a group that contains ``start`` but not ``end``.

    The sets of other variables that contain a member of the group have the least total weight.

    The group is a minimum cut in a graph with a vertex per set. Arcs lead from the members of the
    set to it, and from it to its variable, with the weight of the set. Returns the group and the
    other variables.
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
    """Return clusters that are violated if all sets of some variables get the added parents.

    With ``replace``, these sets lose their own parents.
    """
    n, child = sets.n_variables, sets.child[solution.chosen]
    parents = sets.parents[solution.chosen]
    more = np.full((len(child), max(map(len, added.values()))), n, dtype=np.int32)
    for v, own in added.items():
        more[child == v, : len(own)] = own
        if replace:
            parents[child == v] = n
    parents = np.sort(np.concatenate([parents, more], axis=1), axis=1)
    parents[:, 1:][parents[:, 1:] == parents[:, :-1]] = n  # duplicate members
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
