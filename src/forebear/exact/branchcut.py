"""Branch and cut: finds the k best networks by linear programs that cuts tighten.

A node is a subproblem in which some arcs or the order of some variables are decided. Its
relaxation gives a bound, which cuts raise. Sets that would cost too much, or close a cycle, are
dropped. If the bound reaches the incumbents, the node is closed. If the solution is integral, it is
a network. Otherwise a decision is made both ways, which gives two nodes. The node with the lowest
bound comes next, so at any time the lowest bound of the open nodes holds for all networks.
"""

from __future__ import annotations

import heapq
from itertools import count
from typing import TYPE_CHECKING, Protocol

import numpy as np

from forebear import _core
from forebear.exact.branching import History, candidates, choose
from forebear.exact.classes import ClassCut, EquivalenceClass
from forebear.exact.nodes import Node, SetDecision, apply, propagate
from forebear.exact.relationcuts import adjacency_cuts, find_relation_cuts
from forebear.exact.relaxation import Relaxation
from forebear.exact.separation import DEPTHS, find_cuts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.budget import Clock
    from forebear.exact.branching import Side, State
    from forebear.exact.cuts import Cut
    from forebear.exact.flatsets import FlatSets
    from forebear.exact.relaxation import Point
    from forebear.exact.separation import Solution
    from forebear.exact.tree import Tree
    from forebear.knowledge.relations import Relations

_FIRST_SETS = 10  # sets of each variable in the first linear program
_WORTH_DROPPING = 0.95  # dropped sets are removed if at most this share of the sets remains
_WORTH_REBUILDING = 0.7  # the program is built again if at most this share of its sets remains
_PENALTY = 4.0  # times the cost of any network, for violating cuts that may have no solution
_IDLE = 5  # cuts that were not binding in this many solutions in a row are dropped
_SLOW = 0.02  # after a round of cuts that closes less than this share of the gap, others join them
_DEPTH = {True: DEPTHS, False: DEPTHS - 1}  # of the search for cuts, at the root and elsewhere
_PATIENCE = {True: 10, False: 3}  # rounds of cuts, at the root and elsewhere ...
_PROGRESS = {True: 0.02, False: 0.08}  # ... in which the gap must shrink by this share


class Goal(Protocol):
    """The best networks known, as places of sets; what costs as much need not be found."""

    k: int
    class_cuts: bool

    @property
    def cost(self) -> int:
        """The cost that a network must stay below."""

    def offer(self, places: NDArray[np.int64]) -> None:
        """Take a network if it is good enough."""

    def known(self) -> NDArray[np.int64]:
        """Return the places of the sets of the networks known."""


