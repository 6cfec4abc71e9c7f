"""RestrictedSets and RestrictedGrowth: chains under a restriction of their parent sets.

Under a restriction, an algorithm searches the sets that the restriction leaves of a fixed
collection. Order constraints are built into these sets, so algorithms need no code for orders. If
sets grow, a restriction is a constraint on the sets that are scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forebear.knowledge.relations import Arc, Relations, can_be_ordered, ordered_sets, predecessors
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints
from forebear.search.chain import Chain, Solution
from forebear.search.growing_chain import GrowingChain
from forebear.search.growth import Growth
from forebear.search.psminobs import PSMINOBS
from forebear.search.restrictions import ArcCosts, Restriction, RestrictionProblem
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from forebear.search.algorithm import Algorithm


RESTRICTED_MEMBERS = 8
"""The members of a population under a restriction. With 2, seven of eight searches ended lower
after 5 s (alarm, hailfinder, win95pts and andes, two seeds each), those of andes by 107 and 188
nats."""


class RestrictedSets:
    """Chains of any algorithm over a fixed collection, under restrictions.

    Parameters
    ----------
    algorithm
        The settings that create the chains.
    space
        All sets.
    relations
        The relations that networks must respect.
    number
        The number of the chains, from 1.
    """

    given: Solution | None = None
    _chain: Chain  # the latest one
    _left: ParentSets  # the sets that its restriction leaves

    def __init__(
        self, algorithm: Algorithm, space: SearchSpace, relations: Relations, number: int
    ) -> None:
        self.algorithm, self.space = algorithm, space
        self.relations, self.number = relations, number

    @cached_property
    def problem(self) -> RestrictionProblem:
        """The relations and limits that restrictions must take into account."""
        sets = self.space.parent_sets
        sizes = (sets.parents != sets.none).sum(axis=0)
        most = np.maximum.reduceat(sizes, sets.offsets[:-1])
        return RestrictionProblem(self.relations, tuple(most.tolist()), given_arcs(sets))

    def chain(
        self,
        restriction: Restriction,
        seed: np.random.SeedSequence,
        sets: ParentSets,
        networks: Sequence[Solution],
        orders: Sequence[NDArray[np.int32]],
        threads: int,
    ) -> Chain | None:
        """Start a chain from orders; None if a variable has no allowed set."""
        del sets, networks, threads
        space = self._restrict(restriction)
        if space is None:
            return None
        self._chain = self.algorithm.chain(space, self.number, seed, orders)
        return self._chain

    def resumed(self, restriction: Restriction, state: dict[str, Any]) -> Chain:
        """Create a chain that continues from a saved state."""
        space = self._restrict(restriction)
        if space is None:
            raise ValueError("its restriction does not fit its parent sets")
        self._chain = self.algorithm.resumed(space, self.number, state)
        return self._chain

    def _restrict(self, restriction: Restriction) -> SearchSpace | None:
        """Return the space of the sets that a restriction leaves; None if a variable has none."""
        sets = self.space.parent_sets
        rules = restriction.added_to(Constraints(sets.n_variables))
        left = sets.restrict(allowed=rules.allowed, required=rules.required)
        earlier = predecessors(restriction.orders | restriction.required)
        # If there are only orders, no other restriction helps: ordered_sets reports that there are
        # too many.
        fits = self.relations.are_orders or can_be_ordered(left, earlier)
        if not fits or not left.has_allowed_sets:
            return None
        self._left = left
        return SearchSpace(ordered_sets(left, earlier))

    def best(self) -> Solution | None:
        """Return the best network of the chain, as ranks among all sets; None if it has none."""
        order = self._chain.best.order
        chosen = self._left.best_of_order(tuple(order.tolist()))
        if not all(np.isfinite(one.score) for one in chosen):
            return None
        choices = (self.space.parent_sets.find(v, one.parents) for v, one in enumerate(chosen))
        ranks = np.array([one.rank - 1 for one in choices if one is not None], dtype=np.int32)
        return Solution(self.space.score(ranks), order, self.space.parent_sets, ranks)

    def parent_sets(self, networks: Sequence[Solution]) -> ParentSets:
        """Return all sets."""
        del networks
        return self.space.parent_sets

    def costs(self, sets: ParentSets, network: Solution) -> ArcCosts:
        """Return the costs of arcs in a network of these sets."""
        return ArcCosts(sets, network)


class RestrictedGrowth:
    """Chains over growing sets, under restrictions. They share scores and the sources of sets.

    Parameters
    ----------
    growth
        The data of the chains, without a restriction.
    settings
        The settings of the chains.
    """

    def __init__(self, growth: Growth, settings: PSMINOBS) -> None:
        self._growth = growth
        self._settings = settings
        self._growing = growth.collection(growth.first)
        self._sources = growth.sources()
        self._chain: GrowingChain | None = None  # the latest one

    @property
    def given(self) -> Solution | None:
        """The network to start from."""
        return self._growth.start

    @cached_property
    def problem(self) -> RestrictionProblem:
        """The relations and limits that restrictions must take into account."""
        growth = self._growth
        given = {(p, v) for v, own in growth.job.constraints.required.items() for p in own}
        return RestrictionProblem(growth.relations, tuple(growth.max_parents), frozenset(given))

    def _under(self, restriction: Restriction) -> Growth:
        """Return the data of a chain under a restriction."""
        growth, orders = self._growth, restriction.orders | restriction.required
        constraints = restriction.added_to(growth.job.constraints)
        return replace(
            growth,
            job=replace(growth.job, constraints=constraints),
            relations=replace(growth.relations, before=tuple(sorted(orders))),
            start=None,
        )

    def chain(
        self,
        restriction: Restriction,
        seed: np.random.SeedSequence,
        sets: ParentSets,
        networks: Sequence[Solution],
        orders: Sequence[NDArray[np.int32]],
        threads: int,
    ) -> Chain:
        """Start a chain from orders and sets, and from the sets of networks."""
        growth, growing = self._under(restriction), self._growing
        constraints = growth.job.constraints
        growing.restart(sets, threads, constraints)
        growing.score(self._sets_with(constraints, networks))
        shared = (self._settings, growing, self._sources)
        self._chain = growth.chain_over(*shared, seed, orders, RESTRICTED_MEMBERS)
        return self._chain

    def _sets_with(
        self, constraints: Constraints, networks: Sequence[Solution]
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the sets of required parents: alone, and added to the sets of networks."""
        for child, own in constraints.required.items():
            yield child, own
            for network in networks:
                both = {*own, *network.parents[child]}
                if constraints.allowed is not None:
                    both = {p for p in both if constraints.allowed[child, p]}
                if len(both) <= self._growing.max_parents[child]:
                    yield child, tuple(both)

    def resumed(self, restriction: Restriction, state: dict[str, Any]) -> Chain:
        """Create a chain that continues from a saved state."""
        self._chain = self._under(restriction).resumed(self._settings, state, self._sources)
        self._growing = self._chain.growing
        return self._chain

    def best(self) -> Solution:
        """Return the best network of the chain."""
        if self._chain is None:
            raise AssertionError("there is no chain yet")
        return self._chain.best.alone()

    def parent_sets(self, networks: Sequence[Solution]) -> ParentSets:
        """Return all available sets, restricted or not, with those of some networks."""
        first = self._growth.first
        if self._chain is None:
            return first
        return self._chain.parent_sets([first, *(network.alone().sets for network in networks)])

    def costs(self, sets: ParentSets, network: Solution) -> ArcCosts:
        """Return the costs of arcs in a network of these sets."""
        return ArcCosts(sets, network, self._growing)


def given_arcs(parent_sets: ParentSets) -> frozenset[Arc]:
    """Return the arcs that all networks have, because the child has no allowed set without them."""
    arcs: set[Arc] = set()
    for v in range(parent_sets.n_variables):
        allowed = np.isfinite(parent_sets.scores[slice(*parent_sets.offsets[v : v + 2].tolist())])
        for p in parent_sets.at(v, 1).parents:
            if (parent_sets.with_parent(v, p)[1] | ~allowed).all():
                arcs.add((p, v))
    return frozenset(arcs)
