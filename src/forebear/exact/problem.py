"""The parent sets that can still be in a better network, as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets


@dataclass(frozen=True, eq=False)
class Candidates:
    """Sets of all variables, by variable and best first.

    ``loss`` is what a set costs beside the best one of its variable, whose
    score is ``top``: small numbers, for the sake of the solver. ``rank`` counts
    from 0 among all sets of the variable. Unused places of ``parents`` hold the
    number of variables.
    """

    top: NDArray[np.float64]
    child: NDArray[np.int64]
    rank: NDArray[np.int64]
    loss: NDArray[np.float64]
    parents: NDArray[np.int64]

    @classmethod
    def of(
        cls, parent_sets: ParentSets, survivors: Sequence[NDArray[np.int32]] | None = None
    ) -> Candidates:
        """Take all sets that are allowed, or of these the surviving ranks of each variable."""
        n = parent_sets.n_variables
        child = np.repeat(np.arange(n), parent_sets.counts)
        rank = np.arange(len(parent_sets)) - parent_sets.offsets[:-1][child]
        # A variable without any allowed set has a top of 0: there is no network then.
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
        """The number of variables."""
        return len(self.top)

    def span(self, variable: int) -> slice:
        """Where the sets of a variable lie."""
        ends = np.searchsorted(self.child, [variable, variable + 1])
        return slice(int(ends[0]), int(ends[1]))

    def kept(self, keep: NDArray[np.bool_]) -> Candidates:
        """Return some of them only."""
        return Candidates(
            self.top, self.child[keep], self.rank[keep], self.loss[keep], self.parents[:, keep]
        )

    def places(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find the candidates that have these ranks, one a variable; those left out are missing."""
        return np.flatnonzero(self.rank == ranks[self.child])

    def members(self, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tabulate the members of some candidates: a row each, a column a variable."""
        table = np.zeros((len(chosen), self.n_variables + 1), dtype=bool)
        table[np.arange(len(chosen)), self.parents[:, chosen]] = True
        return table[:, :-1]

    def with_parent(self, child: int, parent: int) -> NDArray[np.bool_]:
        """Tell which sets of a child have a parent."""
        return np.asarray((self.parents[:, self.span(child)] == parent).any(axis=0))
