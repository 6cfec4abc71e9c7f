"""A* over the order graph, with static pattern databases (Yuan and Malone, 2013).

A node is the set of variables that come first in the order. A successor adds one variable, which
has its best parents among them. Pattern databases bound what the other variables can still add:
they rule out cycles within a group of variables, but not between groups.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear.exact.masks import MaskedSets, best_within, masked_sets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.budget import Clock
    from forebear.parentsets.collection import ParentSets

GROUP = 12
"""Largest group of variables: its database has an entry for each of its subsets."""

_CHECK_EVERY = 256  # nodes between two checks of the time limit


class Reached(NamedTuple):
    """The best order, or None if the time was up first; and a bound on any network's score."""

    order: tuple[int, ...] | None
    bound: float
    nodes: int


def best_order(parent_sets: ParentSets, clock: Clock) -> Reached:
    """Find the best order; if the time is up first, return the bound of the best open node."""
    sets = masked_sets(parent_sets)
    bounds = [_Pattern(sets, group) for group in _groups(sets)]
    everything = (1 << len(sets)) - 1
    score = {0: 0.0}
    last: dict[int, int] = {}
    done: set[int] = set()
    queue = [(-_promise(bounds, 0), 0)]
    while queue:
        promise, first = heapq.heappop(queue)
        if first == everything:
            return Reached(_order(last, first), score[first], len(done))
        if first in done:
            continue
        if len(done) % _CHECK_EVERY == 0 and clock.expired:
            return Reached(None, -promise, len(done))
        done.add(first)
        for v, added in _successors(sets, first):
            total, after = score[first] + added, first | 1 << v
            if total > score.get(after, -math.inf):
                score[after], last[after] = total, v
                heapq.heappush(queue, (-(total + _promise(bounds, after)), after))
    return Reached(None, -math.inf, len(done))


def _successors(sets: list[MaskedSets], first: int) -> list[tuple[int, float]]:
    """List the variables that may come next, with the score that each adds.

    If a variable can have its best set of all, nothing is lost by placing it now: then it is the
    only successor.
    """
    found = []
    for v, own in enumerate(sets):
        if not first >> v & 1:
            added, place = own.best(first)
            if place == 0:
                return [(v, added)]
            found.append((v, added))
    return found


def _groups(sets: list[MaskedSets]) -> list[list[int]]:
    """Divide the variables into as few groups as possible, with conflicting ones together.

    Two variables conflict by how much each of them loses without the other as a parent: they
    cannot both be parents of each other, and a database sees this only within its group.
    """
    n = len(sets)
    everything = (1 << n) - 1
    loss = np.array(
        [
            [own.scores[:1].sum() - own.best(everything ^ 1 << u)[0] for u in range(n)]
            for own in sets
        ]
    )
    conflict = np.minimum(loss, loss.T)
    count = -(-n // GROUP)
    left = set(range(n))
    groups = []
    for size in (-(-(n - i) // count) for i in range(count)):
        group = [max(left, key=lambda v: (conflict[v].sum(), -v))]
        left.remove(group[0])
        while len(group) < size:
            group.append(max(left, key=lambda v: (conflict[v, group].sum(), -v)))
            left.remove(group[-1])
        groups.append(group)
    return groups


def _promise(bounds: list[_Pattern], first: int) -> float:
    """Bound what the variables outside ``first`` can still add."""
    return sum(pattern.rest(first) for pattern in bounds)


def _order(last: dict[int, int], members: int) -> tuple[int, ...]:
    order = []
    while members:
        order.append(last[members])
        members ^= 1 << last[members]
    return tuple(reversed(order))


class _Pattern:
    """A pattern database: what the rest of a group can add, given which members come first.

    All variables of other groups are allowed as parents, so only the members of a parent set
    within the group matter.
    """

    def __init__(self, sets: list[MaskedSets], group: list[int]) -> None:
        self._group = group
        inside = (MaskedSets(self._project(sets[v].masks), sets[v].scores) for v in group)
        self._rest = _backwards(np.array([best_within(own, len(group)) for own in inside]))

    def rest(self, first: int) -> float:
        """Bound what the group adds after the variables ``first``."""
        place = 0
        for bit, v in enumerate(self._group):
            place |= (first >> v & 1) << bit
        return float(self._rest[place])

    def _project(self, masks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keep the members in the group, as bits of their position in it."""
        inside = np.zeros_like(masks)
        for bit, v in enumerate(self._group):
            inside |= (masks >> v & 1) << bit
        return inside


def _backwards(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fill rest(S) = max over v not in S of  score of v with parents in S  +  rest(S + v)."""
    n = len(scores)
    rest = np.full(1 << n, -np.inf)
    rest[-1] = 0.0
    for first in reversed(range((1 << n) - 1)):
        rest[first] = max(
            scores[v, first] + rest[first | 1 << v] for v in range(n) if not first >> v & 1
        )
    return rest
