"""Networks that respect relations, by searches over fewer parent sets and orders.

A restriction is a choice of how the relations are satisfied: arcs that make up the paths wanted,
orders that rule out the paths not wanted, and forbidden arcs. Every network under it respects the
relations, but there are others; so several are tried. The cheapest choice, given the network of a
search without the relations, comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear.knowledge.enforcement import largest_set, ordered_sets, predecessors
from forebear.network.graphs import CycleError, topological_order
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints
from forebear.scoring.max_parents import LARGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.enforcement import Enforced
    from forebear.knowledge.relations import Arc, Relations

Parents = tuple[tuple[int, ...], ...]

TRIES = 6
"""Restrictions that are tried: the cheapest, the simplest, and a few by chance. Judgement."""

_ROUNDS = 30
"""Arcs that are forbidden one after the other before a restriction is given up."""
_STEP = 1e-6
"""Nats per arc of a path: of two paths that cost nothing, the shorter one."""
_NOISE = 1.0
"""Standard deviation of the logarithm of costs, for restrictions by chance."""


@dataclass(frozen=True)
class Restriction:
    """Arcs (parent, child) that are required or forbidden, and pairs that stand in this order."""

    required: frozenset[Arc] = frozenset()
    forbidden: frozenset[Arc] = frozenset()
    orders: frozenset[Arc] = field(default_factory=frozenset)

    def sets(self, parent_sets: ParentSets) -> ParentSets | None:
        """Return the sets that are left; None if a variable has none."""
        keep = np.ones(len(parent_sets), dtype=bool)
        scores = np.array(parent_sets.scores)
        child = np.repeat(np.arange(parent_sets.n_variables), parent_sets.counts)
        for arcs, present in ((self.required, True), (self.forbidden, False)):
            for parent, v in arcs:
                own = slice(int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1]))
                keep[own] &= (parent_sets.parents[:, own] == parent).any(axis=0) == present
        # The empty set stays, as one that is not allowed.
        scores[~keep] = -np.inf
        keep |= (parent_sets.parents == parent_sets.none).all(axis=0)
        places = np.flatnonzero(keep)
        places = places[np.lexsort((-scores[places], child[places]))]
        counts = np.bincount(child[places], minlength=parent_sets.n_variables)
        left = ParentSets(
            names=parent_sets.names,
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            scores=scores[places],
            parents=np.ascontiguousarray(parent_sets.parents[:, places]),
            provenance=parent_sets.provenance,
        )
        return left if np.isfinite(left.scores[left.offsets[:-1]]).all() else None

    def ordered(self, parent_sets: ParentSets) -> ParentSets | None:
        """Return the sets to search: all their networks keep to the restriction."""
        left = self.sets(parent_sets)
        earlier = predecessors(self.orders)
        most = max(map(len, earlier.values()), default=0)
        if left is None or largest_set(left) + most > LARGEST:
            return None
        return ordered_sets(left, earlier)

    def network(self, parent_sets: ParentSets, order: Sequence[int]) -> Parents | None:
        """Return the best network of an order; None if a variable has no allowed set in it."""
        left = self.sets(parent_sets)
        if left is None:
            return None
        chosen = left.best_of_order(tuple(order))
        if not all(np.isfinite(one.score) for one in chosen):
            return None
        return tuple(one.parents for one in chosen)


def kept_sets(parent_sets: ParentSets, known: Enforced) -> ParentSets:
    """Return the sets that agree with the arcs, tiers and limits of the knowledge."""
    if not known.knowledge.statements:
        return parent_sets
    names = parent_sets.names
    rules = Constraints.make(names, **known.arcs._asdict())
    required = {(p, v) for v, own in rules.required.items() for p in own}
    forbidden = [] if rules.allowed is None else np.argwhere(~rules.allowed).tolist()
    restriction = Restriction(frozenset(required), frozenset((p, v) for v, p in forbidden))
    left = restriction.sets(known.limited(parent_sets))
    if left is None:
        raise ForebearError(
            "no network of these parent sets has the required arcs: score them with the same ",
            Parameter("knowledge"),
        )
    # Sets that only this knowledge needs may not have been kept when they were scored.
    complete = not known.relations.needing and _lacking(parent_sets, required) == 0
    made = {**parent_sets.provenance, "constrained": True, "complete_for_paths": complete}
    return replace(left, provenance=made)


def _lacking(parent_sets: ParentSets, arcs: Iterable[Arc]) -> int:
    """Count the allowed sets that lack a required parent."""
    found = 0
    for parent, v in arcs:
        own = slice(int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1]))
        lacks = (parent_sets.parents[:, own] != parent).all(axis=0)
        found += int((lacks & np.isfinite(parent_sets.scores[own])).sum())
    return found


class Tried(NamedTuple):
    """A network that respects the relations, and the restriction that it was found under."""

    parents: Parents
    restriction: Restriction


def respecting_networks(
    parent_sets: ParentSets,
    relations: Relations,
    free: Sequence[Sequence[int]],
    search: Callable[[ParentSets], Sequence[int]],
    rng: np.random.Generator,
    tries: int = TRIES,
) -> Iterator[Tried]:
    """Yield networks that respect the relations, from the network of a search without them.

    ``search`` returns the best order that it finds over parent sets.
    """
    costs = _Costs(parent_sets, free)
    seen: set[Restriction] = set()
    for number in range(tries):
        restriction = _choose(relations, costs, free, number, rng)
        for _ in range(_ROUNDS):
            if restriction is None or restriction in seen:
                break
            seen.add(restriction)
            ordered = restriction.ordered(parent_sets)
            if ordered is None:
                break
            parents = restriction.network(parent_sets, search(ordered))
            if parents is None:
                break
            broken = relations.broken(parents)
            if not broken:
                yield Tried(parents, restriction)
                break
            restriction = _without_path(restriction, broken, parents, costs)


def _choose(
    relations: Relations,
    costs: _Costs,
    free: Sequence[Sequence[int]],
    number: int,
    rng: np.random.Generator,
) -> Restriction | None:
    """Choose arcs and orders: first the cheapest, then the simplest, then by chance."""
    price = costs.of_arcs.copy()
    if number > 2:
        price *= np.exp(_NOISE * rng.standard_normal(price.shape))
    required: set[Arc] = set()
    for a, b in relations.ancestors:
        path = [(a, b)] if number == 2 else _path(price, a, b)
        required.update(path or [(a, b)])
        for u, v in path or ():
            price[u, v] = 0.0
    for a, b in relations.adjacent:
        if not required & {(a, b), (b, a)}:
            sides = sorted([(a, b), (b, a)], key=lambda arc: price[arc])
            at = 0 if _is_order({*required, *relations.orders, sides[0]}) else 1
            required.add(sides[at])
    orders = set(relations.orders)
    if not _is_order(required | orders):
        return None
    wanted = relations.broken(free).not_ancestors if number == 1 else relations.not_ancestors
    if number > 2:
        wanted = tuple(pair for pair in rng.permutation(wanted).tolist() if rng.random() < 0.5)
    for a, b in wanted:
        if _is_order({*required, *orders, (b, a)}):
            orders.add((b, a))
    return Restriction(frozenset(required), frozenset(), frozenset(orders))


def _without_path(
    restriction: Restriction, broken: Relations, parents: Parents, costs: _Costs
) -> Restriction | None:
    """Forbid the cheapest arc of a path that should not be there."""
    if not broken.not_ancestors:
        return None
    a, b = broken.not_ancestors[0]
    step = np.full((len(parents), len(parents)), np.inf)
    for v, own in enumerate(parents):
        for p in own:
            step[p, v] = 1.0
    path = _path(step, a, b) or []
    free = [arc for arc in path if arc not in restriction.required]
    if not free:
        return None
    cheapest = min(free, key=lambda arc: costs.without(*arc))
    return replace(restriction, forbidden=restriction.forbidden | {cheapest})


def _path(price: NDArray[np.float64], start: int, end: int) -> list[Arc] | None:
    """Return the arcs of the cheapest path; None if there is none."""
    from scipy.sparse import csr_array  # here: it would double the time of the import
    from scipy.sparse.csgraph import dijkstra

    from_, to = np.nonzero(np.isfinite(price))
    graph = csr_array((price[from_, to] + _STEP, (from_, to)), shape=price.shape)
    _, last = dijkstra(graph, indices=[start], return_predecessors=True)
    last = last[0]
    if last[end] < 0:
        return None
    arcs, v = [], end
    while v != start:
        arcs.append((int(last[v]), v))
        v = int(last[v])
    return arcs[::-1]


def _is_order(pairs: Iterable[Arc]) -> bool:
    """Return whether the pairs contain no cycle."""
    pairs = list(pairs)
    earlier: list[list[int]] = [
        [] for _ in range(max((max(pair) for pair in pairs), default=0) + 1)
    ]
    for a, b in pairs:
        earlier[b].append(a)
    try:
        topological_order(earlier)
    except CycleError:
        return False
    return True


class _Costs:
    """What it costs a network to have an arc, or not to have it."""

    def __init__(self, parent_sets: ParentSets, free: Sequence[Sequence[int]]) -> None:
        n, self._sets = parent_sets.n_variables, parent_sets
        child = np.repeat(np.arange(n), parent_sets.counts)
        best = np.full((n + 1, n), -np.inf)
        for members in parent_sets.parents:
            np.maximum.at(best, (np.minimum(members, n), child), parent_sets.scores)
        now = np.array([_score(parent_sets, v, own) for v, own in enumerate(free)])
        self.of_arcs: NDArray[np.float64] = np.maximum(0.0, now - best[:n])
        for v, own in enumerate(free):
            self.of_arcs[list(own), v] = 0.0
        np.fill_diagonal(self.of_arcs, np.inf)

    def without(self, parent: int, child: int) -> float:
        """Return what the child loses if it cannot have the parent."""
        own = slice(int(self._sets.offsets[child]), int(self._sets.offsets[child + 1]))
        lacks = (self._sets.parents[:, own] != parent).all(axis=0)
        return float(self._sets.scores[own][0] - self._sets.scores[own][lacks].max())


def _score(parent_sets: ParentSets, v: int, parents: Sequence[int]) -> float:
    found = parent_sets.find(v, tuple(parents))
    return -np.inf if found is None else found.score
