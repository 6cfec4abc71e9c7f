"""Which decision to branch on: reliability branching (Achterberg, Koch and Martin, 2005).

A decision is good if the bound rises on both sides. How much it rises is tried with a few pivots
of the linear program as long as too little is known, and else estimated from earlier nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear.exact.nodes import ArcDecision, OrderDecision, apply

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.exact.flatsets import FlatSets
    from forebear.exact.nodes import Decision
    from forebear.exact.relaxation import Relaxation

INTEGRAL = 1e-6
"""An arc whose weight is this close to 0 or 1 is decided."""

_CANDIDATES = 40  # decisions that are tried or estimated at a node, at most
# The others are left after this many decisions in a row that are no better than the best: more as
# long as all trials took fewer pivots than the nodes themselves, since a good decision saves nodes.
_WITHOUT_GAIN = {True: 20, False: 8}
_RELIABLE = 4  # after this many trials, earlier nodes tell enough
_PIVOTS = 150  # of a trial
_LEAST = 1e-6  # nats: a gain of 0 on one side must not hide that on the other

State = tuple["NDArray[np.bool_]", tuple[tuple[int, int], ...]]


class Side(NamedTuple):
    """One side of a decision; ``state`` is None if no network is on it."""

    decision: Decision
    state: State | None


class History:
    """How much the bound rose on each side of earlier decisions."""

    def __init__(self) -> None:
        self._gains: dict[Decision, tuple[float, int]] = {}

    def add(self, decision: Decision, gain: float) -> None:
        """Note a gain."""
        total, count = self._gains.get(decision, (0.0, 0))
        self._gains[decision] = (total + max(0.0, gain), count + 1)

    def estimate(self, decision: Decision) -> float | None:
        """Return the average gain, or None if it is not reliable yet."""
        total, count = self._gains.get(decision, (0.0, 0))
        return total / count if count >= _RELIABLE else None


def candidates(arcs: NDArray[np.float64]) -> list[tuple[Decision, Decision]]:
    """List decisions on fractional arcs, the least decided first."""
    fractional = np.minimum(arcs, 1.0 - arcs)
    # What both directions of an edge have in common is decided by the order of its ends.
    both = np.minimum(arcs, arcs.T)
    score = np.maximum(fractional, 2.0 * np.triu(np.minimum(both, 0.5)))
    order = np.argsort(-score, axis=None, kind="stable")[: 4 * _CANDIDATES]
    found: list[tuple[Decision, Decision]] = []
    for child, parent in zip(*np.unravel_index(order, arcs.shape), strict=True):
        v, u = int(child), int(parent)
        if score[v, u] <= INTEGRAL or len(found) >= _CANDIDATES:
            break
        if both[v, u] > INTEGRAL:
            pair: tuple[Decision, Decision] = (OrderDecision(u, v), OrderDecision(v, u))
            if v > u:
                pair = (pair[1], pair[0])
        elif fractional[v, u] > INTEGRAL:
            pair = (ArcDecision(v, u, True), ArcDecision(v, u, False))
        else:
            continue
        if pair not in found:
            found.append(pair)
    return found


def choose(
    pairs: list[tuple[Decision, Decision]],
    state: State,
    relaxation: Relaxation,
    history: History,
) -> list[Side]:
    """Choose the decision whose two sides promise most; a side without networks is the best.

    The side on which the bound rises less comes first.
    """
    sets: FlatSets = relaxation.sets
    value = relaxation.value
    best: list[Side] = []
    most, worse = -1.0, 0
    for pair in pairs:
        if worse >= _WITHOUT_GAIN[relaxation.tried_pivots < relaxation.pivots]:
            break
        sides = [Side(decision, apply(decision, sets, *state)) for decision in pair]
        if any(side.state is None for side in sides):
            return sides
        known = [history.estimate(decision) for decision in pair]
        if any(gain is None for gain in known):
            masks = [side.state[0] for side in sides if side.state is not None]
            tried = relaxation.try_without(masks, _PIVOTS)
            known = [max(0.0, after - value) for after in tried]
            for decision, gain in zip(pair, known, strict=True):
                history.add(decision, gain or 0.0)
        product = float(np.prod([max(gain or 0.0, _LEAST) for gain in known]))
        worse += 1
        if product > most:
            most, worse = product, 0
            best = sides if (known[0] or 0.0) <= (known[1] or 0.0) else sides[::-1]
    return best
