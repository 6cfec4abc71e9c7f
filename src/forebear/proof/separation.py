"""Cuts: inequalities that every network satisfies; which of them a relaxed solution violates.

All coefficients are whole numbers, and more parents never have a smaller coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from forebear import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from forebear.proof.flat_sets import FlatSets

MOST_K = 3
"""Largest k of the cluster cuts."""

# Variables and choices of groups, by depth. Many small groups find more cuts than few large ones,
# and take less time; large ones find what small ones cannot. With groups of 12 as well, alarm with
# 10,000 rows took 7.6 s instead of 4.9 s, and wdbc as long (11.8 s).
_GROUPS = ((5, 60), (8, 120))
DEPTHS = len(_GROUPS)
"""The largest depth of the search for cuts."""
_PARALLEL = 0.85  # of two cuts whose cosine is larger, only one is added


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


class Solution(NamedTuple):
    """A relaxed solution: the indices of the sets it uses, and their weights."""

    chosen: NDArray[np.int64]
    weight: NDArray[np.float64]

    def arcs(self, sets: FlatSets) -> NDArray[np.float64]:
        """Return the weight of each arc: [child, parent]."""
        n = sets.n_variables
        arcs = np.zeros((n, n + 1))
        child = np.repeat(sets.child[self.chosen], sets.parents.shape[1])
        np.add.at(
            arcs,
            (child, sets.parents[self.chosen].ravel()),
            np.repeat(self.weight, sets.parents.shape[1]),
        )
        return arcs[:, :-1]


def find_cuts(
    solution: Solution,
    sets: FlatSets,
    budget: _core.Budget,
    threads: int,
    depth: int,
    most: int = DEPTHS,
    few: int = 5,
) -> tuple[list[Cut], int]:
    """Find violated cuts, and return with which depth.

    At depth 0 these are clusters; with each further one, local cuts of larger groups join them. As
    long as there are fewer than ``few``, the depth increases up to ``most``.
    """
    view = (
        sets.n_variables,
        sets.child[solution.chosen],
        np.ascontiguousarray(sets.parents[solution.chosen]),
        np.ascontiguousarray(solution.weight),
    )
    found = _core.cluster_cuts(*view, most_level=MOST_K, budget=budget, threads=threads)
    cuts: list[Cut] = [ClusterCut(tuple(members), level) for members, level, _ in found]
    violation = [value for *_, value in found]
    searched = 0
    while True:
        for variables, choices in _GROUPS[searched:depth]:
            more = _core.local_cuts(
                *view, variables=variables, choices=choices, budget=budget, threads=threads
            )
            for group, values, limit, value in more:
                table = np.array(values, dtype=np.int64).reshape(len(group), -1)
                cuts.append(LocalCut(tuple(group), table, limit))
                violation.append(value)
        searched = depth
        if len(cuts) >= few or depth >= most:
            return select(cuts, violation, solution, sets), depth
        depth += 1


def select(
    cuts: Sequence[Cut], violation: Sequence[float], solution: Solution, sets: FlatSets
) -> list[Cut]:
    """Keep the cuts that are deepest, relative to their length, and not nearly parallel."""
    if len(cuts) < 2:
        return list(cuts)
    most = max(30, sets.n_variables)
    used = used_sets(sets, solution.chosen)
    rows = np.zeros((len(cuts), len(solution.chosen)))
    for row, cut in zip(rows, cuts, strict=True):
        places, values = cut.coefficients(used)
        row[places] = values / cut.largest
    length = np.sqrt((rows * rows).sum(axis=1)) + 1e-9
    rows /= length[:, None]
    order = np.argsort(-np.array(violation) / length, kind="stable")
    kept: list[int] = []
    for i in order.tolist():
        if len(kept) >= most:
            break
        # Not with @, which calls a library that may use every core.
        if not kept or np.einsum("ij,j->i", rows[kept], rows[i]).max() <= _PARALLEL:
            kept.append(i)
    return [cuts[i] for i in kept]


def used_sets(sets: FlatSets, chosen: NDArray[np.int64]) -> FlatSets:
    """Return the sets of a solution, to look up coefficients."""
    keep = np.zeros(len(sets), dtype=bool)
    keep[chosen] = True
    return sets.kept(keep)
