"""Inequalities that every network satisfies, and relaxed solutions may not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.exact.problem import Candidates


_IN_PART = 1e-3


class Support(NamedTuple):
    """The chosen sets of a relaxed solution: whose, of which members, and how much of each."""

    child: NDArray[np.int64]
    members: NDArray[np.bool_]
    weight: NDArray[np.float64]

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return int(self.members.shape[1])

    @property
    def arcs(self) -> NDArray[np.float64]:
        """How much of each arc is chosen: [child, parent]."""
        arcs = np.zeros((self.n_variables, self.n_variables))
        np.add.at(arcs, self.child, self.weight[:, None] * self.members)
        return arcs

    @property
    def split(self) -> list[int]:
        """The variables that have some parent in part only."""
        arcs = self.arcs
        return np.flatnonzero((np.minimum(arcs, 1.0 - arcs) > _IN_PART).any(axis=1)).tolist()


class Cut(Protocol):
    """The weights of sets, times their coefficients, add up to no more than ``limit``."""

    @property
    def limit(self) -> float:
        """The most that a network has."""

    @property
    def most(self) -> float:
        """The most that any choice of sets has, cyclic or not."""

    def coefficients(self, candidates: Candidates) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """List the candidates that count, and how much each does."""


@dataclass(frozen=True)
class ClusterCut:
    """Of a cluster C no more than \\|C\\| - k variables have k or more parents in it.

    For the first k of them in a topological order have less. With k = 1 it is
    the cluster inequality of Jaakkola and others (2010); GOBNILP has larger k, too.
    """

    cluster: tuple[int, ...]
    k: int = 1

    @property
    def limit(self) -> float:
        """All but k."""
        return float(len(self.cluster) - self.k)

    @property
    def most(self) -> float:
        """All of them."""
        return float(len(self.cluster))

    def coefficients(self, candidates: Candidates) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Count the sets with k or more members in the cluster."""
        inside = np.zeros(candidates.n_variables + 1, dtype=np.int8)
        inside[list(self.cluster)] = 1
        spans = [candidates.span(v) for v in self.cluster]
        hits = (inside[candidates.parents[:, own]].sum(axis=0) for own in spans)
        found = [
            own.start + np.flatnonzero(h >= self.k) for own, h in zip(spans, hits, strict=True)
        ]
        places = np.concatenate(found)
        return places, np.ones(len(places))


@dataclass(frozen=True)
class LocalCut:
    """What the variables of a group count together, each by its parents in the group.

    ``values[i][parents]`` is what the i-th of them counts if these, a mask
    within the group, are its parents there.
    """

    group: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    limit: float

    @property
    def most(self) -> float:
        """The largest value of each."""
        return sum(map(max, self.values))

    def coefficients(self, candidates: Candidates) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Look the values up."""
        bit = np.zeros(candidates.n_variables + 1, dtype=np.int64)
        bit[list(self.group)] = 1 << np.arange(len(self.group))
        places, values = [], []
        for v, table in zip(self.group, self.values, strict=True):
            own = candidates.span(v)
            value = np.array(table)[bit[candidates.parents[:, own]].sum(axis=0)]
            counts = np.flatnonzero(value)
            places.append(own.start + counts)
            values.append(value[counts])
        return np.concatenate(places), np.concatenate(values)


def as_rows(cuts: Sequence[Cut], candidates: Candidates) -> csr_array:
    """Lay the coefficients out: a row a cut, a column a candidate."""
    parts = [cut.coefficients(candidates) for cut in cuts]
    ends = np.cumsum([0, *(len(places) for places, _ in parts)])
    indices = np.concatenate([places for places, _ in parts])
    values = np.concatenate([values for _, values in parts])
    return csr_array((values, indices, ends), shape=(len(cuts), len(candidates)))
