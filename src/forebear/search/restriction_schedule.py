"""RestrictionSchedule: chooses the restrictions of a search under relations, one after another.

A search starts under the most promising restriction, so that it has a network immediately. When it
stalls, it continues without the relations, except for orders. If its network respects the relations
anyway, the relations cost nothing. Otherwise this network shows their cost, and the cheapest
restriction is next. Each further restriction is derived from the best network that respects the
relations; one statement is satisfied in a different way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import LimitError, Parameter
from forebear.knowledge.relations import Arc
from forebear.network.graphs import CycleError, children_of, reachable, topological_order
from forebear.search.chain import Solution
from forebear.search.restrictions import (
    ArcCosts,
    Parents,
    Restriction,
    RestrictionProblem,
    random_factors,
    with_noise,
)

FIRST_TURNS = 2
"""The first changes of the restriction: to orders only, and to the cheapest restriction. They do
not wait for more sets."""

FIRST_TRIES = 30
"""Random choices before a search under relations is abandoned. Not measured: a choice fails only if
there are few ways to satisfy the statements, and then other choices often succeed."""

_STEP = 1e-6
"""Cost of each arc of a path in nats, so that the shorter of two free paths is chosen."""

NEXT_TRIES = 4
"""Choices for the next restriction. If all equal the current one, that is kept."""


class NoRestrictionError(LimitError):
    """No way to satisfy the relations was found, although there may be one."""


def no_restriction() -> NoRestrictionError:
    """Return the error for a search under relations that found no valid network."""
    return NoRestrictionError(
        "no network was found that respects the knowledge: relax a constraint, or increase ",
        Parameter("max_parents"),
    )


class RestrictionSchedule:
    """The restrictions of one chain.

    Parameters
    ----------
    problem
        The problem that the restrictions belong to.
    entropy
        The entropy of the random numbers.
    number
        The number of restrictions so far.
    """

    def __init__(self, problem: RestrictionProblem, entropy: int, number: int = 0) -> None:
        self.problem = problem
        self.entropy = entropy
        self.number = number

    @classmethod
    def from_state(cls, problem: RestrictionProblem, state: dict[str, Any]) -> RestrictionSchedule:
        """Create the schedule of a chain that continues from a saved state."""
        return cls(problem, int(state["entropy"]), int(state["number"]))

    @property
    def seed(self) -> np.random.SeedSequence:
        """The seed of the chain under the current restriction."""
        return np.random.SeedSequence([self.entropy, self.number])

    @property
    def orders_only(self) -> Restriction:
        """The restriction to orders only: networks under it may violate the other relations."""
        return Restriction(
            required=self.problem.given, orders=frozenset(self.problem.relations.orders)
        )

    def first_restrictions(self, network: Parents, costs: ArcCosts) -> Iterator[Restriction]:
        """Yield restrictions to start with, the most promising one first.

        ``network`` is the best set of every variable.
        """
        for number in range(FIRST_TRIES):
            noise = None if number == 0 else self._noise(len(network), number)
            restriction = choose_restriction(self.problem, costs, network, noise)
            if restriction is not None:
                yield restriction

    def next_restriction(
        self,
        current: Restriction,
        unconstrained: Solution,
        valid: Solution | None,
        costs_of: Callable[[Solution], ArcCosts],
    ) -> Restriction:
        """Choose the next restriction.

        ``unconstrained`` is the best network without the relations. ``valid`` is the best one that
        respects them, if there is one.
        """
        for _ in range(NEXT_TRIES):
            self.number += 1
            if self.number == 1:
                return self.orders_only
            if self.number == FIRST_TURNS:
                costs = costs_of(unconstrained)
                chosen = choose_restriction(self.problem, costs, unconstrained.parents)
            elif valid is not None:
                # Different satisfying arcs are cheap in each of the two networks.
                other = costs_of(unconstrained) if self.number % 2 else None
                rng = self._rng(self.number)
                costs = costs_of(valid)
                chosen = neighboring_restriction(self.problem, costs, valid.parents, rng, other)
            else:
                network = unconstrained.parents
                noise = self._noise(len(network), FIRST_TRIES + self.number)
                costs = costs_of(unconstrained)
                chosen = choose_restriction(self.problem, costs, network, noise)
            if chosen is not None and chosen != current:
                return chosen
        return current

    def _rng(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self.entropy, number])

    def _noise(self, n: int, number: int) -> NDArray[np.float64]:
        return random_factors(self._rng(number), n)


def choose_restriction(
    problem: RestrictionProblem,
    costs: ArcCosts,
    network: Sequence[Sequence[int]],
    noise: NDArray[np.float64] | None = None,
) -> Restriction | None:
    """Choose arcs, orders and closed groups that cost a network little; None if this fails.

    The costs are multiplied by ``noise``, so that each call makes a different choice.
    """
    relations = problem.relations
    price = costs.of_arcs if noise is None else with_noise(costs, noise)
    choice = _Choice(problem, price)
    for a, b in relations.ancestors:
        if not choice.require_path(a, b):
            return None
    for a, b in relations.adjacent:
        if not choice.require_adjacency(a, b):
            return None
    return choice.separated(network, costs)


def neighboring_restriction(
    problem: RestrictionProblem,
    costs: ArcCosts,
    network: Sequence[Sequence[int]],
    rng: np.random.Generator | None = None,
    other_costs: ArcCosts | None = None,
) -> Restriction | None:
    """Choose a restriction that is satisfied by a network that respects the relations.

    If several paths satisfy a statement, the arcs are required that the network would keep anyway.
    With random numbers, one statement is satisfied in a different way, which the network does not
    have: one that is cheap for this network, or by other costs.
    """
    relations = problem.relations
    own = np.full((len(network), len(network)), np.inf)
    for v, parents in enumerate(network):
        for p in parents:
            own[p, v] = 1.0 / (1.0 + max(0.0, costs.without(p, v)))
    choice = _Choice(problem, own)
    statements = [*relations.ancestors, *relations.adjacent, *relations.not_ancestors]
    other: Arc | None = None
    if rng is not None and statements:
        other = statements[int(rng.integers(len(statements)))]
        elsewhere = with_noise(other_costs or costs, random_factors(rng, len(own)))
        # The cost of a direct arc does not show what it makes possible elsewhere, so it is often
        # tried.
        if rng.random() < 0.5 and np.isfinite(elsewhere[other]):
            elsewhere[other] = 0.0
        # Without one of its arcs, the path of the network is no longer the cheapest.
        for pair in (other, other[::-1]):
            path = cheapest_path(own, *pair)
            if path is not None:
                elsewhere[path[int(rng.integers(len(path)))]] = np.inf
    for pair in relations.ancestors:
        if not choice.require_path(*pair, elsewhere if pair == other else None):
            return None
    for a, b in relations.adjacent:
        arc = (a, b) if a in network[b] else (b, a)
        if (a, b) == other and not choice.require_adjacency(*arc, elsewhere):
            return None
        choice.require([arc] if (a, b) != other else [])
    return choice.separated(network, costs, other)


class _Choice:
    """A restriction under construction."""

    def __init__(self, problem: RestrictionProblem, price: NDArray[np.float64]) -> None:
        self._relations = problem.relations
        self._price = price.copy()
        self._n = len(price)
        self._room = list(problem.most_parents)
        self._children: list[set[int]] = [set() for _ in range(self._n)]
        self._required: set[Arc] = set()
        self._orders: set[Arc] = set(self._relations.orders)
        self.require(sorted(problem.given))

    def require(self, arcs: Iterable[Arc]) -> None:
        """Require arcs."""
        for parent, child in arcs:
            if (parent, child) in self._required:
                continue
            self._required.add((parent, child))
            self._children[parent].add(child)
            self._price[parent, child] = 0.0
            self._room[child] -= 1
            if self._room[child] <= 0:
                full = np.ones(self._n, dtype=bool)
                full[[p for p, v in self._required if v == child]] = False
                self._price[full, child] = np.inf

    def require_path(self, a: int, b: int, price: NDArray[np.float64] | None = None) -> bool:
        """Require the arcs of the cheapest path that fits; return whether there is one."""
        if b in self._below(a):
            return True
        barred = self._not_between(a, b)
        price = (self._price if price is None else price).copy()
        price[barred], price[:, barred] = np.inf, np.inf
        path = cheapest_path(price, a, b)
        for arcs in (path, [(a, b)]):
            if arcs and np.isfinite(price[arcs[-1]]) and self._fits(arcs):
                self.require(arcs)
                return True
        return False

    def require_adjacency(self, a: int, b: int, price: NDArray[np.float64] | None = None) -> bool:
        """Require an arc between two variables, in the cheaper direction that fits."""
        price = self._price if price is None else price
        sides = sorted([(a, b), (b, a)], key=lambda arc: float(price[arc]))
        if self._required & set(sides):
            return True
        for arc in sides:
            if np.isfinite(price[arc]) and self._fits([arc]):
                self.require([arc])
                return True
        return False

    def separated(
        self, network: Sequence[Sequence[int]], costs: ArcCosts, first: Arc | None = None
    ) -> Restriction | None:
        """Rule out the forbidden paths by orders, or else by closed groups.

        Orders that agree with the network are preferred, to exclude the network only if necessary.
        Before that, the path of the pair ``first`` is ruled out by an order if possible.
        """
        arcs = {(p, v) for v, own in enumerate(network) for p in own}
        apart = list(self._relations.not_ancestors)
        if first in apart and self._is_order({first[::-1]}):
            self._orders.add(first[::-1])
        children = self._children_in(network)
        for excludes in (False, True):
            for a, b in apart:
                # A closed group costs nothing in a network without such a path; an order might.
                needed = not excludes or b in reachable([a], children)
                if needed and self._is_order({(b, a), *(() if excludes else arcs)}):
                    self._orders.add((b, a))
            apart = [(a, b) for a, b in apart if (b, a) not in self._orders]
        if not self._is_order(set()):
            return None
        groups = []
        for a, b in apart:
            group = self._closed_group(network, costs, a, b)
            if group is None:
                return None
            groups.append(group)
        return Restriction(frozenset(self._required), frozenset(self._orders), tuple(groups))

    def _closed_group(
        self, network: Sequence[Sequence[int]], costs: ArcCosts, a: int, b: int
    ) -> frozenset[int] | None:
        """Return the descendants of a in the network without the cheapest arcs that lead to b."""
        children = self._children_in(network)
        while b in reachable([a], children):
            price = np.full((self._n, self._n), np.inf)
            for u, own in enumerate(children):
                price[u, list(own)] = 1.0
            path = cheapest_path(price, a, b) or []
            free = [arc for arc in path if arc not in self._required]
            if not free:
                return None
            u, v = min(free, key=lambda arc: costs.without(*arc))
            children[u].discard(v)
        return frozenset(reachable([a], children))

    def _children_in(self, network: Sequence[Sequence[int]]) -> list[set[int]]:
        """Return the children of every variable: in the network, and by required arcs."""
        return [own | self._children[v] for v, own in enumerate(map(set, children_of(network)))]

    def _below(self, v: int) -> set[int]:
        return reachable([v], self._children)

    def _not_between(self, a: int, b: int) -> list[int]:
        """Return the variables that no path from a to b may visit, given the choices so far."""
        parents: list[set[int]] = [set() for _ in range(self._n)]
        earlier: list[set[int]] = [set() for _ in range(self._n)]
        later: list[set[int]] = [set() for _ in range(self._n)]
        for u, v in self._required:
            parents[v].add(u)
        for u, v in self._required | self._orders:
            earlier[v].add(u)
            later[u].add(v)
        barred = reachable([b], later) | reachable([a], earlier)
        above_a, below_b = reachable([a], parents), self._below(b)
        for p, q in self._relations.not_ancestors:
            if p in above_a:  # then no path may lead from a to q
                barred |= reachable([q], parents)
            if q in below_b:
                barred |= self._below(p)
        return sorted(barred - {a, b})

    def _fits(self, arcs: Sequence[Arc]) -> bool:
        """Return whether arcs fit: an order exists, max_parents holds, and no path is forbidden."""
        room = list(self._room)
        for arc in set(arcs) - self._required:
            room[arc[1]] -= 1
        if min(room) < 0 or not self._is_order(set(arcs)):
            return False
        children = [set(own) for own in self._children]
        for u, v in arcs:
            children[u].add(v)
        return all(b not in reachable([a], children) for a, b in self._relations.not_ancestors)

    def _is_order(self, more: set[Arc]) -> bool:
        return is_order({*self._required, *self._orders, *more})


def cheapest_path(price: NDArray[np.float64], start: int, end: int) -> list[Arc] | None:
    """Return the arcs of the cheapest path, by prices [parent, child]; None if there is none."""
    from scipy.sparse import csr_array  # here: it would double the time of the import
    from scipy.sparse.csgraph import dijkstra

    from_, to = np.nonzero(np.isfinite(price))
    graph = csr_array((price[from_, to] + _STEP, (from_, to)), shape=price.shape)
    _, last = dijkstra(graph, indices=[start], return_predecessors=True)
    last = last[0]
    if last[end] < 0:
        return None
    arcs, v = [], end
    while v != start:
        arcs.append((int(last[v]), v))
        v = int(last[v])
    return arcs[::-1]


def is_order(pairs: Iterable[Arc]) -> bool:
    """Return whether the pairs contain no cycle."""
    pairs = list(pairs)
    earlier: list[list[int]] = [
        [] for _ in range(max((max(pair) for pair in pairs), default=0) + 1)
    ]
    for a, b in pairs:
        earlier[b].append(a)
    try:
        topological_order(earlier)
    except CycleError:
        return False
    return True
