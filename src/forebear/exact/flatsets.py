"""FlatSets: the parent sets that branch and cut works on, as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets


@dataclass(frozen=True, eq=False)
class FlatSets:
    """Parent sets of all variables, sorted by variable and then by score, best first.

    ``top[v]`` is the best score of variable ``v``. For each set, ``child`` is its variable,
    ``rank`` its rank among all sets of that variable (from 0) and ``loss`` how much lower it
    scores than ``top``: the solver works better with small numbers. ``parents`` has one column
    per set; unused places hold the number of variables.
    """

    top: NDArray[np.float64]
    child: NDArray[np.int64]
    rank: NDArray[np.int64]
    loss: NDArray[np.float64]
    parents: NDArray[np.int64]

    @classmethod
    def of(
        cls, parent_sets: ParentSets, survivors: Sequence[NDArray[np.int32]] | None = None
    ) -> FlatSets:
        """Take all allowed sets, or those of them with the surviving ranks of each variable."""
        n = parent_sets.n_variables
        child = np.repeat(np.arange(n), parent_sets.counts)
        rank = np.arange(len(parent_sets)) - parent_sets.offsets[:-1][child]
        # If a variable has no allowed set, its top is 0; then there is no network.
        first = parent_sets.scores[parent_sets.offsets[:-1]]
        top = np.where(np.isfinite(first), first, 0.0)
        allowed = np.isfinite(parent_sets.scores)
        if survivors is not None:
            starts = parent_sets.offsets[:-1].tolist()
            left = [start + own for start, own in zip(starts, survivors, strict=True)]
            allowed &= np.isin(np.arange(len(parent_sets)), np.concatenate(left))
        return cls(
            top,
            child[allowed],
            rank[allowed],
            (top[child] - parent_sets.scores)[allowed],
            np.minimum(parent_sets.parents, n).astype(np.int64)[:, allowed],
        )

    def __len__(self) -> int:
        return len(self.child)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.top)

    def span(self, variable: int) -> slice:
        """Return where the sets of a variable are."""
        ends = np.searchsorted(self.child, [variable, variable + 1])
        return slice(int(ends[0]), int(ends[1]))

    def kept(self, keep: NDArray[np.bool_]) -> FlatSets:
        """Return only these sets."""
        return FlatSets(
            self.top, self.child[keep], self.rank[keep], self.loss[keep], self.parents[:, keep]
        )

    def places(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find the sets with these ranks, one per variable; dropped sets are left out."""
        return np.flatnonzero(self.rank == ranks[self.child])

    def members(self, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the members of some sets: one row per set, one column per variable."""
        table = np.zeros((len(chosen), self.n_variables + 1), dtype=bool)
        table[np.arange(len(chosen)), self.parents[:, chosen]] = True
        return table[:, :-1]

    def with_parent(self, child: int, parent: int) -> NDArray[np.bool_]:
        """Return which sets of a child contain a parent."""
        return np.asarray((self.parents[:, self.span(child)] == parent).any(axis=0))
