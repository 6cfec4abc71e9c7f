"""Strong branching: on which arc a node is split, and which parent sets that leaves.

An arc is good if the bound rises on both sides: with the arc and without it. The rise is estimated
with a few pivots of the linear program. ``node_queue`` decides which node is explored next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.proof.flat_sets import FlatSets
from forebear.proof.separation import TOLERANCE

if TYPE_CHECKING:
    from forebear.proof.relaxation import Relaxation  # it imports SciPy, which takes long

Pairs = tuple[tuple[int, int], ...]

_WITHOUT_GAIN = 8
"""A decision is chosen when this many in a row were no better than the best so far: on wdbc, autos
and alarm, after 14 on average."""
_PIVOTS = 150
"""Pivots of the linear program for a trial. With 1,000, wdbc took 8.1 s instead of 7.1 s, and alarm
4.4 s instead of 3.8 s."""


class ArcDecision(NamedTuple):
    """The child has this parent, or does not have it."""

    child: int
    parent: int
    present: bool


def restrict(
    sets: FlatSets,
    allowed: NDArray[np.bool_],
    before: Pairs,
    child: int,
    fits: NDArray[np.bool_],
) -> NDArray[np.bool_] | None:
    """Return the sets left if a child has one of the given sets; None if no network is left."""
    allowed = allowed.copy()
    allowed[sets.span(child)] &= fits
    return allowed if propagate(sets, allowed, before) else None


def propagate(sets: FlatSets, allowed: NDArray[np.bool_], before: Pairs) -> bool:
    """Remove the sets that would close a cycle; return whether every variable has a set left.

    The first of each pair in ``before`` precedes the second. A variable that all allowed sets of v
    contain precedes v, and so do the variables that precede it. No set of a variable may contain a
    variable that comes later.
    """
    return _core.propagate_ancestry(sets.starts, sets.parents, list(before), allowed.view(np.uint8))


class BranchSide(NamedTuple):
    """One side of a decision; ``allowed`` is None if no network is on it."""

    decision: ArcDecision
    allowed: NDArray[np.bool_] | None


def fractional_arcs(arcs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """List child and parent of the fractional arcs, those closest to 0.5 first."""
    fractional = np.minimum(arcs, 1.0 - arcs)
    children, parents = np.nonzero(fractional > TOLERANCE)
    order = np.argsort(-fractional[children, parents], kind="stable")
    return list(zip(children[order].tolist(), parents[order].tolist(), strict=True))


def choose_arc(
    arcs: list[tuple[int, int]],
    allowed: NDArray[np.bool_],
    before: Pairs,
    relaxation: Relaxation,
) -> list[BranchSide]:
    """Choose the arc with the most promising sides; a side without networks is the best.

    The side on which the bound rises less comes first.
    """
    value = relaxation.value
    best: list[BranchSide] = []
    most, worse = -1.0, 0
    for child, parent in arcs:
        if worse >= _WITHOUT_GAIN:
            break
        sides, masks = [], []
        has = relaxation.sets.with_parent(child, parent)
        for present in (True, False):
            left = restrict(relaxation.sets, allowed, before, child, has == present)
            sides.append(BranchSide(ArcDecision(child, parent, present), left))
            if left is not None:
                masks.append(left)
        if len(masks) < 2:
            return sides
        gains = [max(0.0, after - value) for after in relaxation.estimate_values(masks, _PIVOTS)]
        # A gain of 0 on one side must not hide that on the other.
        product = max(gains[0], 1e-6) * max(gains[1], 1e-6)
        worse += 1
        if product > most:
            most, worse = product, 0
            best = sides if gains[0] <= gains[1] else sides[::-1]
    return best
