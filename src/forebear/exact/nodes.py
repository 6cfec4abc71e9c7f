"""The nodes of branch and cut: what is decided, and which sets that leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from forebear.exact.problem import Candidates


class ArcDecision(NamedTuple):
    """The child has this parent, or has it not."""

    child: int
    parent: int
    present: bool


class SetDecision(NamedTuple):
    """The child has its set of this rank (from 0), or has another one."""

    child: int
    rank: int
    taken: bool


@dataclass
class Node:
    """A part of the problem: no network in it scores more than ``bound``."""

    bound: float
    number: int
    decisions: tuple[ArcDecision | SetDecision, ...] = ()

    def __lt__(self, other: Node) -> bool:
        """Tell which comes first: the highest bound, then the older one."""
        return (-self.bound, self.number) < (-other.bound, other.number)


def allowed_by(
    decisions: Iterable[ArcDecision | SetDecision], candidates: Candidates
) -> NDArray[np.bool_]:
    """Tell which candidates agree with all decisions."""
    allowed = np.ones(len(candidates), dtype=bool)
    for decision in decisions:
        own = candidates.span(decision.child)
        if isinstance(decision, SetDecision):
            allowed[own] &= (candidates.rank[own] == decision.rank) == decision.taken
            continue
        child, parent, present = decision
        allowed[own] &= candidates.with_parent(child, parent) == present
        if present:
            allowed[candidates.span(parent)] &= ~candidates.with_parent(parent, child)
    return allowed
