"""Finding clusters that a relaxed solution violates: along cycles, and by growing them.

Over a cluster C, the sets with less than k members in C must weigh k or more
(see ``ClusterCut``): clusters where they weigh as little as possible are sought.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from forebear.exact.cuts import ClusterCut

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from forebear.exact.cuts import Support

VIOLATED = 1e-4
"""The least violation worth a cut."""
MOST_K = 3
MOST_CUTS = 100
"""The most clusters given at once: more of them would say the same."""

_LARGEST_GROWN = 12
_ROUND_OFF = 1e-9


def violated_clusters(support: Support) -> list[ClusterCut]:
    """Find inequalities that the solution breaks, the most violated first.

    Where all weights are 0 or 1, a cycle is found if there is one; elsewhere, clusters
    also grow from the variables that have some parent in part only.
    """
    n = support.n_variables
    cycles = list(_cycles(support.arcs))
    found: dict[ClusterCut, float] = {}
    for k in range(1, MOST_K + 1):
        starts = [start for start in cycles if start.sum() > k]
        starts += [_grown(support, v, k) for v in support.split if n > k]
        for start in starts:
            for cluster in (start, _climbed(support, start, k)):
                cut = ClusterCut(tuple(np.flatnonzero(cluster).tolist()), k)
                if cut not in found:
                    found[cut] = k - _slim(support, cluster, k)
    violated = [cut for cut, violation in found.items() if violation > VIOLATED]
    return sorted(violated, key=lambda cut: (-found[cut], cut.k, cut.cluster))[:MOST_CUTS]


def _cycles(arcs: NDArray[np.float64]) -> Iterable[NDArray[np.bool_]]:
    """Find through each arc the cycle that lacks the least, if that violates its cluster.

    A variable of the cycle avoids it no more than it lacks the arc that leads to
    it, so a cycle that lacks less than 1 in all is violated.
    """
    n = len(arcs)
    children, parents = np.nonzero(arcs > _ROUND_OFF)
    # Nothing may cost nothing: to the sparse matrix that would be no arc.
    cost = np.maximum(1.0 - arcs[children, parents], _ROUND_OFF)
    graph = csr_array((cost, (parents, children)), shape=(n, n))
    distance, before = dijkstra(graph, return_predecessors=True, limit=1.0)
    seen = set()
    for child, parent, lacking in zip(children, parents, cost, strict=True):
        if distance[child, parent] + lacking < 1.0 - VIOLATED:
            cycle = np.zeros(n, dtype=bool)
            v = parent
            while v != child:
                cycle[v] = True
                v = before[child, v]
            cycle[child] = True
            if (key := cycle.tobytes()) not in seen:
                seen.add(key)
                yield cycle


def _slim(support: Support, cluster: NDArray[np.bool_], k: int) -> float:
    """Add up the weight of the sets with less than k members in a cluster, over all of it."""
    few = support.members[:, cluster].sum(axis=1) < k
    return float(support.weight[few & cluster[support.child]].sum())


def _changes(support: Support, cluster: NDArray[np.bool_], k: int) -> NDArray[np.float64]:
    """Tell for each variable how the weight of slim sets changes if it joins, or leaves."""
    hits = support.members[:, cluster].sum(axis=1)
    inside = support.weight * cluster[support.child]
    slim = hits < k
    own = np.bincount(support.child[slim], support.weight[slim], minlength=len(cluster))
    joining = own - (inside * (hits == k - 1)) @ support.members
    leaving = (inside * (hits == k)) @ support.members - own
    return np.asarray(np.where(cluster, leaving, joining))


def _grown(support: Support, seed: int, k: int) -> NDArray[np.bool_]:
    """Grow a cluster from one variable, always by the best one; return the best on the way."""
    cluster = np.zeros(support.n_variables, dtype=bool)
    cluster[seed] = True
    weight, best, best_weight = 1.0, cluster, np.inf
    for size in range(2, min(_LARGEST_GROWN, len(cluster)) + 1):
        changes = np.where(cluster, np.inf, _changes(support, cluster, k))
        v = int(np.argmin(changes))
        cluster[v] = True
        weight += changes[v]
        if size > k and weight < best_weight - _ROUND_OFF:
            best, best_weight = cluster.copy(), weight
    return best


def _climbed(support: Support, start: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    """Let variables join or leave as long as the inequality becomes more violated."""
    cluster = start.copy()
    while True:
        changes = _changes(support, cluster, k)
        if cluster.sum() <= k + 1:
            changes[cluster] = np.inf
        v = int(np.argmin(changes))
        if changes[v] > -_ROUND_OFF:
            return cluster
        cluster[v] = not cluster[v]
