"""RespectingChain: any algorithm under relations, over a fixed collection of parent sets.

Chains of the algorithm search under one restriction after another, over the sets that each leaves.
Sets that orders need are part of these, so that algorithms need not know of orders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.knowledge.relations import can_be_ordered, ordered_sets, predecessors
from forebear.search.alternatives import alternatives_among, best_distinct
from forebear.search.chain import Chain, FoundNetwork
from forebear.search.restrictions import ArcCosts, Problem, Restriction, around
from forebear.search.space import SearchSpace, as_order, as_orders
from forebear.search.steering import (
    FIRST_TRIES,
    FIRST_TURNS,
    Steering,
    no_restriction,
    parents_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.relations import Arc, Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.search.algorithm import Algorithm
    from forebear.search.alternatives import Alternative
    from forebear.search.restrictions import Parents
    from forebear.search.threads import Workers

PATIENCE = 20
"""Generations without a better network before the next restriction. A population of the default
size stalls after six; other algorithms have no such sign. Judgement."""


def given_arcs(parent_sets: ParentSets) -> frozenset[Arc]:
    """Return the arcs that all networks have: their children have no sets without them."""
    found: set[Arc] = set()
    for v in range(parent_sets.n_variables):
        allowed = np.isfinite(parent_sets.scores[slice(*parent_sets.offsets[v : v + 2].tolist())])
        for p in parent_sets.at(v, 1).parents:
            if (parent_sets.with_parent(v, p)[1] | ~allowed).all():
                found.add((p, v))
    return frozenset(found)


class RespectingChain(Chain):
    """Chains of an algorithm under one restriction after another.

    Parameters
    ----------
    algorithm
        Makes the chains.
    space
        All sets.
    relations
        What networks have to respect.
    number
        The number of this chain, from 1.
    seed
        Its random stream.
    orders
        Orders to start from.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        space: SearchSpace,
        relations: Relations,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> None:
        sets = space.parent_sets
        sizes = (sets.parents != sets.none).sum(axis=0)
        most = np.maximum.reduceat(sizes, sets.offsets[:-1])
        problem = Problem(relations, tuple(most.tolist()), given_arcs(sets))
        self.space = space
        self._relations = relations
        self._algorithm = algorithm
        self._number = number
        self._steering = Steering(problem, int(seed.generate_state(1)[0]))
        self._best: FoundNetwork | None = None  # of all that respect the relations
        self._free: NDArray[np.int32] | None = None  # the best network without the relations
        self._kept: list[NDArray[np.int32]] = []
        self._idle = 0
        self._lossless = False  # whether the best network without the relations respects them
        self._inner: Chain
        self._reached: float | None = None  # the best score of the inner chain
        self._begin(orders)

    @classmethod
    def resumed(
        cls,
        algorithm: Algorithm,
        space: SearchSpace,
        relations: Relations,
        number: int,
        state: dict[str, Any],
    ) -> RespectingChain:
        """Make a chain that continues from a saved state."""
        chain = cls(algorithm, space, relations, number, np.random.SeedSequence(0))
        chain._restore(state)
        return chain

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
        """Return everything that is needed to continue, as numbers and arrays."""
        best = None if self._best is None else [self._best.order, self._best.ranks]
        return {
            "restriction": self._restriction.to_fields(),
            "entropy": self._steering.entropy,
            "number": self._steering.number,
            "respecting": best,
            "free": self._free,
            "kept": list(self._kept),
            "idle": self._idle,
            "lossless": self._lossless,
            "reached": self._reached,
            "inner": self._inner.state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._steering = Steering(
            self._steering.problem, int(state["entropy"]), int(state["number"])
        )
        if not self._lay_out(Restriction.of_fields(state["restriction"])):
            raise ValueError("its restriction does not fit its parent sets")
        self._inner = self._algorithm.resumed(self._searched, self._number, state["inner"])
        self._best = None
        if state["respecting"] is not None:
            order, ranks = map(as_order, state["respecting"])
            self._take(order, ranks)
        self._kept = as_orders(state["kept"])
        self._free = None if state["free"] is None else as_order(state["free"])
        self._idle, self._lossless = int(state["idle"]), bool(state["lossless"])
        self._reached = None if state["reached"] is None else float(state["reached"])

    def advance(self, workers: Workers) -> None:
        """Make one generation of the inner chain; change the restriction when it is idle.

        The first one goes on until there is a network that respects the relations.
        """
        self._step(workers)
        for _ in range(FIRST_TRIES):
            if self._best is not None:
                break
            self._turn()
            self._step(workers)
        if self._idle >= PATIENCE and not workers.budget.spent:
            self._turn()

    def is_progressing(self) -> bool:
        """Whether what the chain does pays later, even if no better network counts yet."""
        return self._steering.number < FIRST_TURNS and not self._lossless

    def _step(self, workers: Workers) -> None:
        self._inner.advance(workers)
        found = self._inner.best
        self._idle += 1
        if self._reached is None or found.score > self._reached:
            self._idle, self._reached = 0, found.score
            ranks = self._ranks(found.order)
            if ranks is not None:
                self._take(found.order, ranks)

    def offer(self, workers: Workers, found: FoundNetwork) -> None:
        """Take in a network that was found elsewhere, and continue around it."""
        del workers
        before = self._best
        self._take(found.order, found.ranks)
        if self._best is not before:
            restriction = around(self._steering.problem, self._costs(found.parents), found.parents)
            self._keep_to(restriction or self._restriction, [found.order])

    # ---- restrictions -------------------------------------------------------------------------

    def _begin(self, orders: Sequence[NDArray[np.int32]]) -> None:
        """Choose the first restriction that leaves sets."""
        network = self._top
        costs = ArcCosts(self.space.parent_sets, network)
        for found in self._steering.firsts(network, costs):
            if self._lay_out(found):
                self._start(orders)
                return
        raise no_restriction()

    @property
    def _top(self) -> Parents:
        """Every variable's best set, whatever cycles they form."""
        return parents_of(self.space.parent_sets, np.zeros(self.space.n, dtype=np.int32))

    def _lay_out(self, restriction: Restriction) -> bool:
        """Lay out the sets that a restriction leaves; return whether there are any."""
        sets = self.space.parent_sets
        left = sets.filter(restriction.allows(sets))
        if not left.has_allowed_sets:
            return False
        earlier = predecessors(restriction.orders | restriction.required)
        # Where there is nothing but orders, their number is what is wrong.
        if not can_be_ordered(left, earlier) and not self._relations.are_orders:
            return False
        self._restriction, self._left = restriction, left
        self._searched = SearchSpace(ordered_sets(left, earlier))
        return True

    def _start(self, orders: Sequence[NDArray[np.int32]]) -> None:
        seed = np.random.SeedSequence([self._steering.entropy, self._steering.number])
        self._inner = self._algorithm.chain(self._searched, self._number, seed, orders)
        self._idle, self._reached = 0, None

    def _keep_to(self, restriction: Restriction, orders: Sequence[NDArray[np.int32]]) -> None:
        """Continue under another restriction, if it leaves sets."""
        if restriction != self._restriction and self._lay_out(restriction):
            self._start(orders)
        self._idle = 0

    def _turn(self) -> None:
        """Continue under the next restriction, from the best orders."""
        self.runs += 1
        sets, found = self.space.parent_sets, self._inner.best
        if self._restriction == self._steering.free:
            ranks = self._ranks(found.order)
            self._free = self._free if ranks is None else ranks
            if ranks is not None and self._best is not None:
                self._lossless = self.space.score(ranks) <= self._best.score
            if self._lossless:
                self._idle = 0  # the search continues as it is
                return
        free = self._top if self._free is None else parents_of(sets, self._free)
        known = None if self._best is None else parents_of(sets, self._best.ranks)
        following = self._steering.following(self._restriction, free, known, self._costs)
        orders = [found.order] if self._best is None else [self._best.order, found.order]
        self._keep_to(following, orders)

    def _costs(self, network: Parents) -> ArcCosts:
        return ArcCosts(self.space.parent_sets, network)

    # ---- networks -----------------------------------------------------------------------------

    def _ranks(self, order: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """Return the best network of an order under the restriction; None if there is none."""
        chosen = self._left.best_of_order(tuple(order.tolist()))
        if not all(np.isfinite(one.score) for one in chosen):
            return None
        found = (self.space.parent_sets.find(v, one.parents) for v, one in enumerate(chosen))
        return np.array([one.rank - 1 for one in found if one is not None], dtype=np.int32)

    def _take(self, order: NDArray[np.int32], ranks: NDArray[np.int32]) -> None:
        """Keep a network if it respects the relations."""
        if not self._relations.holds(parents_of(self.space.parent_sets, ranks)):
            return
        self._kept = list(best_distinct(self.space.parent_sets, [*self._kept, ranks]))
        found = FoundNetwork(self.space.score(ranks), order, self.space.parent_sets, ranks)
        if self._best is None or found.score > self._best.score:
            self._best = found
