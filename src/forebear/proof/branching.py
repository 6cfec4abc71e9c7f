"""Decisions of branch and cut: when to branch, on what, and what that implies.

Strong branching: a decision is good if the bound rises on both sides. The rise is estimated with a
few pivots of the linear program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear import _core
from forebear.proof.separation import DEPTHS, TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.proof.flat_sets import FlatSets
    from forebear.proof.relaxation import Relaxation

    Pairs = tuple[tuple[int, int], ...]

_WITHOUT_GAIN = 8
"""A decision is chosen when this many in a row were no better than the best so far: on wdbc, autos
and alarm, after 14 on average."""
_PIVOTS = 150
"""Pivots of the linear program for a trial. With 1,000, wdbc took 8.1 s instead of 7.1 s, and alarm
4.4 s instead of 3.8 s."""


@dataclass(frozen=True)
class Effort:
    """The effort spent on a node before it is split. It affects the speed of proofs only.

    Pairs hold the values for the root and for all other nodes. Before the root, the dual ascent
    ends as the rounds of the root do.

    Parameters
    ----------
    most_sets
        Linear programs are used if the dual ascent leaves at most this many sets: a coefficient
        takes 16 bytes, so 1,000 cuts require up to 5 GB.
    ascent_rounds
        The largest number of rounds of the dual ascent before branch and cut.
    depth
        The largest depth of the search for cuts.
    few_cuts
        With fewer cuts than this, the search goes deeper.
    slow
        After a round of cuts that closes less than this share of the gap, the search goes deeper as
        well.
    rounds
        Over this many rounds of cuts ...
    progress
        ... the gap must shrink by this share.
    """

    most_sets: int = 300_000
    ascent_rounds: int | None = None
    depth: int = DEPTHS
    few_cuts: int = 5
    slow: float = 0.02
    rounds: tuple[int, int] = (10, 3)
    progress: tuple[float, float] = (0.02, 0.08)


USUAL_EFFORT = Effort()


class ArcDecision(NamedTuple):
    """The child has this parent, or does not have it."""

    child: int
    parent: int
    present: bool


@dataclass
class Node:
    """A subproblem: every network that agrees with its decisions costs ``cost`` or more.

    ``allowed`` are the sets that a network better than the incumbents can still have, as packed
    bits. ``record`` is the number of the node in a certificate.
    """

    cost: int
    number: int
    allowed: NDArray[np.uint8]
    record: int = 0

    def __lt__(self, other: Node) -> bool:
        """Order nodes by cost, lowest first, then by age."""
        return (self.cost, self.number) < (other.cost, other.number)


def restrict(
    sets: FlatSets,
    allowed: NDArray[np.bool_],
    before: Pairs,
    child: int,
    fits: NDArray[np.bool_],
) -> NDArray[np.bool_] | None:
    """Return the sets left if a child has one of the given sets, or None if no network does."""
    allowed = allowed.copy()
    allowed[sets.span(child)] &= fits
    return allowed if propagate(sets, allowed, before) else None


def propagate(sets: FlatSets, allowed: NDArray[np.bool_], before: Pairs) -> bool:
    """Remove the sets that would close a cycle; return whether every variable has a set left.

    The first of each pair comes before the second. A variable that all allowed sets of v contain
    comes before v, and what comes before that, too; so no set of a variable may contain one that
    comes after it.
    """
    return _core.propagate_ancestry(sets.starts, sets.parents, list(before), allowed.view(np.uint8))


class Side(NamedTuple):
    """One side of a decision; ``allowed`` is None if no network is on it."""

    decision: ArcDecision
    allowed: NDArray[np.bool_] | None


def fractional_arcs(arcs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """List child and parent of the fractional arcs, the least decided first."""
    fractional = np.minimum(arcs, 1.0 - arcs)
    children, parents = np.nonzero(fractional > TOLERANCE)
    order = np.argsort(-fractional[children, parents], kind="stable")
    return list(zip(children[order].tolist(), parents[order].tolist(), strict=True))


def choose(
    arcs: list[tuple[int, int]],
    allowed: NDArray[np.bool_],
    before: Pairs,
    relaxation: Relaxation,
) -> list[Side]:
    """Choose the arc with the most promising sides; a side without networks is the best.

    The side on which the bound rises less comes first.
    """
    value = relaxation.value
    best: list[Side] = []
    most, worse = -1.0, 0
    for child, parent in arcs:
        if worse >= _WITHOUT_GAIN:
            break
        sides, masks = [], []
        has = relaxation.sets.with_parent(child, parent)
        for present in (True, False):
            left = restrict(relaxation.sets, allowed, before, child, has == present)
            sides.append(Side(ArcDecision(child, parent, present), left))
            if left is not None:
                masks.append(left)
        if len(masks) < 2:
            return sides
        gains = [max(0.0, after - value) for after in relaxation.try_without(masks, _PIVOTS)]
        # A gain of 0 on one side must not hide that on the other.
        product = max(gains[0], 1e-6) * max(gains[1], 1e-6)
        worse += 1
        if product > most:
            most, worse = product, 0
            best = sides if gains[0] <= gains[1] else sides[::-1]
    return best
