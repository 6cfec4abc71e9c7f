"""Cuts: inequalities that every network satisfies but a relaxed solution may violate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.exact.flatsets import FlatSets

_FRACTIONAL = 1e-3  # an arc whose weight is this far from 0 and 1 is fractional


class Support(NamedTuple):
    """The parent sets that a relaxed solution uses: the child, members and weight of each."""

    child: NDArray[np.int64]
    members: NDArray[np.bool_]
    weight: NDArray[np.float64]

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return int(self.members.shape[1])

    @property
    def arcs(self) -> NDArray[np.float64]:
        """The weight of each arc: [child, parent]."""
        arcs = np.zeros((self.n_variables, self.n_variables))
        np.add.at(arcs, self.child, self.weight[:, None] * self.members)
        return arcs

    @property
    def split(self) -> list[int]:
        """The variables with a fractional arc to a parent."""
        arcs = self.arcs
        return np.flatnonzero((np.minimum(arcs, 1.0 - arcs) > _FRACTIONAL).any(axis=1)).tolist()


class Cut(Protocol):
    """An inequality: the weighted sum of coefficients is at most ``limit``."""

    @property
    def limit(self) -> float:
        """The highest value of any network."""

    @property
    def most(self) -> float:
        """The highest value of any choice of parent sets, cyclic or not."""

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the places of the sets with a coefficient, and the coefficients."""


@dataclass(frozen=True)
class ClusterCut:
    """At most \\|C\\| - k variables of a cluster C have k or more parents in C.

    The first k of them in a topological order have fewer. For k = 1 this is the cluster
    inequality of Jaakkola et al. (2010); GOBNILP uses larger k as well.
    """

    cluster: tuple[int, ...]
    k: int = 1

    @property
    def limit(self) -> float:
        """All variables of the cluster but k."""
        return float(len(self.cluster) - self.k)

    @property
    def most(self) -> float:
        """All variables of the cluster."""
        return float(len(self.cluster))

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return 1 for each set with k or more members in the cluster."""
        inside = np.zeros(sets.n_variables + 1, dtype=np.int8)
        inside[list(self.cluster)] = 1
        spans = [sets.span(v) for v in self.cluster]
        hits = (inside[sets.parents[:, own]].sum(axis=0) for own in spans)
        found = [
            own.start + np.flatnonzero(h >= self.k) for own, h in zip(spans, hits, strict=True)
        ]
        places = np.concatenate(found)
        return places, np.ones(len(places))


@dataclass(frozen=True)
class LocalCut:
    """An inequality over a group of variables, by their parents within the group.

    ``values[i][parents]`` is the coefficient of the i-th variable with these parents, given as
    a bit mask within the group.
    """

    group: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    limit: float

    @property
    def most(self) -> float:
        """The sum of the largest coefficients."""
        return sum(map(max, self.values))

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Look up the coefficients."""
        bit = np.zeros(sets.n_variables + 1, dtype=np.int64)
        bit[list(self.group)] = 1 << np.arange(len(self.group))
        places, values = [], []
        for v, table in zip(self.group, self.values, strict=True):
            own = sets.span(v)
            value = np.array(table)[bit[sets.parents[:, own]].sum(axis=0)]
            counts = np.flatnonzero(value)
            places.append(own.start + counts)
            values.append(value[counts])
        return np.concatenate(places), np.concatenate(values)


def as_rows(cuts: Sequence[Cut], sets: FlatSets) -> csr_array:
    """Return the coefficients as a matrix: one row per cut, one column per parent set."""
    parts = [cut.coefficients(sets) for cut in cuts]
    ends = np.cumsum([0, *(len(places) for places, _ in parts)])
    indices = np.concatenate([places for places, _ in parts])
    values = np.concatenate([values for _, values in parts])
    return csr_array((values, indices, ends), shape=(len(cuts), len(sets)))
