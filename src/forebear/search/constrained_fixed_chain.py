"""ConstrainedFixedChain: any algorithm under restrictions, over a fixed collection of parent sets.

Under each restriction, a new chain of the algorithm searches the sets that the restriction leaves.
Order constraints are built into these sets, so algorithms need no code for orders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.knowledge.relations import can_be_ordered, ordered_sets, predecessors
from forebear.search.alternatives import alternatives_among, best_distinct, parents_of
from forebear.search.chain import FoundNetwork
from forebear.search.constrained_chain import ConstrainedChain
from forebear.search.restriction_schedule import RestrictionSchedule, no_restriction
from forebear.search.restrictions import ArcCosts, Restriction, RestrictionProblem
from forebear.search.space import SearchSpace, as_order, as_orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.relations import Arc, Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.search.algorithm import Algorithm
    from forebear.search.alternatives import Alternative
    from forebear.search.chain import Chain
    from forebear.search.restrictions import Parents
    from forebear.search.threads import Workers

PATIENCE = 20
"""Generations without a better network before the next restriction. A population of the default
size stalls after six; other algorithms have no such sign. Judgement."""


class ConstrainedFixedChain(ConstrainedChain):
    """Chains of an algorithm, one under each restriction.

    Parameters
    ----------
    algorithm
        The settings that create the chains.
    space
        All sets.
    number
        The number of this chain, from 1.
    schedule
        Chooses the restrictions; seeds depend on its numbers.
    """

    lossless = False

    def __init__(
        self, algorithm: Algorithm, space: SearchSpace, number: int, schedule: RestrictionSchedule
    ) -> None:
        self.space = space
        self.schedule = schedule
        self._relations = schedule.problem.relations
        self._algorithm = algorithm
        self._number = number
        self._best: FoundNetwork | None = None  # of all that respect the relations
        self._free: NDArray[np.int32] | None = None  # the best network without the relations
        self._kept: list[NDArray[np.int32]] = []
        self._idle = 0
        self._runs = 0
        self._inner: Chain
        self._reached: float | None = None  # the best score of the inner chain

    @classmethod
    def start(
        cls,
        algorithm: Algorithm,
        space: SearchSpace,
        relations: Relations,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> ConstrainedFixedChain:
        """Create the chain with this number under the first restriction that leaves sets."""
        schedule = RestrictionSchedule(problem_of(space, relations), int(seed.generate_state(1)[0]))
        chain = cls(algorithm, space, number, schedule)
        network = chain.free_network
        for restriction in schedule.firsts(network, chain.costs(network)):
            if chain._lay_out(restriction):
                chain._start_inner(orders)
                return chain
        raise no_restriction()

    @classmethod
    def resumed(
        cls,
        algorithm: Algorithm,
        space: SearchSpace,
        relations: Relations,
        number: int,
        state: dict[str, Any],
    ) -> ConstrainedFixedChain:
        """Make a chain that continues from a saved state."""
        problem = problem_of(space, relations)
        schedule = RestrictionSchedule(problem, int(state["entropy"]), int(state["number"]))
        chain = cls(algorithm, space, number, schedule)
        if not chain._lay_out(Restriction.of_fields(state["restriction"])):
            raise ValueError("its restriction does not fit its parent sets")
        chain._inner = algorithm.resumed(chain._searched, number, state["inner"])
        if state["respecting"] is not None:
            order, ranks = map(as_order, state["respecting"])
            chain._keep(order, ranks)
        chain._kept = as_orders(state["kept"])
        chain._free = None if state["free"] is None else as_order(state["free"])
        chain._idle = int(state["idle"])
        chain._reached = None if state["reached"] is None else float(state["reached"])
        chain.lossless = bool(state["lossless"])
        return chain

    @property
    def runs(self) -> int:
        """The number of times that the restriction was changed or could have been."""
        return self._runs

    @property
    def best(self) -> FoundNetwork:
        """The best network so far that respects the relations."""
        if self._best is None:
            raise no_restriction()
        return self._best

    def parent_sets(self) -> ParentSets:
        """Return all sets."""
        return self.space.parent_sets

    def networks(self) -> tuple[Alternative, ...]:
        """The best networks that respect the relations, each once."""
        return alternatives_among(self.space.parent_sets, self._kept)

    def rest(self) -> None:
        """Prepare for other threads."""
        self._inner.rest()

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        return {
            **self.turn_state(),
            "respecting": None if self._best is None else [self._best.order, self._best.ranks],
            "free": self._free,
            "kept": list(self._kept),
            "idle": self._idle,
            "reached": self._reached,
            "inner": self._inner.state(),
        }

    @property
    def known_network(self) -> Parents | None:
        """The best network that respects the relations."""
        return None if self._best is None else self._best.parents

    @property
    def free_network(self) -> Parents:
        """The best network without the relations; at first the best sets, whatever cycles."""
        top = np.zeros(self.space.n, dtype=np.int32)
        return parents_of(self.space.parent_sets, top if self._free is None else self._free)

    def costs(self, network: Parents) -> ArcCosts:
        """Return the costs of arcs in a network."""
        return ArcCosts(self.space.parent_sets, network)

    def note_best(self) -> bool:
        """Return whether there is a network that respects the relations."""
        return self._best is not None

    def note_free(self) -> None:
        """Record the best network without the relations, which the chain has just found."""
        ranks = self._ranks(self._inner.best.order)
        self._free = self._free if ranks is None else ranks

    def is_best_known(self) -> bool:
        """Return whether the best network without the relations is no better than the one known."""
        if self._free is None or self._best is None:
            return False
        return self.space.score(self._free) <= self._best.score

    def make_generation(self, workers: Workers) -> bool:
        """Run one generation of the inner chain; return whether it is idle."""
        self._inner.advance(workers)
        found = self._inner.best
        self._idle += 1
        if self._reached is None or found.score > self._reached:
            self._idle, self._reached = 0, found.score
            ranks = self._ranks(found.order)
            if ranks is not None:
                self._keep(found.order, ranks)
        stands_still = self._idle >= PATIENCE and not workers.budget.spent
        self._runs += stands_still
        return stands_still

    def end_run(self, workers: Workers) -> None:
        """Continue as before: the relations cost nothing."""
        del workers
        self._idle = 0

    def restrict(
        self,
        workers: Workers,
        restriction: Restriction,
        orders: Sequence[NDArray[np.int32]] | None = None,
    ) -> None:
        """Continue under another restriction, if it leaves sets."""
        del workers
        if orders is None:
            known = [] if self._best is None else [self._best.order]
            orders = [*known, self._inner.best.order]
        if restriction != self.restriction and self._lay_out(restriction):
            self._start_inner(orders)
        self._idle = 0

    def take(self, workers: Workers, found: FoundNetwork) -> bool:
        """Keep a network of these sets; return whether it is now the best."""
        del workers
        before = self._best
        self._keep(found.order, found.ranks)
        return self._best is not before

    def _lay_out(self, restriction: Restriction) -> bool:
        """Prepare the sets that a restriction leaves; return whether there are any."""
        sets = self.space.parent_sets
        left = sets.filter(restriction.allows(sets))
        if not left.has_allowed_sets:
            return False
        earlier = predecessors(restriction.orders | restriction.required)
        # Where there is nothing but orders, their number is what is wrong.
        if not can_be_ordered(left, earlier) and not self._relations.are_orders:
            return False
        self.restriction, self._left = restriction, left
        self._searched = SearchSpace(ordered_sets(left, earlier))
        return True

    def _start_inner(self, orders: Sequence[NDArray[np.int32]]) -> None:
        """Start a chain under the prepared restriction."""
        seed = np.random.SeedSequence([self.schedule.entropy, self.schedule.number])
        self._inner = self._algorithm.chain(self._searched, self._number, seed, orders)
        self._idle, self._reached = 0, None

    def _ranks(self, order: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """Return the best network of an order under the restriction; None if there is none."""
        chosen = self._left.best_of_order(tuple(order.tolist()))
        if not all(np.isfinite(one.score) for one in chosen):
            return None
        found = (self.space.parent_sets.find(v, one.parents) for v, one in enumerate(chosen))
        return np.array([one.rank - 1 for one in found if one is not None], dtype=np.int32)

    def _keep(self, order: NDArray[np.int32], ranks: NDArray[np.int32]) -> None:
        """Keep a network if it respects the relations."""
        found = FoundNetwork(self.space.score(ranks), order, self.space.parent_sets, ranks)
        if not self._relations.holds(found.parents):
            return
        self._kept = list(best_distinct(self.space.parent_sets, [*self._kept, ranks]))
        if self._best is None or found.score > self._best.score:
            self._best = found


def problem_of(space: SearchSpace, relations: Relations) -> RestrictionProblem:
    """Return the problem that restrictions must take into account."""
    sets = space.parent_sets
    sizes = (sets.parents != sets.none).sum(axis=0)
    most = np.maximum.reduceat(sizes, sets.offsets[:-1])
    return RestrictionProblem(relations, tuple(most.tolist()), given_arcs(sets))


def given_arcs(parent_sets: ParentSets) -> frozenset[Arc]:
    """Return the arcs that all networks have: their children have no sets without them."""
    found: set[Arc] = set()
    for v in range(parent_sets.n_variables):
        allowed = np.isfinite(parent_sets.scores[slice(*parent_sets.offsets[v : v + 2].tolist())])
        for p in parent_sets.at(v, 1).parents:
            if (parent_sets.with_parent(v, p)[1] | ~allowed).all():
                found.add((p, v))
    return frozenset(found)
