"""SteeredChain: growth under relations. The population keeps to one restriction after another.

The collection holds all sets; the population searches those that the restriction leaves. Arcs that
it requires may lower the score: they are cores of the collection, so that sets with them are kept
and grow like others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear.search.chain import FoundNetwork
from forebear.search.growingchain import GrowingChain
from forebear.search.restrictions import ArcCosts, Problem, Restriction, around
from forebear.search.space import Individual, as_order
from forebear.search.steering import FIRST_TURNS, Steering, no_restriction, parents_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.scoring.growing_sets import GrowingSets
    from forebear.search.alternatives import Alternative
    from forebear.search.growth import Growth
    from forebear.search.population import Population
    from forebear.search.psminobs import PSMINOBS
    from forebear.search.restrictions import Parents
    from forebear.search.space import SearchSpace
    from forebear.search.threads import Workers


TURNS_PER_RUN = 4
"""Restrictions that are tried in a run before the next one starts. Judgement."""


def make_growing_chain(
    growth: Growth,
    settings: PSMINOBS,
    seed: np.random.SeedSequence,
    orders: Sequence[NDArray[np.int32]] = (),
) -> GrowingChain:
    """Make a chain whose sets grow, with a random stream and a collection of its own."""
    if growth.relations.are_orders:
        return growth.chain(settings, seed, orders)
    climbing, steering = seed.spawn(2)
    random = _core.Random(climbing.generate_state(4, np.uint64).tolist())
    steer = Steering(problem_of(growth), int(steering.generate_state(1)[0]))
    growing = growth.collection(growth.first)
    top = np.zeros(growth.first.n_variables, dtype=np.int32)  # the best set of every variable
    sets = growing.sets()
    network = parents_of(sets, top)
    costs = ArcCosts(sets, network, growing.gains(top))
    restriction = next(steer.firsts(network, costs), None)
    if restriction is None:
        raise no_restriction()
    growing.require(restriction.cores(steer.problem.given).items(), [top], 1, _core.Budget(None))
    layout = growth.lay_out(growing)
    space = view(layout, restriction)
    if space is None:
        raise AssertionError("a variable has no set with the parents that it must have")
    population = settings.minobs.start(space, random, orders)
    return SteeredChain(growth, settings, growing, population, layout, steer, restriction)


def resume_growing_chain(growth: Growth, settings: PSMINOBS, state: dict[str, Any]) -> GrowingChain:
    """Make a chain that continues from a saved state."""
    if growth.relations.are_orders:
        return growth.resumed(settings, state)
    steer = Steering(problem_of(growth), int(state["entropy"]), int(state["number"]))
    restriction = Restriction.of_fields(state["restriction"])
    growing, layout = growth.restored(state)
    space = view(layout, restriction)
    if space is None:
        raise ValueError("its restriction does not fit its parent sets")
    population = settings.minobs.resumed(space, state["population"])
    chain = SteeredChain(growth, settings, growing, population, layout, steer, restriction)
    chain.restore(state)
    return chain


def problem_of(growth: Growth) -> Problem:
    """Return what restrictions have to take into account."""
    given = {(p, v) for v, own in growth.job.constraints.required.items() for p in own}
    return Problem(growth.relations, tuple(growth.max_parents), frozenset(given))


def view(layout: SearchSpace, restriction: Restriction) -> SearchSpace | None:
    """Return the sets of a layout that a restriction leaves; None if a variable has none."""
    keep = restriction.allows(layout.parent_sets)
    orders = restriction.orders | restriction.required
    return layout.restricted(keep, orders, restriction.cores())


class SteeredChain(GrowingChain):
    """A population under a restriction on a collection of parent sets that grows.

    Parameters
    ----------
    growth, settings, growing, population
        As for every chain whose sets grow.
    layout
        All sets of the collection.
    steering
        Chooses the restrictions.
    restriction
        The first of them.
    """

    def __init__(
        self,
        growth: Growth,
        settings: PSMINOBS,
        growing: GrowingSets,
        population: Population,
        layout: SearchSpace,
        steering: Steering,
        restriction: Restriction,
    ) -> None:
        super().__init__(growth, settings, growing, population)
        self.restriction = restriction
        self._layout = layout
        self._steering = steering
        self._respecting: Individual | None = None  # the best that does; full ranks
        self._free: NDArray[np.int32] | None = None  # the best network without the relations
        self._violating: list[Individual] = []
        self._lossless = False
        self._reached: int | None = None  # by the population, in ticks

    @property
    def space(self) -> SearchSpace:
        """All sets as they are now."""
        return self._layout

    @property
    def best(self) -> FoundNetwork:
        """The best network so far that respects the relations."""
        if self._best is None:
            raise AssertionError("every network under a restriction respects the relations")
        return self._best

    def networks(self) -> tuple[Alternative, ...]:
        """The best networks that respect the relations, each once."""
        holds = self.growth.relations.holds
        return tuple(one for one in super().networks() if holds(one.parents))

    def in_use(self) -> list[NDArray[np.int32]]:
        """The networks whose sets are not forgotten."""
        others = [self._known.ranks, *([] if self._free is None else [self._free])]
        return [*self.members(), *others]

    def state(self) -> dict[str, Any]:
        """Add what the chain keeps to, and the networks that tell what comes next."""
        best = self._respecting
        return {
            **super().state(),
            "restriction": self.restriction.to_fields(),
            "entropy": self._steering.entropy,
            "number": self._steering.number,
            "respecting": None if best is None else [best.order, best.ranks],
            "free": self._free,
            "lossless": self._lossless,
            "reached": self._reached,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        super().restore(state)
        if state["respecting"] is not None:
            order, ranks = map(as_order, state["respecting"])
            if not self._respects(ranks):
                raise ValueError("its best network violates the knowledge")
            self._respecting = Individual(self._layout.sets.total(ranks), order, ranks)
        self._free = None if state["free"] is None else as_order(state["free"])
        self._lossless = bool(state["lossless"])
        self._reached = None if state["reached"] is None else int(state["reached"])

    def _respects(self, ranks: NDArray[np.integer]) -> bool:
        return self.growth.relations.holds(parents_of(self.space.parent_sets, ranks))

    @property
    def _known(self) -> Individual:
        """The best network of the collection that respects the relations, as ranks of all sets."""
        self._note_best()
        if self._respecting is None:
            raise AssertionError("every network under a restriction respects the relations")
        return self._respecting

    def _note_best(self) -> None:
        """Keep the best member that respects the relations, if it is better than those before."""
        members = self.population.members
        violating = [one for one in self._violating if any(one is other for other in members)]
        for member in sorted(members, key=lambda one: -one.score):
            if self._respecting is not None and member.score <= self._respecting.score:
                break
            if any(one is member for one in violating):
                continue
            ranks = self.population.space.full_ranks(member.ranks)
            finite = np.isfinite(self.space.score(ranks))
            if finite and self._respects(ranks):
                self._respecting = Individual(member.score, member.order, ranks)
                found = FoundNetwork.of(self.space, self._respecting)
                if self._best is None or found.score > self._best.score:
                    self._best = found
                break
            violating.append(member)
        self._violating = violating

    def offer(self, workers: Workers, found: FoundNetwork) -> None:
        """Take in a network that was found elsewhere, and continue around it."""
        if not self.growth.relations.holds(found.parents):
            return
        if found.score > self.best.score:
            self._best = found
        if not self.population.members:  # between two runs: it joins the next one
            return
        if self.growing.add(found.alone().sets, workers.threads):
            self._move_on(workers)
        own = [self.space.parent_sets.find(v, p) for v, p in enumerate(found.parents)]
        ranks = [one.rank - 1 for one in own if one is not None]
        if len(ranks) == len(own):  # no set was dropped since a subset is better
            total = self._layout.sets.total(as_order(ranks))
            if total > self._known.score:
                self._respecting = Individual(total, found.order, as_order(ranks))
                self._keep_to(workers, self._around_best())
        self.population.take_in(workers, found.order)

    def is_progressing(self) -> bool:
        """Return whether what the chain does pays later, though no better network counts yet.

        That is so until it has come to the cheapest restriction and finds nothing better there,
        or has seen that the relations cost nothing.
        """
        if self._steering.number > FIRST_TURNS or not self.population.members:
            return False
        before, self._reached = self._reached, self.population.best.score
        if self._steering.number < FIRST_TURNS:
            return not self._lossless
        return before is None or self._reached > before

    def _continue(self, workers: Workers) -> None:
        """Continue after a standstill: under another restriction, or with another run."""
        self._note_best()
        if self.restriction == self._steering.free:
            self._free = self.population.space.full_ranks(self.population.best.ranks)
        self._lossless = self._is_free_of_loss()
        turns = FIRST_TURNS + TURNS_PER_RUN * (1 + self.runs)
        if self._lossless or self._steering.number >= turns:
            super()._continue(workers)
        else:
            self._keep_to(workers, self._next())

    def _start_run(self, workers: Workers) -> None:
        """Start another run, with more members, under another restriction if there must be one.

        The collection stays: it has the sets that restrictions need.
        """
        if not self._is_free_of_loss():
            self._keep_to(workers, self._next())
        self._kept = self.networks()
        self.runs += 1
        self._joined = False
        self.population.begin_again(self.population.space, self._run_members())

    def _is_free_of_loss(self) -> bool:
        """Whether the best network without the relations respects them."""
        free = self.restriction == self._steering.free
        return free and self._known.score >= self.population.best.score

    def _next(self) -> Restriction:
        sets = self.space.parent_sets
        best = parents_of(sets, self._known.ranks)
        free = best if self._free is None else parents_of(sets, self._free)
        return self._steering.following(self.restriction, free, best, self._costs)

    def _around_best(self) -> Restriction:
        network = parents_of(self.space.parent_sets, self._known.ranks)
        found = around(self._steering.problem, self._costs(network), network)
        return found or self.restriction

    def _costs(self, network: Parents) -> ArcCosts:
        sets = self.space.parent_sets
        found = [sets.find(v, own) for v, own in enumerate(network)]
        ranks = np.array([0 if one is None else one.rank - 1 for one in found], dtype=np.int32)
        return ArcCosts(sets, network, self.growing.gains(ranks))

    def _keep_to(self, workers: Workers, restriction: Restriction) -> None:
        """Continue under a restriction; stay if it leaves a variable without sets."""
        cores = restriction.cores(self._steering.problem.given).items()
        networks = [self._known.ranks, self.population.space.full_ranks(self.population.best.ranks)]
        self.growing.require(cores, networks, workers.threads, workers.budget)
        self._lay_out_again(workers, restriction)
        self._reached = None
        self.population.take_in(workers, self._known.order)

    def _move_on(self, workers: Workers) -> None:
        """Carry the population over to the collection as it is now."""
        self._note_best()
        self._lay_out_again(workers, self.restriction)

    def _lay_out_again(self, workers: Workers, restriction: Restriction) -> None:
        layout = self.growth.lay_out(self.growing, workers.threads)
        space = view(layout, restriction)
        if space is None:
            restriction, space = self.restriction, view(layout, self.restriction)
        if space is None:
            raise AssertionError("sets that are in use stay")
        if (best := self._respecting) is not None:
            ranks = self.growing.translate(best.ranks)
            self._respecting = Individual(layout.sets.total(ranks), best.order, ranks)
        if self._free is not None:
            self._free = self.growing.translate(self._free)
        self._violating = []
        self.restriction, self._layout = restriction, layout
        self._settle_in(workers, space)
