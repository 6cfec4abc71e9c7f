"""The nodes of branch and cut: the decisions made, and the parent sets they allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from forebear.exact.flatsets import FlatSets


class ArcDecision(NamedTuple):
    """The child has this parent, or does not have it."""

    child: int
    parent: int
    present: bool


class SetDecision(NamedTuple):
    """The child has its parent set of this rank (from 0), or a different one."""

    child: int
    rank: int
    taken: bool


@dataclass
class Node:
    """A subproblem: no network that agrees with its decisions scores more than ``bound``."""

    bound: float
    number: int
    decisions: tuple[ArcDecision | SetDecision, ...] = ()

    def __lt__(self, other: Node) -> bool:
        """Order nodes by bound, highest first, then by age."""
        return (-self.bound, self.number) < (-other.bound, other.number)


def allowed_by(decisions: Iterable[ArcDecision | SetDecision], sets: FlatSets) -> NDArray[np.bool_]:
    """Return which parent sets agree with all decisions."""
    allowed = np.ones(len(sets), dtype=bool)
    for decision in decisions:
        own = sets.span(decision.child)
        if isinstance(decision, SetDecision):
            allowed[own] &= (sets.rank[own] == decision.rank) == decision.taken
            continue
        child, parent, present = decision
        allowed[own] &= sets.with_parent(child, parent) == present
        if present:
            allowed[sets.span(parent)] &= ~sets.with_parent(parent, child)
    return allowed
