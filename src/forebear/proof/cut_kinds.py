"""Cuts: inequalities that every network satisfies.

All coefficients are whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from forebear.network.graphs import PartialGraph
from forebear.proof.flat_sets import FlatSets

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Coefficients = tuple[NDArray[np.int64], NDArray[np.int64]]


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

    def coefficients(self, sets: FlatSets) -> Coefficients:
        """Return the indices of the sets with a coefficient, and the coefficients."""


def as_rows(cuts: Sequence[Cut], sets: FlatSets) -> csr_array:
    """Return the coefficients as a matrix: one row per cut, one column per parent set."""
    from scipy.sparse import csr_array  # here: it would double the time of the import

    parts = [cut.coefficients(sets) for cut in cuts]
    ends = np.cumsum([0, *(len(places) for places, _ in parts)])
    indices = np.concatenate([np.zeros(0, dtype=np.int64), *(places for places, _ in parts)])
    values = np.concatenate([np.zeros(0, dtype=np.int64), *(values for _, values in parts)])
    return csr_array((values, indices, ends), shape=(len(cuts), len(sets)))


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
        """The number of variables in the cluster, minus k."""
        return len(self.cluster) - self.k

    @property
    def most(self) -> int:
        """The number of variables in the cluster."""
        return len(self.cluster)

    def coefficients(self, sets: FlatSets) -> Coefficients:
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

    def coefficients(self, sets: FlatSets) -> Coefficients:
        """Look up the coefficients."""
        bit = np.zeros(sets.n_variables + 1, dtype=np.int64)
        bit[list(self.group)] = 1 << np.arange(len(self.group))
        number = np.full(sets.n_variables + 1, -1)
        number[list(self.group)] = np.arange(len(self.group))
        own = np.flatnonzero(number[sets.child] >= 0)
        value = self.values[number[sets.child[own]], bit[sets.parents[own]].sum(axis=1)]
        counts = value != 0
        return own[counts], value[counts]


@dataclass(frozen=True)
class StatementCut:
    """A cut from a statement: not all heads can have, or lack, a parent among their tails.

    ``because`` is the kind of the statement. ``pair`` are its variables, or None for orders, where
    the cut follows from several statements. ``sides`` are groups of heads with their tails. The
    coefficient of a head's parent set is 1 if it has a member among the tails or, unless ``meets``,
    if it has none.
    """

    because: str
    pair: tuple[int, int] | None
    group: tuple[int, ...]
    sides: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    meets: bool

    largest = 1

    @property
    def limit(self) -> int:
        """One less than the number of heads."""
        return self.most - 1

    @property
    def most(self) -> int:
        """The number of heads."""
        return sum(len(heads) for heads, _ in self.sides)

    def coefficients(self, sets: FlatSets) -> Coefficients:
        """Return 1 for each set of a head that meets the tails, or does not."""
        parts = []
        for heads, tails in self.sides:
            is_head, is_tail = np.zeros((2, sets.n_variables + 1), dtype=bool)
            is_head[list(heads)] = is_tail[list(tails)] = True
            own = np.flatnonzero(is_head[sets.child])
            parts.append(own[is_tail[sets.parents[own]].any(axis=1) == self.meets])
        places = np.sort(np.concatenate(parts))
        return places, np.ones(len(places), dtype=np.int64)


@dataclass(frozen=True)
class ClassCut:
    """A network is not a member of an equivalence class.

    The members of a class have the same edges and the same compelled arcs. The parents of a
    variable are then its compelled parents and some of its other neighbors, all of them adjacent
    to each other. Conversely, a network in which all parent sets have this form has no further
    edges or colliders, so it is a member if it has the same number of arcs.

    The coefficient of a set that a member may have is its size plus one. Members reach the number
    of edges plus that of variables; all other networks stay below.
    """

    members: PartialGraph

    @property
    def limit(self) -> int:
        """One less than the sum of the coefficients of every member."""
        return self.most - 1

    @property
    def most(self) -> int:
        """The sum of the coefficients of every member.

        Choices of parent sets with a cycle may exceed it; other cuts exclude them.
        """
        members = self.members
        return len(members.directed) + len(members.undirected) + len(members.names)

    @property
    def largest(self) -> int:
        """An upper bound on the coefficients: the largest number of neighbors, plus one."""
        ends = np.array([*self.members.directed, *self.members.undirected], dtype=np.int64)
        return 1 + int(np.bincount(ends.ravel()).max(initial=0))

    def coefficients(self, sets: FlatSets) -> Coefficients:
        """Return the size plus one for each set that a member may have."""
        n = sets.n_variables
        compelled, free = np.zeros((2, n, n), dtype=bool)
        for parent, child in self.members.directed:
            compelled[child, parent] = True
        for a, b in self.members.undirected:
            free[a, b] = free[b, a] = True
        near = compelled | compelled.T | free
        usable = np.column_stack([compelled | free, np.ones(n, dtype=bool)])  # unused places, too
        required = compelled.sum(axis=1)
        places, values = [], []
        for place in np.flatnonzero(usable[sets.child[:, None], sets.parents].all(axis=1)).tolist():
            own, v = sets.parents[place], sets.child[place]
            own = own[own < n]
            is_compelled = compelled[v, own]
            others = own[~is_compelled]
            if is_compelled.sum() == required[v] and all(
                near[a, b] for a, b in combinations(others, 2)
            ):
                places.append(place)
                values.append(len(own) + 1)
        return np.array(places, dtype=np.int64), np.array(values, dtype=np.int64)
