"""Separation: find clusters and local cuts that a relaxed solution violates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.proof.cut_kinds import ClusterCut, Cut, LocalCut
from forebear.proof.flat_sets import FlatSets

# Variables and choices of groups, by depth. Many small groups find more cuts than few large ones,
# and take less time; large ones find what small ones cannot. With groups of 12 as well, alarm with
# 10,000 rows took 7.6 s instead of 4.9 s, and wdbc as long (11.8 s).
_GROUPS = ((5, 60), (8, 120))
DEPTHS = len(_GROUPS)
"""The largest depth of the search for cuts."""
_PARALLEL = 0.85  # of two cuts whose cosine is larger, only one is added
TOLERANCE = 1e-6
"""The accuracy of the weight of an arc, a sum of weights that HiGHS computes up to 1e-7. An arc
this near to 0 or 1 is decided, cuts violated by less are useless, and flows are multiples of it."""


class Solution(NamedTuple):
    """A relaxed solution: the indices of the sets it uses, and their weights."""

    chosen: NDArray[np.int64]
    weight: NDArray[np.float64]

    def arcs(self, sets: FlatSets) -> NDArray[np.float64]:
        """Return the weight of each arc: [child, parent]."""
        n = sets.n_variables
        arcs = np.zeros((n, n + 1))
        np.add.at(
            arcs,
            (sets.child[self.chosen][:, None], sets.parents[self.chosen]),
            self.weight[:, None],
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
    """Find violated cuts; return them and the depth of the search.

    At depth 0, only clusters are searched. Each further depth adds local cuts of larger groups. The
    depth increases up to ``most`` as long as there are fewer than ``few`` cuts.
    """
    view = (
        sets.n_variables,
        sets.child[solution.chosen],
        np.ascontiguousarray(sets.parents[solution.chosen]),
        np.ascontiguousarray(solution.weight),
    )
    found = _core.cluster_cuts(*view, budget=budget, threads=threads)
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
            return select_cuts(cuts, violation, solution, sets), depth
        depth += 1


def select_cuts(
    cuts: Sequence[Cut], violation: Sequence[float], solution: Solution, sets: FlatSets
) -> list[Cut]:
    """Keep the cuts that are deepest, relative to their length, and not nearly parallel."""
    most = max(30, sets.n_variables)
    is_chosen = np.zeros(len(sets), dtype=bool)
    is_chosen[solution.chosen] = True
    used = sets.kept(is_chosen)
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
