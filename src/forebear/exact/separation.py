"""Find cuts that a relaxed solution violates, and choose the most useful of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear import _core
from forebear._util.products import sum_rows
from forebear.exact.cuts import ClusterCut, Cut, LocalCut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.exact.flatsets import FlatSets

MOST_K = 3
"""Largest k of the cluster cuts."""
EXACT_NODES = 20_000
"""Nodes of the exact search for a cluster: some milliseconds."""

_FEW = 5  # with fewer cuts than this, more are searched
# Variables and choices of groups, by depth. Many small groups find more cuts than few large ones,
# and take less time; large ones find what small ones cannot.
_GROUPS = ((5, 60), (8, 120), (12, 150))
DEPTHS = len(_GROUPS)
"""The largest depth of the search for cuts."""
_PARALLEL = 0.85  # of two cuts whose cosine is larger, only one is added


class Found(NamedTuple):
    """Cuts, and by how much the solution violates each, as a share of its largest coefficient."""

    cuts: list[Cut]
    violation: list[float]


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
) -> tuple[list[Cut], int]:
    """Find violated cuts, and return with which depth.

    At depth 0 these are clusters; with each further one, local cuts of larger groups join them. As
    long as there are few, the depth increases up to ``most``.
    """
    view = (
        sets.n_variables,
        sets.child[solution.chosen],
        np.ascontiguousarray(sets.parents[solution.chosen]),
        np.ascontiguousarray(solution.weight),
    )
    found = _core.cluster_cuts(
        *view, most_level=MOST_K, most_nodes=EXACT_NODES, budget=budget, threads=threads
    )
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
        if len(cuts) >= _FEW or depth >= most:
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
        if not kept or sum_rows(rows[kept], rows[i]).max() <= _PARALLEL:
            kept.append(i)
    return [cuts[i] for i in kept]


def used_sets(sets: FlatSets, chosen: NDArray[np.int64]) -> FlatSets:
    """Return the sets of a solution, to look up coefficients."""
    keep = np.zeros(len(sets), dtype=bool)
    keep[chosen] = True
    return sets.kept(keep)
