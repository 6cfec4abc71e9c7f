"""Brute-force versions of properties of networks, written from the definitions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations, pairwise, permutations, product
from typing import TypeAlias

from naive import is_acyclic

Arcs: TypeAlias = frozenset[tuple[int, int]]


def paths(n: int, arcs: Arcs, start: int, end: int) -> Iterator[list[int]]:
    """Every path in the skeleton from one variable to another that visits none twice."""
    others = [v for v in range(n) if v not in (start, end)]
    for length in range(n - 1):
        for between in permutations(others, length):
            path = [start, *between, end]
            if all((u, v) in arcs or (v, u) in arcs for u, v in pairwise(path)):
                yield path


def below(arcs: Arcs, v: int) -> set[int]:
    """The variable itself and its descendants."""
    members = {v}
    while fresh := {child for parent, child in arcs if parent in members} - members:
        members |= fresh
    return members


def is_active(arcs: Arcs, path: list[int], given: Collection[int]) -> bool:
    """Tell if information flows along a path (Pearl, 1988).

    A collider lets it through if it or a descendant is given, another variable
    if it is not given.
    """
    for before, v, after in zip(path, path[1:], path[2:], strict=False):
        collider = (before, v) in arcs and (after, v) in arcs
        if collider != bool(below(arcs, v) & set(given) if collider else v in given):
            return False
    return True


def d_separated(
    n: int, arcs: Arcs, x: Collection[int], y: Collection[int], given: Collection[int]
) -> bool:
    """Tell if no path between the two sets is active."""
    return not any(
        is_active(arcs, path, given) for a, b in product(x, y) for path in paths(n, arcs, a, b)
    )


def v_structures(n: int, arcs: Arcs) -> set[tuple[int, int, int]]:
    """Find every a -> child <- b whose ends are not adjacent."""
    return {
        (a, child, b)
        for a, b in combinations(range(n), 2)
        for child in range(n)
        if {(a, child), (b, child)} <= arcs and not {(a, b), (b, a)} & arcs
    }


def equivalence_class(n: int, arcs: Arcs) -> list[Arcs]:
    """Every DAG with the same skeleton and v-structures (Verma and Pearl, 1990)."""
    members = []
    for directions in product((False, True), repeat=len(arcs)):
        turned = zip(sorted(arcs), directions, strict=True)
        other = frozenset((b, a) if turn else (a, b) for (a, b), turn in turned)
        parents = [{p for p, child in other if child == v} for v in range(n)]
        if is_acyclic(parents) and v_structures(n, other) == v_structures(n, arcs):
            members.append(other)
    return members


def interventional_class(n: int, arcs: Arcs, targets: Collection[Collection[int]]) -> list[Arcs]:
    """Every equivalent DAG that stays equivalent in every experiment.

    An experiment sets some variables, which removes the arcs into them (Hauser and Bühlmann, 2012,
    Theorem 10). Every variable must be observed in some experiment.
    """

    def after(graph: Arcs, target: Collection[int]) -> Arcs:
        return frozenset((parent, child) for parent, child in graph if child not in target)

    def skeleton(graph: Arcs) -> set[frozenset[int]]:
        return {frozenset(arc) for arc in graph}

    def alike(one: Arcs, other: Arcs) -> bool:
        same = skeleton(one) == skeleton(other)
        return same and v_structures(n, one) == v_structures(n, other)

    return [
        other
        for other in equivalence_class(n, arcs)
        if all(alike(after(other, target), after(arcs, target)) for target in targets)
    ]
