"""Cuts: inequalities that every network satisfies but a relaxed solution may violate.

All coefficients are whole numbers, and more parents never have a smaller coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from forebear.exact.flatsets import FlatSets


class Cut(Protocol):
    """An inequality: the weighted sum of coefficients is at most ``limit``."""

    @property
    def limit(self) -> int:
        """The highest value of any network."""

    @property
    def most(self) -> int:
        """The highest value of any choice of parent sets, cyclic or not."""

    @property
    def largest(self) -> int:
        """The largest coefficient."""

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the indices of the sets with a coefficient, and the coefficients."""


@dataclass(frozen=True)
class ClusterCut:
    """At most \\|C\\| - k variables of a cluster C have k or more parents in C.

    The first k of them in a topological order have fewer. For k = 1 this is the cluster
    inequality of Jaakkola et al. (2010); GOBNILP uses larger k as well.
    """

    cluster: tuple[int, ...]
    k: int = 1

    largest = 1

    @property
    def limit(self) -> int:
        """All variables of the cluster but k."""
        return len(self.cluster) - self.k

    @property
    def most(self) -> int:
        """All variables of the cluster."""
        return len(self.cluster)

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return 1 for each set with k or more members in the cluster."""
        inside = np.zeros(sets.n_variables + 1, dtype=np.int8)
        inside[list(self.cluster)] = 1
        own = np.flatnonzero(inside[sets.child])
        places = own[inside[sets.parents[own]].sum(axis=1) >= self.k]
        return places, np.ones(len(places), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class LocalCut:
    """An inequality over a group of variables, by their parents within the group.

    ``values[i, parents]`` is the coefficient of the i-th variable with these parents, given as
    a bit mask within the group.
    """

    group: tuple[int, ...]
    values: NDArray[np.int64]
    limit: int

    @cached_property
    def most(self) -> int:
        """The sum of the largest coefficients."""
        return int(self.values.max(axis=1).sum())

    @cached_property
    def largest(self) -> int:
        """The largest coefficient."""
        return int(self.values.max())

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Look up the coefficients."""
        bit = np.zeros(sets.n_variables + 1, dtype=np.int64)
        bit[list(self.group)] = 1 << np.arange(len(self.group))
        number = np.full(sets.n_variables + 1, -1)
        number[list(self.group)] = np.arange(len(self.group))
        own = np.flatnonzero(number[sets.child] >= 0)
        value = self.values[number[sets.child[own]], bit[sets.parents[own]].sum(axis=1)]
        counts = value != 0
        return own[counts], value[counts]


def as_rows(cuts: Sequence[Cut], sets: FlatSets) -> csr_array:
    """Return the coefficients as a matrix: one row per cut, one column per parent set."""
    from scipy.sparse import csr_array  # here: it would double the time of the import

    parts = [cut.coefficients(sets) for cut in cuts]
    ends = np.cumsum([0, *(len(places) for places, _ in parts)])
    indices = np.concatenate([np.zeros(0, dtype=np.int64), *(places for places, _ in parts)])
    values = np.concatenate([np.zeros(0, dtype=np.int64), *(values for _, values in parts)])
    return csr_array((values, indices, ends), shape=(len(cuts), len(sets)))
