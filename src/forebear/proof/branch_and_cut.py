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
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear.proof.branching import (
    USUAL_EFFORT,
    Effort,
    Node,
    SetDecision,
    apply,
    choose,
    fractional_arcs,
    propagate,
)
from forebear.proof.equivalence_classes import ClassCut, EquivalenceClass
from forebear.proof.relation_cuts import adjacency_cuts, find_relation_cuts
from forebear.proof.relaxation import Relaxation
from forebear.proof.separation import find_cuts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.budget import Clock
    from forebear.knowledge.relations import Relations
    from forebear.proof.branching import Side
    from forebear.proof.certificate import Tree
    from forebear.proof.flat_sets import FlatSets
    from forebear.proof.incumbents import Goal
    from forebear.proof.relaxation import Point
    from forebear.proof.separation import Cut, Solution

_FIRST_SETS = 10  # sets of each variable in the first linear program
_WORTH_DROPPING = 0.95  # dropped sets are removed if at most this share of the sets remains
_IDLE = 5  # cuts that were not binding in this many solutions in a row are dropped


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
        effort: Effort = USUAL_EFFORT,
    ) -> None:
        self.nodes = 0
        self._effort = effort
        self.threads = threads
        self._goal = goal
        self._clock = clock
        self._programs = 0
        self._most: int | None = None
        self._relations = relations
        self._tree = tree
        self._on_node = on_node
        self._step = on_step
        self._number = count()
        self._pending: tuple[int, list[Cut], NDArray[np.int64]] | None = None
        self._variables = tuple(sets.variables.tolist())
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
            may_fail=bool(relations) or goal.class_cuts,
        )
        self._open: list[Node] = []
        everything = np.ones(len(sets), dtype=bool)
        self._before = () if relations is None else relations.orders
        if propagate(sets, everything, self._before):
            self._push(0, everything, root)

    @property
    def cost(self) -> int:
        """Every network but the incumbents costs this much or more."""
        nodes = [*self._open[:1], *([self._now] if self._now else [])]
        return min([self._closed, self._goal.cost, *(node.cost for node in nodes)])

    def run(self, programs: int | None = None) -> bool:
        """Search until the incumbents are proven optimal, or time or linear programs are used up.

        Returns whether they are proven optimal.
        """
        self._most = programs
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
        depth, most = 0, self._effort.depth
        while True:
            self._step()
            point = None
            if self._most is None or self._programs < self._most:
                self._programs += 1
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
            costs.append(point.cost)
            if len(costs) > 1:
                depth = min(depth + 1, most) if self._slow(costs) else max(depth - 1, 1)
            cuts, depth = self._separate(point.solution, depth, most)
            arcs = fractional_arcs(point.solution.arcs(self._relaxation.sets))
            # A decided but cyclic solution cannot be split, so it must be cut off.
            if cuts and (not arcs or not self._stalls(costs, is_root)):
                self._relaxation.add(cuts)
                self._forget()
                continue
            if arcs:
                self._record(node, point)
                self._branch(node, choose(arcs, allowed, self._before, self._relaxation))
            else:
                self._take(node, point, allowed)
            return True

    def _separate(self, solution: Solution, depth: int, most: int) -> tuple[list[Cut], int]:
        left = max(0.0, self._clock.left())
        budget = _core.Budget(None if left == np.inf else left)
        sets = self._relaxation.sets
        few = self._effort.few_cuts
        cuts, depth = find_cuts(solution, sets, budget, self.threads, depth, most, few)
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
        return propagate(self._relaxation.sets, allowed, self._before)

    def _known(self) -> NDArray[np.int64]:
        """Return where the sets of the incumbents are in the relaxation."""
        return np.flatnonzero(np.isin(self._relaxation.sets.place, self._goal.known()))

    def _slow(self, costs: list[int]) -> bool:
        """Return whether the last cuts raised the bound little, so that better ones are needed."""
        gap = self._goal.cost - costs[-1]
        return len(costs) > 1 and costs[-1] - costs[-2] < self._effort.slow * gap

    def _stalls(self, costs: list[int], is_root: bool) -> bool:
        """Return whether cuts no longer raise the bound of a node enough."""
        rounds = self._effort.rounds[not is_root]
        if len(costs) <= rounds:
            return False
        gap = self._goal.cost - costs[-1]
        return costs[-1] - costs[-1 - rounds] < self._effort.progress[not is_root] * gap

    def _branch(self, node: Node, sides: list[Side]) -> None:
        """Make a node of each side that may have networks."""
        for side in sides:
            record = 0
            if self._tree is not None:
                record = self._tree.branch(node.record, side.decision, self._variables)
            if side.allowed is not None:
                self._push(node.cost, side.allowed, record)

    def _push(self, cost: int, allowed: NDArray[np.bool_], record: int) -> None:
        node = Node(cost, next(self._number), np.packbits(allowed), record)
        heapq.heappush(self._open, node)

    def _forget(self) -> None:
        """Drop the cuts that have not been binding for long."""
        idle = self._relaxation.idle > _IDLE
        if 4 * idle.sum() > len(idle):
            self._relaxation.forget(idle)

    def _take(self, node: Node, point: Point, allowed: NDArray[np.bool_]) -> None:
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
            other = apply(SetDecision(v, index, False), sets, allowed, self._before)
            if other is not None:
                self._push(node.cost, other, 0)
            same = apply(SetDecision(v, index, True), sets, allowed, self._before)
            if same is None:
                return
            allowed = same
