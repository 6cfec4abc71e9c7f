"""Restriction: one way to satisfy relations. ArcCosts: the cost of arcs in a network.

A restriction consists of required arcs that form the required paths and adjacencies, of orders, and
of closed groups of variables, which no arc leaves. Every network under it respects the relations.
Other networks do so as well, so several restrictions are tried, one after another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear.knowledge.relations import Arc, Relations
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints
from forebear.scoring.growing_sets import GrowingSets
from forebear.search.chain import Solution

Parents = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Restriction:
    """Constraints that every network of a search satisfies.

    Attributes
    ----------
    required
        Arcs (parent, child) that the network must have.
    orders
        (earlier, later) pairs of variables in the order.
    closed_groups
        Groups of variables that no arc leaves.
    """

    required: frozenset[Arc] = frozenset()
    orders: frozenset[Arc] = frozenset()
    closed_groups: tuple[frozenset[int], ...] = ()

    def added_to(self, constraints: Constraints) -> Constraints:
        """Return constraints on parent sets with those of the restriction."""
        n = constraints.n_variables
        required = {child: set(own) for child, own in constraints.required.items()}
        for parent, child in self.required:
            required.setdefault(child, set()).add(parent)
        allowed = constraints.allowed
        for group in self.closed_groups:
            inside = np.isin(np.arange(n), list(group))
            stays = ~(~inside[:, None] & inside)
            allowed = stays if allowed is None else allowed & stays
        must = {child: tuple(sorted(own)) for child, own in required.items()}
        return replace(constraints, allowed=allowed, required=must)

    def to_fields(self) -> dict[str, Any]:
        """Return the restriction as plain values."""
        return {
            "required": sorted(map(list, self.required)),
            "orders": sorted(map(list, self.orders)),
            "walls": [sorted(group) for group in self.closed_groups],  # the name in files
        }

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Restriction:
        """Create a restriction from plain values."""
        return cls(
            frozenset((int(a), int(b)) for a, b in fields["required"]),
            frozenset((int(a), int(b)) for a, b in fields["orders"]),
            tuple(frozenset(map(int, group)) for group in fields["walls"]),
        )


@dataclass(frozen=True)
class RestrictionProblem:
    """The relations and limits that a restriction must take into account.

    Attributes
    ----------
    relations
        The relations that networks must respect.
    most_parents
        The largest parent set of every variable.
    given
        Arcs that all networks have.
    """

    relations: Relations
    most_parents: tuple[int, ...]
    given: frozenset[Arc] = frozenset()


class ArcCosts:
    """The cost of adding an arc to a network, or of removing it.

    Parameters
    ----------
    parent_sets
        The available parent sets.
    network
        The network. It may be the best set of every variable, which is no network.
    growing
        Scores sets that the collection lacks. Default: costs follow from the sets only.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        network: Solution,
        growing: GrowingSets | None = None,
    ) -> None:
        n, self._sets = parent_sets.n_variables, parent_sets
        child = np.repeat(np.arange(n), parent_sets.counts)
        best = np.full((n + 1, n), -np.inf)
        for members in parent_sets.parents:
            np.maximum.at(best, (np.minimum(members, n), child), parent_sets.scores)
        parents, now = network.parents, network.local_scores
        price = now - best[:n]
        if growing is not None:
            price = np.minimum(price, -growing.gains(parents, now).T)
        self.of_arcs: NDArray[np.float64] = np.maximum(0.0, price)
        for v, own in enumerate(parents):
            self.of_arcs[list(own), v] = 0.0
        np.fill_diagonal(self.of_arcs, np.inf)

    def without(self, parent: int, child: int) -> float:
        """Return the loss of the child if it cannot have the parent."""
        own, has = self._sets.with_parent(child, parent)
        scores = self._sets.scores[own]
        return float(scores[0] - scores[~has].max())


def random_factors(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Return a random factor for the cost of every arc; its logarithm is standard normal."""
    return np.asarray(np.exp(rng.standard_normal((n, n))))


def with_noise(costs: ArcCosts, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return random costs. A nat is added first, so that cheap arcs are chosen at random."""
    return np.asarray((costs.of_arcs + 1.0) * factors)
