"""Graph algorithms on DAGs, in time linear in the number of arcs, and checks of graphs.

The functions take the parents of every variable by index, as in ``Network``,
whose methods are the public interface.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import index
from typing import Any, TypeAlias, TypeVar

from forebear._util.errors import ForebearError
from forebear._util.text import counted, listing, show_facts
from forebear._util.variable_names import check_unique

Arc: TypeAlias = "tuple[int, int]"
Neighbors: TypeAlias = "Sequence[Collection[int]]"
Vertex = TypeVar("Vertex")


@dataclass(frozen=True, repr=False)
class PartialGraph:
    """A graph with directed and undirected edges: the CPDAG of an equivalence class.

    If variables were set by intervention, it is the interventional CPDAG.

    Attributes
    ----------
    names
        The names of the variables.
    directed
        (parent, child) pairs of indices, sorted by child and then by parent; ``directed_names``
        has their names.
    undirected
        Pairs of indices, the smaller one first, sorted; ``undirected_names`` has their names.

    Examples
    --------
    >>> from forebear import Network
    >>> Network.from_arcs(["a", "b"], [("a", "b")]).cpdag()
    PartialGraph with 2 variables
      directed: 0
      undirected: 1 (a - b)
    """

    names: tuple[str, ...]
    directed: tuple[Arc, ...]
    undirected: tuple[Arc, ...]

    @property
    def directed_names(self) -> tuple[tuple[str, str], ...]:
        """The (parent, child) pairs by name, in the order of ``directed``."""
        return tuple((self.names[p], self.names[v]) for p, v in self.directed)

    @property
    def undirected_names(self) -> tuple[tuple[str, str], ...]:
        """The pairs by name, in the order of ``undirected``."""
        return tuple((self.names[a], self.names[b]) for a, b in self.undirected)

    def __repr__(self) -> str:
        """Show the numbers of edges and the first of them."""
        arcs = [f"{p} -> {v}" for p, v in self.directed_names]
        edges = [f"{a} - {b}" for a, b in self.undirected_names]
        facts = [
            (kind, f"{len(some):,}" + (f" ({listing(some)})" if some else ""))
            for kind, some in (("directed", arcs), ("undirected", edges))
        ]
        return show_facts(f"PartialGraph with {counted(len(self.names), 'variable')}", facts)


class CycleError(ValueError):
    """A graph has a cycle; ``cycle`` lists its variables in the direction of the arcs."""

    def __init__(self, cycle: Sequence[int]) -> None:
        super().__init__("the graph has a cycle")
        self.cycle = tuple(cycle)


def children_of(parents: Neighbors) -> list[list[int]]:
    """Return the children of every variable, ascending."""
    children: list[list[int]] = [[] for _ in parents]
    for v, family in enumerate(parents):
        for p in family:
            children[p].append(v)
    return children


def degrees(parents: Neighbors) -> list[int]:
    """Return the number of parents and children of every variable."""
    return [len(own) + len(c) for own, c in zip(parents, children_of(parents), strict=True)]


def topological_order(parents: Neighbors) -> tuple[int, ...]:
    """Return the lexicographically smallest order of the variables, parents first.

    A graph with a cycle raises a ``CycleError``.
    """
    children = children_of(parents)
    waiting = [len(family) for family in parents]  # parents that are not in the order yet
    ready = [v for v, count in enumerate(waiting) if count == 0]
    order: list[int] = []
    while ready:
        v = heapq.heappop(ready)
        order.append(v)
        for child in children[v]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    if len(order) < len(parents):
        raise CycleError(_cycle(parents, waiting))
    return tuple(order)


def _cycle(parents: Neighbors, waiting: Sequence[int]) -> list[int]:
    """Find a cycle among the variables that still wait for a parent."""
    # Each of them has a parent that waits as well, so a walk to parents must repeat one.
    v = next(v for v, count in enumerate(waiting) if count)
    seen: dict[int, int] = {}
    walk: list[int] = []
    while v not in seen:
        seen[v] = len(walk)
        walk.append(v)
        v = next(p for p in parents[v] if waiting[p])
    return walk[seen[v] :][::-1]


def reachable(starts: Iterable[Vertex], neighbors: Any) -> set[Vertex]:
    """Return the starts and all variables that can be reached from them.

    ``neighbors`` is a sequence by index, or a mapping by name.
    """
    pending = list(starts)
    reached = set(pending)
    while pending:
        fresh = [u for u in neighbors[pending.pop()] if u not in reached]
        reached.update(fresh)
        pending += fresh
    return reached


def skeleton(parents: Neighbors) -> set[Arc]:
    """Return every arc without its direction, the smaller index first."""
    return {(min(p, v), max(p, v)) for v, family in enumerate(parents) for p in family}


def moral_edges(parents: Neighbors) -> set[Arc]:
    """Return the skeleton, and an edge between any two parents of the same child."""
    return skeleton(parents).union(*(combinations(sorted(family), 2) for family in parents))


def moral_ancestors(parents: Neighbors, variables: Iterable[int]) -> dict[int, set[int]]:
    """Return the neighbors in the moral graph of some variables and their ancestors.

    Sets of variables are d-separated given others if these separate them in this graph (Lauritzen
    and others, 1990).
    """
    near: dict[int, set[int]] = {v: set() for v in reachable(variables, parents)}
    for v in near:
        clique = {v, *parents[v]}
        for u in clique:
            near[u] |= clique
    return near


def compelled_parents(parents: Neighbors, order: Sequence[int]) -> list[frozenset[int]]:
    """Return, for every variable, the parents whose arcs have the same direction in all
    equivalent networks.

    ``order`` lists parents first. This is the labeling of Chickering (1995), in
    which the last parent x of y in the order determines all arcs into y:

    - A compelled arc w -> x compels x -> y, unless w is a parent of y too.
    - A parent of y that is not a parent of x forms a v-structure with x at y, or depends on one.
    - Otherwise only those arcs are compelled that complete a triangle with a compelled w -> x.
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


