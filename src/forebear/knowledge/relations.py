"""Relations: statements about orders, paths and adjacencies, not about single parent sets.

Order statements can be enforced by adding the earlier variables to parent sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted
from forebear.knowledge.statements import Kind
from forebear.network.graphs import CycleError, reachable, topological_order
from forebear.parentsets.collection import ParentSets
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT

if TYPE_CHECKING:
    from forebear.knowledge.knowledge import Knowledge

Arc = tuple[int, int]


@dataclass(frozen=True)
class Relations:
    """Constraints on the orders, paths and adjacencies of a network, by index.

    ``before`` are (earlier, later) pairs, which must all hold in one order of the variables,
    parents first. ``ancestors`` and ``not_ancestors`` are the pairs with and without a directed
    path from the first to the second. ``adjacent`` are the pairs that an arc joins, in either
    direction.
    """

    before: tuple[Arc, ...] = ()
    ancestors: tuple[Arc, ...] = ()
    not_ancestors: tuple[Arc, ...] = ()
    adjacent: tuple[Arc, ...] = ()

    @classmethod
    def of(
        cls, knowledge: Knowledge, names: Sequence[str], required: Mapping[int, Collection[int]]
    ) -> Relations:
        """Return the relations that the required arcs (``{child: parents}``) do not satisfy."""
        place = {name: v for v, name in enumerate(names)}

        def pairs(kind: Kind) -> tuple[Arc, ...]:
            return tuple(sorted((place[a], place[b]) for a, b in knowledge.pairs(kind)))

        stated = cls(
            before=pairs(Kind.BEFORE),
            ancestors=pairs(Kind.ANCESTOR),
            not_ancestors=pairs(Kind.NOT_ANCESTOR),
            adjacent=pairs(Kind.ADJACENT),
        )
        left = stated.violations([required.get(v, ()) for v in range(len(names))])
        return replace(stated, ancestors=left.ancestors, adjacent=left.adjacent)

    def __bool__(self) -> bool:
        return bool(self.before or self.ancestors or self.not_ancestors or self.adjacent)

    @property
    def are_orders(self) -> bool:
        """Whether all relations are orders, which a search over orders enforces itself."""
        return not (self.ancestors or self.not_ancestors or self.adjacent)

    @property
    def n_arc_requirements(self) -> int:
        """The number of statements that may require arcs which lower the score."""
        return len(self.ancestors) + len(self.adjacent)

    @property
    def direct_arcs(self) -> tuple[Arc, ...]:
        """The (parent, child) arcs that satisfy a statement on their own."""
        both = [arc for a, b in self.adjacent for arc in ((a, b), (b, a))]
        return tuple(dict.fromkeys([*self.ancestors, *both]))

    @property
    def orders(self) -> tuple[Arc, ...]:
        """The (earlier, later) pairs that hold in some order of every valid network."""
        return tuple(dict.fromkeys([*self.before, *self.ancestors]))

    def useful_arcs(self, n_variables: int) -> NDArray[np.bool_]:
        """Return which arcs [child, parent] can help to satisfy a statement."""
        table = np.zeros((n_variables, n_variables), dtype=bool)
        for a, b in self.ancestors:
            on_path = ~np.eye(n_variables, dtype=bool)
            on_path[a] = False  # a path does not return to its start
            on_path[:, b] = False
            table |= on_path
        for parent, child in self.direct_arcs:
            table[child, parent] = True
        return table

    def violations(self, parents: Sequence[Collection[int]]) -> Relations:
        """Return the relations that a network violates."""
        children: list[set[int]] = [set() for _ in parents]
        for v, own in enumerate(parents):
            for p in own:
                children[p].add(v)
        later = [set(own) for own in children]
        for a, b in self.before:
            later[a].add(b)
        below = {a: reachable([a], children) for a, _ in (*self.ancestors, *self.not_ancestors)}
        after = {b: reachable([b], later) for _, b in self.before}
        return Relations(
            before=tuple((a, b) for a, b in self.before if a in after[b]),
            ancestors=tuple((a, b) for a, b in self.ancestors if b not in below[a]),
            not_ancestors=tuple((a, b) for a, b in self.not_ancestors if b in below[a]),
            adjacent=tuple(
                (a, b) for a, b in self.adjacent if a not in parents[b] and b not in parents[a]
            ),
        )

    def holds(self, parents: Sequence[Collection[int]]) -> bool:
        """Return whether a network respects all relations."""
        return not self.violations(parents)


def as_orders(relations: Relations) -> tuple[Arc, ...] | None:
    """Return orders that are equivalent to the relations; None if there are none.

    A is not an ancestor of B if and only if the network has an order with B before A. Several such
    statements may require different orders, unless all have the same A, which can then come as late
    as possible, or all have the same B.
    """
    if relations.n_arc_requirements:
        return None
    if not relations.not_ancestors:
        return relations.before
    firsts, seconds = map(set, zip(*relations.not_ancestors, strict=True))
    if relations.before or (len(firsts) > 1 and len(seconds) > 1):
        return None
    return tuple((b, a) for a, b in relations.not_ancestors)


def predecessors(orders: Iterable[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    """Return the variables that must come directly before each variable.

    Orders that follow from others are left out.
    """
    before = sorted(set(orders))
    later: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in before:
        later[a].append(b)
    beyond = _indirectly_later(later)
    direct: dict[int, list[int]] = {}
    for a, b in before:
        if not beyond.get(a, 0) >> b & 1:
            direct.setdefault(b, []).append(a)
    return {v: tuple(earlier) for v, earlier in direct.items()}


def _indirectly_later(later: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return, as bits, the variables that follow each one by two or more orders in a row.

    The result is empty if the orders form a cycle.
    """
    size = max((v for own in later.values() for v in own), default=-1) + 1
    size = max(size, max(later, default=-1) + 1)
    try:
        latest_first = topological_order([later.get(v, ()) for v in range(size)])
    except CycleError:
        return {}
    reached: dict[int, int] = {}
    beyond: dict[int, int] = {}
    for a in latest_first:
        own = later.get(a, ())
        beyond[a] = reduce(or_, (reached[b] for b in own), 0)
        reached[a] = reduce(or_, (1 << b for b in own), beyond[a])
    return beyond