class BranchAndCut:
    """The search for the k best networks. An interrupted ``run`` keeps its bound and incumbents."""

    def __init__(
        self,
        sets: FlatSets,
        goal: Goal,
        clock: Clock,
        *,
        cuts: Sequence[Cut] = (),
        relations: Relations | None = None,
        threads: int = 1,
        tree: Tree | None = None,
        root: int = 0,
        on_node: Callable[[int], None] | None = None,
        on_step: Callable[[], None] = lambda: None,
    ) -> None:
        self.nodes = 0
        self.threads = threads
        self._goal = goal
        self._clock = self._whole = clock
        self._relations = relations
        self._tree = tree
        self._on_node = on_node
        self._step = on_step
        self._number = count()
        self._pending: tuple[int, list[Cut], NDArray[np.int64]] | None = None
        self._variables = tuple(sets.variables.tolist())
        self._history = History()
        # Networks that were left out cost this much or more.
        self._closed = goal.cost
        self._now: Node | None = None
        ranks = np.arange(len(sets)) - sets.starts[:-1][sets.child]
        given = ranks < _FIRST_SETS
        given[np.isin(sets.place, goal.known())] = True
        first = [] if relations is None else adjacency_cuts(relations)
        self._relaxation = Relaxation(
            sets,
            np.flatnonzero(given),
            [*cuts, *first],
            _PENALTY if relations or goal.class_cuts else 1.0,
        )
        self._open: list[Node] = []
        everything = np.ones(len(sets), dtype=bool)
        before = () if relations is None else relations.orders
        if propagate(sets, everything, before):
            self._push(0, (everything, before), root)

    @property
    def cost(self) -> int:
        """Every network but the incumbents costs this much or more."""
        nodes = [*self._open[:1], *([self._now] if self._now else [])]
        return min([self._closed, self._goal.cost, *(node.cost for node in nodes)])

    def run(self, clock: Clock | None = None) -> bool:
        """Search until the incumbents are proven optimal or the time is up; return which.

        It can be called again; another clock then counts for this time only.
        """
        self._clock = clock or self._whole
        while self._open:
            if self._clock.expired:
                return False
            self._now = heapq.heappop(self._open)
            if not self._explore(self._now):
                self._now = None
                return False
            self._now = self._pending = None
            self.nodes += 1
            if self._on_node:
                self._on_node(self.nodes)
        return True

    def _explore(self, node: Node) -> bool:
        """Raise the bound of a node by cuts until it is closed, solved or split."""
        is_root = self.nodes == 0
        allowed = np.unpackbits(node.allowed, count=len(self._relaxation.sets)).astype(bool)
        costs: list[int] = []
        depth, most = 0, _DEPTH[is_root]
        while True:
            self._step()
            point = self._relaxation.solve(allowed, self._goal.cost, self._clock)
            if point is None:
                heapq.heappush(self._open, node)
                return False
            self._remember(node, point)
            node.cost = max(node.cost, point.cost)
            if point.cost >= self._goal.cost:
                self._record(node, point)
                return True
            if not self._drop(node, point, allowed):
                return True  # nothing is left
            if is_root and allowed.sum() < _WORTH_REBUILDING * len(allowed):
                self._relaxation = self._relaxation.reduced(allowed, point.prices)
                allowed = np.ones(len(self._relaxation.sets), dtype=bool)
                node.allowed = np.packbits(allowed)
                continue
            costs.append(point.cost)
            if len(costs) > 1:
                depth = min(depth + 1, most) if self._slow(costs) else max(depth - 1, 1)
            cuts, depth = self._separate(point.solution, depth, most)
            arcs = point.solution.arcs(self._relaxation.sets)
            pairs = candidates(arcs)
            # A decided but cyclic solution cannot be split, so it must be cut off.
            if cuts and (not pairs or not self._stalls(costs, is_root)):
                self._relaxation.add(cuts)
                self._forget()
                continue
            state = (allowed, node.before)
            self._offer_rounded(point.solution)
            if pairs:
                self._record(node, point)
                self._branch(node, choose(pairs, state, self._relaxation, self._history))
            else:
                self._take(node, point, state)
            return True

    def _separate(self, solution: Solution, depth: int, most: int) -> tuple[list[Cut], int]:
        left = max(0.0, self._clock.left())
        budget = _core.Budget(None if left == np.inf else left)
        sets = self._relaxation.sets
        cuts, depth = find_cuts(solution, sets, budget, self.threads, depth, most)
        if self._relations is not None:
            # Where a node has no networks, the solution may violate cuts that are there already.
            there = set(self._relaxation.cuts)
            found = find_relation_cuts(solution, sets, self._relations, budget)
            cuts += [cut for cut in found if cut not in there]
        return cuts, depth

    def settle(self) -> None:
        """Record what is known of the node that was being explored when the search ended."""
        if self._pending is not None and self._tree is not None:
            self._tree.step(*self._pending, self._variables)
        self._pending = None

    def _remember(self, node: Node, point: Point) -> None:
        """Keep the prices that prove the most of the node being explored."""
        if self._tree is not None and point.cost > node.cost:
            self._pending = (node.record, list(self._relaxation.cuts), point.prices)

    def _record(self, node: Node, point: Point) -> None:
        if self._tree is not None:
            self._tree.step(node.record, self._relaxation.cuts, point.prices, self._variables)

    def _drop(self, node: Node, point: Point, allowed: NDArray[np.bool_]) -> bool:
        """Drop sets that only worse networks have, and what then closes a cycle."""
        left = allowed & (point.cost + point.extra < self._goal.cost)
        left[self._known()] |= allowed[self._known()]
        if left.sum() > _WORTH_DROPPING * allowed.sum():
            return True
        allowed[:] = left
        self._record(node, point)
        return propagate(self._relaxation.sets, allowed, node.before)

    def _known(self) -> NDArray[np.int64]:
        """Return where the sets of the incumbents are in the relaxation."""
        return np.flatnonzero(np.isin(self._relaxation.sets.place, self._goal.known()))

    def _slow(self, costs: list[int]) -> bool:
        """Return whether the last cuts raised the bound little, so that better ones are needed."""
        return len(costs) > 1 and costs[-1] - costs[-2] < _SLOW * (self._goal.cost - costs[-1])

    def _stalls(self, costs: list[int], is_root: bool) -> bool:
        """Return whether cuts no longer raise the bound of a node enough."""
        patience = _PATIENCE[is_root]
        if len(costs) <= patience:
            return False
        gap = self._goal.cost - costs[-1]
        return costs[-1] - costs[-1 - patience] < _PROGRESS[is_root] * gap

    def _branch(self, node: Node, sides: list[Side]) -> None:
        """Make a node of each side that may have networks."""
        for side in sides:
            record = 0
            if self._tree is not None:
                record = self._tree.branch(node.record, side.decision, self._variables)
            if side.state is not None:
                self._push(node.cost, side.state, record)

    def _push(self, cost: int, state: State, record: int) -> None:
        allowed, before = state
        node = Node(cost, next(self._number), np.packbits(allowed), before, record)
        heapq.heappush(self._open, node)

    def _forget(self) -> None:
        """Drop the cuts that have not been binding for long."""
        idle = self._relaxation.idle > _IDLE
        if 4 * idle.sum() > len(idle):
            self._relaxation.forget(idle)

    def _take(self, node: Node, point: Point, state: State) -> None:
        """Offer the network of a node; if more than one is wanted, branch over its others."""
        sets = self._relaxation.sets
        solution = point.solution
        chosen = solution.chosen[np.argsort(solution.weight, kind="stable")]
        place = np.zeros(sets.n_variables, dtype=np.int64)
        place[sets.child[chosen]] = chosen
        parents = [np.flatnonzero(own).tolist() for own in sets.members(place)]
        # Where a node has no networks, the linear program violates cuts; branching finds out.
        respects = self._relations is None or self._relations.holds(parents)
        if respects:
            self._goal.offer(sets.place[place])
        if respects and self._goal.class_cuts:  # the node may have other classes
            cut = ClassCut(EquivalenceClass.of(parents))
            if cut not in self._relaxation.cuts:
                self._relaxation.add([cut])
                heapq.heappush(self._open, node)
                return
        if self._goal.k == 1 and (respects or self._tree is not None):
            # A certificate has no branches over sets: then this node keeps the bound that it has.
            self._closed = min(self._closed, node.cost)
            self._record(node, point)
            return
        # Lawler (1972): the others first differ at the first variable, or at the second, ...
        for v, index in enumerate(place.tolist()):
            other = apply(SetDecision(v, index, False), sets, *state)
            if other is not None:
                self._push(node.cost, other, 0)
            same = apply(SetDecision(v, index, True), sets, *state)
            if same is None:
                return
            state = same

    def _offer_rounded(self, solution: Solution) -> None:
        """Round to an order, and offer the cheapest network of that order."""
        sets = self._relaxation.sets
        missing = sets.members(solution.chosen)
        count_missing = missing.sum(axis=1)
        child = sets.child[solution.chosen]
        left = np.ones(sets.n_variables, dtype=bool)
        order = []
        for _ in range(sets.n_variables):
            there = np.bincount(
                child, solution.weight * (count_missing == 0), minlength=sets.n_variables
            )
            order.append(int(np.argmax(np.where(left, there, -1.0))))
            left[order[-1]] = False
            count_missing = count_missing - missing[:, order[-1]]
        chosen = sets.best_of_order(order)
        if chosen is not None:
            self._goal.offer(sets.place[chosen])