def interventional_parents(
    parents: Neighbors, order: Sequence[int], row_sets: Sequence[int]
) -> list[frozenset[int]]:
    """Return the compelled parents of every variable in a table with experiments.

    This is the interventional CPDAG of Hauser and Bühlmann (2012). Besides the arcs that are
    compelled without experiments, it directs those between variables that were not set in the same
    rows, whose numbers in ``row_sets`` differ. The rules of Meek (1995) then direct further arcs.
    """
    near = [{*own, *children} for own, children in zip(parents, children_of(parents), strict=True)]
    compelled = [set(own) for own in compelled_parents(parents, order)]
    free = []
    for v, own in enumerate(parents):
        compelled[v].update(p for p in own if row_sets[p] != row_sets[v])
        free += [(p, v) for p in own if p not in compelled[v]]
    found = True
    while found:
        found = False
        for p, v in free:
            if _is_compelled(p, v, near, compelled):
                compelled[v].add(p)
                found = True
        free = [(p, v) for p, v in free if p not in compelled[v]]
    return [frozenset(own) for own in compelled]


def _is_compelled(p: int, v: int, near: Sequence[set[int]], compelled: Sequence[set[int]]) -> bool:
    """Return whether an arc must have its direction, given those that are directed already.

    The opposite direction would add a v-structure, or close a cycle.
    """
    if compelled[p] - near[v]:
        return True
    if any(p in compelled[w] for w in compelled[v]):
        return True
    tails = [w for w in compelled[v] & near[p] if w not in compelled[p]]
    return any(b not in near[a] for a, b in combinations(tails, 2))


def checked_parents(
    names: Sequence[str], parents: Iterable[Iterable[Any]]
) -> tuple[tuple[int, ...], ...]:
    """Return the parents of every variable in ascending order, if all of them exist."""
    try:
        families = tuple(tuple(sorted(map(index, family))) for family in parents)
    except TypeError as error:
        raise ForebearError(
            "parents must be lists of indices: use Network.from_arcs for names"
        ) from error
    check_unique(names, "variable")
    if len(families) != len(names):
        raise ForebearError(
            f"the network has {counted(len(names), 'variable')}, "
            f"but {counted(len(families), 'list')} of parents"
        )
    for name, family in zip(names, families, strict=True):
        _check_family(name, family, len(names))
    return families


def _check_family(name: str, family: tuple[int, ...], n_variables: int) -> None:
    unknown = [p for p in family if not 0 <= p < n_variables]
    if unknown:
        raise ForebearError(
            f"{name} lists parent {unknown[0]}, but the last variable is {n_variables - 1}"
        )
    if len(set(family)) < len(family):
        raise ForebearError(f"{name} lists the same parent twice")


def order_without_cycle(names: Sequence[str], parents: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the smallest topological order, or raise an error that lists a cycle."""
    try:
        return topological_order(parents)
    except CycleError as error:
        cycle = [names[v] for v in error.cycle]
    shown = cycle if len(cycle) <= 10 else [*cycle[:9], "..."]
    raise ForebearError(f"the arcs form a cycle: {' -> '.join([*shown, cycle[0]])}")
