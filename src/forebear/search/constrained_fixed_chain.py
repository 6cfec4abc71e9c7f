"""ConstrainedFixedChain: any algorithm under restrictions, over a fixed collection of parent sets.

Under each restriction, a new chain of the algorithm searches the sets that the restriction leaves.
Order constraints are built into these sets, so algorithms need no code for orders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.knowledge.relations import can_be_ordered, ordered_sets, predecessors
from forebear.search.alternatives import alternatives_among, best_distinct
from forebear.search.chain import Solution
from forebear.search.constrained_chain import ConstrainedChain, RankedNetwork
from forebear.search.restriction_schedule import RestrictionSchedule, no_restriction
from forebear.search.restrictions import ArcCosts, Restriction, RestrictionProblem
from forebear.search.space import SearchSpace, as_orders

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
size stalls after six; other algorithms do not report a stall. Judgement."""


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
        Chooses the restrictions; the seeds of the chains depend on its numbers.
    """

    def __init__(
        self, algorithm: Algorithm, space: SearchSpace, number: int, schedule: RestrictionSchedule
    ) -> None:
        self.space = space
        self.schedule = schedule
        self._algorithm = algorithm
        self._number = number
        self._archive: list[NDArray[np.int32]] = []  # good valid networks
        self._idle = 0
        self._runs = 0
        self._inner: Chain
        self._inner_score: float | None = None  # the best score of the inner chain

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
        network = chain.unconstrained_network
        for restriction in schedule.first_restrictions(network, chain.costs(network)):
            if chain._prepare(restriction):
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
        """Create a chain that continues from a saved state."""
        schedule = RestrictionSchedule.from_state(problem_of(space, relations), state)
        chain = cls(algorithm, space, number, schedule)
        if not chain._prepare(Restriction.from_fields(state["restriction"])):
            raise ValueError("its restriction does not fit its parent sets")
        chain._inner = algorithm.resumed(chain._inner_space, number, state["inner"])
        chain.restore_networks(state)
        chain._archive = as_orders(state["kept"])
        chain._idle = int(state["idle"])
        chain._inner_score = None if state["reached"] is None else float(state["reached"])
        return chain

    @property
    def runs(self) -> int:
        """The number of times that the search has stalled under a restriction."""
        return self._runs

    @property
    def best(self) -> Solution:
        """The best valid network so far."""
        if self.valid is None:
            raise no_restriction()
        return Solution(self.valid.score, self.valid.order, self.all_sets, self.valid.ranks)

    @property
    def all_sets(self) -> ParentSets:
        """All sets, restricted or not."""
        return self.space.parent_sets

    def parent_sets(self) -> ParentSets:
        """Return all sets."""
        return self.all_sets

    def score_of(self, ranks: NDArray[np.int32]) -> float:
        """Return the score of a network."""
        return self.space.score(ranks)

    def networks(self) -> tuple[Alternative, ...]:
        """Return the best distinct valid networks."""
        return alternatives_among(self.all_sets, self._archive)

    def suspend(self) -> None:
        """Release the threads of the inner chain."""
        self._inner.suspend()

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        return {
            **self.restriction_state(),
            "kept": list(self._archive),
            "idle": self._idle,
            "reached": self._inner_score,
            "inner": self._inner.state(),
        }

    def costs(self, network: Parents) -> ArcCosts:
        """Return the costs of arcs in a network."""
        return ArcCosts(self.all_sets, network)

    def update_valid(self) -> bool:
        """Return whether there is a valid network. ``run_generation`` has recorded it already."""
        return self.valid is not None

    def update_unconstrained(self) -> None:
        """Record the best network of the inner chain as the best one without the relations."""
        ranks = self._best_ranks(self._inner.best.order)
        self.unconstrained = self.unconstrained if ranks is None else ranks

    def run_generation(self, workers: Workers) -> bool:
        """Run one generation of the inner chain; return whether it has stalled."""
        self._inner.advance(workers)
        best = self._inner.best
        self._idle += 1
        if self._inner_score is None or best.score > self._inner_score:
            self._idle, self._inner_score = 0, best.score
            ranks = self._best_ranks(best.order)
            if ranks is not None:
                self._record(best.order, ranks)
        stalled = self._idle >= PATIENCE and not workers.budget.spent
        self._runs += stalled
        return stalled

    def end_run(self, workers: Workers) -> None:
        """Continue with the same inner chain: the relations cost nothing."""
        del workers
        self._idle = 0

    def restrict(
        self,
        workers: Workers,
        restriction: Restriction,
        orders: Sequence[NDArray[np.int32]] | None = None,
    ) -> None:
        """Start a chain under another restriction; ignore one without sets for a variable."""
        del workers
        if orders is None:
            valid = [] if self.valid is None else [self.valid.order]
            orders = [*valid, self._inner.best.order]
        if restriction != self.restriction and self._prepare(restriction):
            self._start_inner(orders)
        self._idle = 0

    def add_valid(self, workers: Workers, solution: Solution) -> bool:
        """Record a network of these sets; return whether it is now the best."""
        del workers
        before = self.valid
        self._record(solution.order, solution.ranks)
        return self.valid is not before

    def _prepare(self, restriction: Restriction) -> bool:
        """Prepare the sets that a restriction leaves; return whether every variable has some."""
        left = self.all_sets.filter(restriction.allows(self.all_sets))
        if not left.has_allowed_sets:
            return False
        earlier = predecessors(restriction.orders | restriction.required)
        # If there are only orders, no other restriction helps: ordered_sets reports that there are
        # too many.
        only_orders = self.schedule.problem.relations.are_orders
        if not can_be_ordered(left, earlier) and not only_orders:
            return False
        self.restriction, self._sets_left = restriction, left
        self._inner_space = SearchSpace(ordered_sets(left, earlier))
        return True

    def _start_inner(self, orders: Sequence[NDArray[np.int32]]) -> None:
        """Start a chain under the restriction that was prepared."""
        seed = np.random.SeedSequence([self.schedule.entropy, self.schedule.number])
        self._inner = self._algorithm.chain(self._inner_space, self._number, seed, orders)
        self._idle, self._inner_score = 0, None

    def _best_ranks(self, order: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """Return the best network of an order under the restriction; None if there is none."""
        chosen = self._sets_left.best_of_order(tuple(order.tolist()))
        if not all(np.isfinite(one.score) for one in chosen):
            return None
        choices = (self.all_sets.find(v, one.parents) for v, one in enumerate(chosen))
        return np.array([one.rank - 1 for one in choices if one is not None], dtype=np.int32)

    def _record(self, order: NDArray[np.int32], ranks: NDArray[np.int32]) -> None:
        """Keep a network if it is valid."""
        if not self.is_valid(ranks):
            return
        self._archive = list(best_distinct(self.all_sets, [*self._archive, ranks]))
        score = self.score_of(ranks)
        if self.valid is None or score > self.valid.score:
            self.valid = RankedNetwork(score, order, ranks)


def problem_of(space: SearchSpace, relations: Relations) -> RestrictionProblem:
    """Return the relations and limits that restrictions must take into account."""
    sets = space.parent_sets
    sizes = (sets.parents != sets.none).sum(axis=0)
    most = np.maximum.reduceat(sizes, sets.offsets[:-1])
    return RestrictionProblem(relations, tuple(most.tolist()), given_arcs(sets))


def given_arcs(parent_sets: ParentSets) -> frozenset[Arc]:
    """Return the arcs that all networks have, because the child has no allowed set without them."""
    arcs: set[Arc] = set()
    for v in range(parent_sets.n_variables):
        allowed = np.isfinite(parent_sets.scores[slice(*parent_sets.offsets[v : v + 2].tolist())])
        for p in parent_sets.at(v, 1).parents:
            if (parent_sets.with_parent(v, p)[1] | ~allowed).all():
                arcs.add((p, v))
    return frozenset(arcs)
