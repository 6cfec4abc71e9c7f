"""Find cluster cuts that a relaxed solution violates: along cycles, and by growing clusters.

In a cluster C, the parent sets with fewer than k members in C must have a total weight of at
least k (see ``ClusterCut``). The search looks for clusters where this weight is smallest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from forebear._util.products import sum_columns
from forebear.exact.cuts import ClusterCut

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from forebear.exact.cuts import Support

VIOLATED = 1e-4
"""Smallest violation for which a cut is added."""
MOST_K = 3
"""Largest k of the cluster cuts."""
MOST_CUTS = 100
"""Largest number of cuts added at once: further ones are similar."""

_LARGEST_GROWN = 12  # variables of a cluster that is grown
_ROUND_OFF = 1e-9  # differences that rounding may cause


def cluster_cuts(support: Support) -> list[ClusterCut]:
    """Find violated cluster cuts, the most violated first.

    If all weights are 0 or 1, a cycle is found if there is one. Otherwise clusters are also
    grown from the variables with fractional arcs.
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
    """Find for each arc the cycle through it that lacks the least weight, if it is violated.

    An arc of weight w lacks 1 - w. A cycle whose arcs lack less than 1 in total violates the
    cluster cut of its variables.
    """
    n = len(arcs)
    children, parents = np.nonzero(arcs > _ROUND_OFF)
    # The sparse matrix would drop an arc of cost 0.
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
    """Return the weight of the cluster's sets with fewer than k members in the cluster."""
    few = support.members[:, cluster].sum(axis=1) < k
    return float(support.weight[few & cluster[support.child]].sum())


def _changes(support: Support, cluster: NDArray[np.bool_], k: int) -> NDArray[np.float64]:
    """Return how this weight changes if each variable joins the cluster, or leaves it."""
    hits = support.members[:, cluster].sum(axis=1)
    inside = support.weight * cluster[support.child]
    slim = hits < k
    own = np.bincount(support.child[slim], support.weight[slim], minlength=len(cluster))
    joining = own - sum_columns(inside * (hits == k - 1), support.members)
    leaving = sum_columns(inside * (hits == k), support.members) - own
    return np.asarray(np.where(cluster, leaving, joining))


def _grown(support: Support, seed: int, k: int) -> NDArray[np.bool_]:
    """Grow a cluster from one variable greedily; return the best cluster met."""
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
    """Let variables join or leave as long as this increases the violation."""
    cluster = start.copy()
    while True:
        changes = _changes(support, cluster, k)
        if cluster.sum() <= k + 1:
            changes[cluster] = np.inf
        v = int(np.argmin(changes))
        if changes[v] > -_ROUND_OFF:
            return cluster
        cluster[v] = not cluster[v]
