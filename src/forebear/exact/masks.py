"""MaskedSets: parent sets as bit masks, where bit u means that variable u is a member."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import ForebearError, Parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

MOST_VARIABLES = 63
"""Largest number of variables: a signed 64-bit word has 63 bits for them."""


class MaskedSets(NamedTuple):
    """The masks and scores of one variable's allowed parent sets, best first."""

    masks: NDArray[np.int64]
    scores: NDArray[np.float64]

    def best(self, members: int) -> tuple[float, int]:
        """Return the score and the place of the best subset of ``members``; place -1 if none is."""
        within = (self.masks & ~np.int64(members)) == 0
        place = int(np.argmax(within)) if len(within) else 0
        if not len(within) or not within[place]:
            return -np.inf, -1
        return float(self.scores[place]), place


def masked_sets(parent_sets: ParentSets) -> list[MaskedSets]:
    """Turn the sets of every variable into masks; sets that are not allowed are left out."""
    if parent_sets.n_variables > MOST_VARIABLES:
        raise ForebearError(
            f"A* handles at most {MOST_VARIABLES} variables, got {parent_sets.n_variables}: use ",
            Parameter("method", "branch-and-cut"),
        )
    bits = np.zeros(len(parent_sets), dtype=np.int64)
    for slot in parent_sets.parents:
        used = slot != parent_sets.none
        bits[used] |= np.int64(1) << slot[used].astype(np.int64)
    result = []
    for v in range(parent_sets.n_variables):
        span = slice(int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1]))
        allowed = np.isfinite(parent_sets.scores[span])
        result.append(MaskedSets(bits[span][allowed], parent_sets.scores[span][allowed]))
    return result


def best_within(sets: MaskedSets, n_bits: int) -> NDArray[np.float64]:
    """Return the score of the best set within each subset of the first ``n_bits`` variables.

    All masks must be below ``2 ** n_bits``. The best set within a subset is the subset itself
    or is within the subset without one member, so one pass per bit suffices.
    """
    table = np.full(1 << n_bits, -np.inf)
    # Worst first: if a place is written several times, the last score stays.
    table[sets.masks[::-1]] = sets.scores[::-1]
    for bit in range(n_bits):
        halves = table.reshape(-1, 2, 1 << bit)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return table
