"""Averages over orders: all networks that an order allows, in closed form.

Given an order of the variables, the parents of one do not depend on those of
another. So an arc is as probable as the sets with it among all that precede,
each weighted by exp(score); and so on (Friedman and Koller, 2003).
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
"""Sets that score so many nats below the best one of an order are not looked at."""

_LEAST = 1e-6
"""Sets and orders of less probability are left out."""

_BLOCK = 4096


class Family(NamedTuple):
    """The sets that a variable may have in an order, their probabilities, and their evidence."""

    sets: list[list[int]]
    shares: list[float]
    evidence: float


def order_probabilities(result: Result, parent_sets: ParentSets) -> Averages:
    """Average all networks that the orders of a result's alternatives allow.

    That is far more than the alternatives themselves, so that probabilities
    are not as near to 0 and 1. It needs the parent sets that were searched;
    sets that scoring has dropped count as impossible. An order weighs as much
    as all its networks together.
    """
    if result.network.names != parent_sets.names:
        raise ForebearError("the result has other variables than the parent sets")
    if not result.alternatives:
        raise ForebearError("this result holds no alternatives to take orders from; search again")
    networks = (Network(parent_sets.names, one.parents) for one in result.alternatives)
    orders = dict.fromkeys(network.topological_order() for network in networks)
    return average_orders(parent_sets, list(orders))


def average_orders(parent_sets: ParentSets, orders: Sequence[Sequence[int]]) -> Averages:
    """Average all networks of some orders; each is weighted by the evidence for it."""
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
    """Tell what every variable may have in an order."""
    place = np.full(parent_sets.n_variables + 1, -1)  # unused places precede everything
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
    """Find the sets whose members all precede a variable, as far down as they matter."""
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
    shares: defaultdict[Arc, float] = defaultdict(float)
    for v, family in enumerate(families):
        for members, share in zip(family.sets, family.shares, strict=True):
            for p in members:
                shares[p, v] += share
    return shares


def _blankets(families: Iterable[Family], arcs: dict[Arc, float]) -> dict[Arc, float]:
    """Pairs that are linked, or parents of the same child: independent of each other here."""
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
    """Take away what rounding put above 1."""
    return {pair: min(share, 1.0) for pair, share in shares.items()}
