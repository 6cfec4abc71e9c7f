"""Orders: which variables must come before each one, and parent sets that enforce it."""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted
from forebear.network.graphs import CycleError, topological_order
from forebear.parentsets.collection import ParentSets
from forebear.scoring.max_parents import LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def predecessors(orders: Iterable[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    """Return the variables that must come directly before each variable.

    Orders that follow from others are left out.
    """
    before = sorted(set(orders))
    later: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in before:
        later[a].append(b)
    beyond = _beyond(later)
    found: dict[int, list[int]] = {}
    for a, b in before:
        if not beyond.get(a, 0) >> b & 1:
            found.setdefault(b, []).append(a)
    return {v: tuple(earlier) for v, earlier in found.items()}


def _beyond(later: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return what follows from two orders or more, as bits; nothing if the orders have a cycle."""
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
    """Return whether the sets have room for the variables that must come earlier."""
    return largest_set(parent_sets) + max(map(len, earlier.values()), default=0) <= LARGEST


def ordered_sets(parent_sets: ParentSets, earlier: Mapping[int, Sequence[int]]) -> ParentSets:
    """Add to every set the variables that must come earlier; ranks and scores stay the same.

    Every order that gives each variable a set then respects the order statements. A variable that
    others must precede gets a further empty set, as one that is not allowed.
    """
    if not earlier:
        return parent_sets
    crowded = max(earlier, key=lambda v: len(earlier[v]))
    largest = largest_set(parent_sets)
    slots = largest + len(earlier[crowded])
    if slots > LARGEST:
        raise ForebearError(
            f"{counted(len(earlier[crowded]), 'variable')} must come directly before "
            f"{parent_sets.names[crowded]}, but with ",
            Parameter("max_parents", largest),
            f" at most {LARGEST - largest} can: use tiers instead",
        )
    lists = [
        _needing(parent_sets, v, earlier.get(v, ()), slots) for v in range(len(parent_sets.names))
    ]
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(scores) for scores, _ in lists], out=offsets[1:])
    return ParentSets(
        names=parent_sets.names,
        offsets=offsets,
        scores=np.concatenate([scores for scores, _ in lists]),
        parents=np.ascontiguousarray(np.concatenate([members for _, members in lists], axis=1)),
        provenance=parent_sets.provenance,
    )


def _needing(
    parent_sets: ParentSets, v: int, earlier: Sequence[int], slots: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores and members of one variable's sets, with the earlier variables added."""
    span = slice(int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1]))
    scores = np.array(parent_sets.scores[span])
    none = parent_sets.none
    members = np.full((slots, len(scores)), none, dtype=parent_sets.parents.dtype)
    largest = min(slots, len(parent_sets.parents))
    members[:largest] = parent_sets.parents[:largest, span]
    if not earlier:
        return scores, members
    for a in earlier:
        free = (members != a).all(axis=0)
        members[np.argmax(members[:, free] == none, axis=0), np.flatnonzero(free)] = a
    members.sort(axis=0)
    allowed = int(np.isfinite(scores).sum())  # they come first
    empty = np.full((slots, 1), none, members.dtype)
    return np.append(scores[:allowed], -np.inf), np.append(members[:, :allowed], empty, axis=1)


def largest_set(parent_sets: ParentSets) -> int:
    """Return the number of members of the largest set that there is."""
    used = (parent_sets.parents != parent_sets.none).any(axis=1)
    return max(1, int(np.count_nonzero(used)))
