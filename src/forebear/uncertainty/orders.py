"""Averages over orders: over all networks that an order allows, in closed form.

Given an order of the variables, their parents are independent. The probability of an arc is the
share of the parent sets that contain it, among those whose members come before the child, each
weighted by exp(score) (Friedman and Koller, 2003).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import ForebearError
from forebear.network.network import Network
from forebear.uncertainty.averaging import Averages, ascending, score_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from forebear.network.graphs import Arc
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result

_DEPTH = 16.0
"""Sets that score this many nats below the best one in an order are ignored."""

_LEAST = 1e-6
"""Sets and orders with a smaller probability are left out."""

_BLOCK = 4096
"""Number of sets examined at a time."""


class Family(NamedTuple):
    """The parent sets of a variable in an order, their probabilities and log evidence."""

    sets: list[list[int]]
    shares: list[float]
    evidence: float


def order_probabilities(result: Result, parent_sets: ParentSets) -> Averages:
    """Average all networks that the orders of a result's alternatives allow.

    These are far more networks than the alternatives themselves, so probabilities are less
    extreme than those of ``arc_probabilities``. An order has the weight of all its networks
    together. Parent sets that scoring dropped count as impossible.

    Parameters
    ----------
    result
        A result with alternatives, as ``learn``, ``find_network`` and ``k_best_networks`` return
        it.
    parent_sets
        The parent sets that were searched.

    Returns
    -------
    Averages
        The probabilities. ``n_networks`` is the number of orders.

    Raises
    ------
    ForebearError
        If the result has no alternatives, or other variables than the parent sets.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets("example:orchard", max_parents=3)
    >>> result = forebear.find_network(sets, generations=20, seed=1)
    >>> averages = forebear.order_probabilities(result, sets)
    >>> 0.9 < averages.edge("rainfall", "scab") <= 1.0
    True
    """
    if result.network.names != parent_sets.names:
        raise ForebearError("the result and the parent sets have different variables")
    if not result.alternatives:
        raise ForebearError(
            "the result has no alternatives to take orders from: it was built by hand or by an "
            "older version; search again"
        )
    networks = (Network(parent_sets.names, one.parents) for one in result.alternatives)
    orders = dict.fromkeys(network.topological_order() for network in networks)
    return average_orders(parent_sets, list(orders))


def average_orders(parent_sets: ParentSets, orders: Sequence[Sequence[int]]) -> Averages:
    """Average all networks of some orders, each order weighted by its evidence."""
    found = [_families(parent_sets, order) for order in orders]
    weights = np.array(score_weights([sum(one.evidence for one in own) for own in found]))
    weights /= weights.sum()
    arcs: defaultdict[Arc, float] = defaultdict(float)
    blankets: defaultdict[Arc, float] = defaultdict(float)
    for families, weight in zip(found, weights.tolist(), strict=True):
        if weight >= _LEAST:
            own = _arcs(families)
            for arc, share in own.items():
                arcs[arc] += weight * share
            for pair, share in _blankets(families, own).items():
                blankets[pair] += weight * share
    edges: defaultdict[Arc, float] = defaultdict(float)
    for arc, share in arcs.items():
        edges[ascending(*arc)] += share
    return Averages(
        names=parent_sets.names,
        arcs=_capped(arcs),
        edges=_capped(edges),
        blankets=_capped(blankets),
        n_networks=len(orders),
        effective=float(1.0 / (weights**2).sum()),
    )


def _families(parent_sets: ParentSets, order: Sequence[int]) -> list[Family]:
    """Return the parent sets that every variable can have in an order."""
    place = np.full(parent_sets.n_variables + 1, -1)  # unused places come first
    place[list(order)] = np.arange(len(order))
    return [_family(parent_sets, v, place) for v in range(parent_sets.n_variables)]


def _family(parent_sets: ParentSets, v: int, place: NDArray[np.int64]) -> Family:
    scores, columns = _feasible(parent_sets, v, place)
    best = scores[0]
    weights = np.exp(scores - best) if np.isfinite(best) else np.ones(1)
    total = weights.sum()
    shares = weights / total
    kept = shares >= _LEAST
    members = parent_sets.parents[:, columns[kept]].T.tolist()
    none = parent_sets.none
    return Family(
        [[p for p in own if p != none] for own in members],
        shares[kept].tolist(),
        float(best + np.log(total)),
    )


def _feasible(
    parent_sets: ParentSets, v: int, place: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the scores and columns of the sets whose members all come before a variable."""
    start, end = int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1])
    found: list[NDArray[np.int64]] = []
    lowest = -np.inf
    for first in range(start, end, _BLOCK):
        if parent_sets.scores[first] < lowest:
            break
        span = slice(first, min(first + _BLOCK, end))
        members = np.minimum(parent_sets.parents[:, span], len(place) - 1)
        fitting = first + np.flatnonzero((place[members] < place[v]).all(axis=0))
        if len(fitting) and not found:
            lowest = parent_sets.scores[fitting[0]] - _DEPTH
        fitting = fitting[parent_sets.scores[fitting] >= lowest]
        if len(fitting):
            found.append(fitting)
    columns = np.concatenate(found)
    return parent_sets.scores[columns], columns


def _arcs(families: Iterable[Family]) -> dict[Arc, float]:
    """Return the probability of each arc."""
    shares: defaultdict[Arc, float] = defaultdict(float)
    for v, family in enumerate(families):
        for members, share in zip(family.sets, family.shares, strict=True):
            for p in members:
                shares[p, v] += share
    return shares


def _blankets(families: Iterable[Family], arcs: dict[Arc, float]) -> dict[Arc, float]:
    """Return the probability of each pair that is adjacent or has a child in common.

    In one order these events are independent of each other.
    """
    neither: defaultdict[Arc, float] = defaultdict(lambda: 1.0)
    for arc, share in arcs.items():
        neither[ascending(*arc)] *= 1.0 - min(share, 1.0)
    for family in families:
        together: defaultdict[Arc, float] = defaultdict(float)
        for members, share in zip(family.sets, family.shares, strict=True):
            for pair in combinations(members, 2):
                together[pair] += share
        for pair, share in together.items():
            neither[pair] *= 1.0 - min(share, 1.0)
    return {pair: 1.0 - share for pair, share in neither.items()}


def _capped(shares: dict[Arc, float]) -> dict[Arc, float]:
    """Limit probabilities to 1, which rounding may exceed."""
    return {pair: min(share, 1.0) for pair, share in shares.items()}
