"""Parent sets as bit masks: bit u of a mask says that variable u is a member."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import ForebearError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

MOST_VARIABLES = 63
"""As many as a signed word has bits for."""


class MaskedSets(NamedTuple):
    """The allowed sets of one variable, best first: their masks and scores."""

    masks: NDArray[np.int64]
    scores: NDArray[np.float64]

    def best(self, members: int) -> tuple[float, int]:
        """Return the score and the place of the best set within the members; -1 if none is."""
        within = (self.masks & ~np.int64(members)) == 0
        place = int(np.argmax(within)) if len(within) else 0
        if not len(within) or not within[place]:
            return -np.inf, -1
        return float(self.scores[place]), place


def masked_sets(parent_sets: ParentSets) -> list[MaskedSets]:
    """Turn every variable's sets into masks; sets that are not allowed are left out."""
    if parent_sets.n_variables > MOST_VARIABLES:
        raise ForebearError(
            f"masks are for up to {MOST_VARIABLES} variables, not for {parent_sets.n_variables}"
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
    """Tabulate the score of the best set within each subset of the first ``n_bits`` variables.

    All masks must be below ``2 ** n_bits``. The best set within a subset is that
    subset itself or lies within it less one member: one pass a bit.
    """
    table = np.full(1 << n_bits, -np.inf)
    # Worst first: of several scores for one place the last one written stays.
    table[sets.masks[::-1]] = sets.scores[::-1]
    for bit in range(n_bits):
        halves = table.reshape(-1, 2, 1 << bit)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return table
