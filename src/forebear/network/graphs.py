"""What follows from the arcs of a DAG alone, in time that grows with the arcs.

The functions take every variable's parents, by index, as ``Network`` holds them;
people ask a ``Network``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

Arc: TypeAlias = "tuple[int, int]"
Neighbours: TypeAlias = "Sequence[Collection[int]]"


@dataclass(frozen=True)
class PartialGraph:
    """A graph of which some edges have a direction: the CPDAG of a class of networks.

    ``directed`` lists (parent, child) pairs, by child and then by parent;
    ``undirected`` lists pairs ascending.
    """

    names: tuple[str, ...]
    directed: tuple[Arc, ...]
    undirected: tuple[Arc, ...]


def reachable(starts: Iterable[int], neighbours: Neighbours) -> set[int]:
    """Gather the starts and all that can be reached from them, a step at a time."""
    pending = list(starts)
    reached = set(pending)
    while pending:
        fresh = [u for u in neighbours[pending.pop()] if u not in reached]
        reached.update(fresh)
        pending += fresh
    return reached


def markov_blanket(v: int, parents: Neighbours, children: Neighbours) -> set[int]:
    """Gather the parents, the children and the children's other parents."""
    blanket = {*parents[v], *children[v]}
    return blanket.union(*(parents[child] for child in children[v])) - {v}


def skeleton(parents: Neighbours) -> set[Arc]:
    """Every arc without its direction, the smaller index first."""
    return {(min(p, v), max(p, v)) for v, family in enumerate(parents) for p in family}


def moral_edges(parents: Neighbours) -> set[Arc]:
    """The skeleton, and an edge between any two parents of the same child."""
    return skeleton(parents).union(*(combinations(sorted(family), 2) for family in parents))


def v_structures(parents: Neighbours) -> list[tuple[int, int, int]]:
    """List (a, child, b) where a and b, a < b, are parents of the child but not adjacent."""
    adjacent = skeleton(parents)
    return [
        (a, child, b)
        for child, family in enumerate(parents)
        for a, b in combinations(sorted(family), 2)
        if (a, b) not in adjacent
    ]


def compelled_parents(parents: Neighbours, order: Sequence[int]) -> list[frozenset[int]]:
    """Tell every variable's parents whose arcs point the same way in all equivalent networks.

    ``order`` has parents first. This is the labelling of Chickering (1995), in
    which the last parent x of y in the order decides about all arcs into y:

    - An arc w -> x that is compelled compels x -> y, unless w is a parent of y too.
    - Parents of y that are not parents of x make a v-structure at y, or hang on one.
    - Otherwise only those arcs are compelled that close a triangle over a compelled w -> x.
    """
    place = {v: k for k, v in enumerate(order)}
    families = [frozenset(family) for family in parents]
    compelled = [frozenset[int]() for _ in parents]
    for y in order:
        family = families[y]
        if family:
            x = max(family, key=place.__getitem__)
            free = compelled[x] <= family and family - {x} <= families[x]
            compelled[y] = compelled[x] if free else family
    return compelled


def connected(
    sources: Collection[int], given: Collection[int], parents: Neighbours, children: Neighbours
) -> set[int]:
    """Gather what an active trail leads to from the sources, them included.

    A trail passes a variable that is given only from parent to parent, and in
    that way also passes the ancestors of what is given. Every variable is
    visited at most once from below and once from above (Koller and Friedman,
    2009, algorithm 3.1).
    """
    opened = reachable(given, parents)
    pending = [(v, True) for v in sources]
    visited = set(pending)
    while pending:
        v, from_below = pending.pop()
        steps = []
        if v not in given if from_below else v in opened:
            steps += [(p, True) for p in parents[v]]
        if v not in given:
            steps += [(child, False) for child in children[v]]
        fresh = [step for step in steps if step not in visited]
        visited.update(fresh)
        pending += fresh
    return {v for v, _ in visited}
