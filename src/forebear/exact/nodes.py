"""The nodes of branch and cut: the decisions made, and the parent sets they allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.exact.flatsets import FlatSets


class ArcDecision(NamedTuple):
    """The child has this parent, or does not have it."""

    child: int
    parent: int
    present: bool


class OrderDecision(NamedTuple):
    """One variable comes before another in a topological order."""

    first: int
    then: int


class SetDecision(NamedTuple):
    """The child has this parent set, or a different one."""

    child: int
    place: int
    taken: bool


Decision = ArcDecision | OrderDecision | SetDecision


@dataclass
class Node:
    """A subproblem: every network that agrees with its decisions costs ``cost`` or more.

    ``allowed`` are the sets that a network better than the incumbents can still have, as packed
    bits.
    """

    cost: int
    number: int
    allowed: NDArray[np.uint8]
    before: tuple[tuple[int, int], ...] = ()
    record: int = 0

    def __lt__(self, other: Node) -> bool:
        """Order nodes by cost, lowest first, then by age."""
        return (self.cost, self.number) < (other.cost, other.number)


def apply(
    decision: Decision,
    sets: FlatSets,
    allowed: NDArray[np.bool_],
    before: tuple[tuple[int, int], ...],
) -> tuple[NDArray[np.bool_], tuple[tuple[int, int], ...]] | None:
    """Return the sets that a decision leaves, and what comes before what; None if it cannot be."""
    allowed = allowed.copy()
    if isinstance(decision, OrderDecision):
        before = (*before, (decision.first, decision.then))
    else:
        own = sets.span(decision.child)
        if isinstance(decision, SetDecision):
            is_it = np.arange(own.start, own.stop) == decision.place
            allowed[own] &= is_it == decision.taken
        else:
            allowed[own] &= sets.with_parent(decision.child, decision.parent) == decision.present
    return (allowed, before) if propagate(sets, allowed, before) else None


def propagate(
    sets: FlatSets, allowed: NDArray[np.bool_], before: tuple[tuple[int, int], ...]
) -> bool:
    """Take away the sets that would close a cycle; return whether every variable has one left."""
    return _core.propagate_ancestry(sets.starts, sets.parents, list(before), allowed.view(np.uint8))