def can_be_ordered(parent_sets: ParentSets, earlier: Mapping[int, Sequence[int]]) -> bool:
    """Return whether the earlier variables can be added to the sets without exceeding the limit."""
    return (
        largest_set(parent_sets) + max(map(len, earlier.values()), default=0) <= MAX_PARENTS_LIMIT
    )


def ordered_sets(parent_sets: ParentSets, earlier: Mapping[int, Sequence[int]]) -> ParentSets:
    """Add to every set the variables that must come earlier; ranks and scores stay the same.

    Every order that gives each variable a set then respects the order statements. A variable that
    others must precede gets an additional empty set, which is not allowed.
    """
    if not earlier:
        return parent_sets
    crowded = max(earlier, key=lambda v: len(earlier[v]))
    largest = largest_set(parent_sets)
    slots = largest + len(earlier[crowded])
    if slots > MAX_PARENTS_LIMIT:
        raise ForebearError(
            f"{counted(len(earlier[crowded]), 'variable')} must come directly before "
            f"{parent_sets.names[crowded]}, but with ",
            Parameter("max_parents", largest),
            f" at most {MAX_PARENTS_LIMIT - largest} can: use tiers instead",
        )
    return parent_sets.require_earlier(earlier)


def largest_set(parent_sets: ParentSets) -> int:
    """Return the number of members of the largest set."""
    used = (parent_sets.parents != parent_sets.none).any(axis=1)
    return max(1, int(np.count_nonzero(used)))
