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
from forebear.network.network import Network
from forebear.proof.branching import (
    Node,
    choose,
    fractional_arcs,
    propagate,
    restrict,
)
from forebear.proof.cut_kinds import ClassCut
from forebear.proof.relaxation import SETS_AT_ONCE, Relaxation
from forebear.proof.separation import adjacency_cuts, find_cuts, find_relation_cuts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.proof.branching import Side
    from forebear.proof.cut_kinds import Cut
    from forebear.proof.flat_sets import FlatSets
    from forebear.proof.relaxation import Point
    from forebear.proof.separation import Solution
    from forebear.proof.solver import Solver

_WORTH_DROPPING = 0.95
"""Sets are dropped if at most this share remains. With 0.75, wdbc took 12.4 s instead of 9.3 s."""
_IDLE = 5
"""Cuts that were not binding in this many solutions in a row are dropped. With 3, wdbc took 7.5 s
instead of 7.1 s, and hailfinder 2.7 instead of 1.8; with 10, all of four tables took longer."""


class BranchAndCut:
    """The search for the k best networks. An interrupted ``run`` keeps its bound and incumbents.

    Networks of the variables of ``sets`` are offered to ``solver`` if they cost less than its
    incumbents, by more than ``slack``. ``root`` is the number of the root in a certificate.
    """

    def __init__(
        self, solver: Solver, sets: FlatSets, slack: int, cuts: Sequence[Cut], root: int
    ) -> None:
        self._solver = solver
        self._slack = slack
        self._effort = solver.effort
        self._clock = solver.clock
        self._tree = solver.tree
        self._relations = solver.incumbents.relations or None
        self._class_cuts = solver.incumbents.class_cuts
        self._sets = sets
        self._is_root = True
        self._programs = 0
        self._most: int | None = None
        self._number = count()
        self._pending: tuple[int, list[Cut], NDArray[np.int64]] | None = None
        # Networks that were left out cost this much or more.
        self._closed = self.goal
        self._now: Node | None = None
        ranks = np.arange(len(sets)) - sets.starts[:-1][sets.child]
        given = ranks < SETS_AT_ONCE
        given[np.isin(sets.place, solver.known)] = True
        first = adjacency_cuts(self._relations) if self._relations else []
        self._relaxation = Relaxation(
            sets,
            np.flatnonzero(given),
            [*cuts, *first],
            may_fail=self._relations is not None or self._class_cuts,
        )
        self._open: list[Node] = []
        everything = np.ones(len(sets), dtype=bool)
        self._before = self._relations.orders if self._relations else ()
        if propagate(sets, everything, self._before):
            self._push(0, everything, root)

    @property
    def goal(self) -> int:
        """What a network must cost less than."""
        return self._solver.goal(self._sets, self._slack)

    @property
    def cost(self) -> int:
        """Every network but the incumbents costs this much or more."""
        nodes = [*self._open[:1], *([self._now] if self._now else [])]
        return min([self._closed, self.goal, *(node.cost for node in nodes)])

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
            self._is_root = False
            self._solver.count_node()
        return True

    def _explore(self, node: Node) -> bool:
        """Raise the bound of a node by cuts until it is closed, solved or split."""
        allowed = np.unpackbits(node.allowed, count=len(self._sets)).astype(bool)
        costs: list[int] = []
        depth, most = 0, self._effort.depth
        while True:
            self._solver.step()
            point = None
            if self._most is None or self._programs < self._most:
                self._programs += 1
                point = self._relaxation.solve(allowed, self.goal, self._clock)
            if point is None:
                heapq.heappush(self._open, node)
                return False
            self._remember(node, point)
            node.cost = max(node.cost, point.cost)
            if point.cost >= self.goal:
                self._record(node, point)
                return True
            if not self._drop(node, point, allowed):
                return True  # nothing is left
            costs.append(point.cost)
            if len(costs) > 1:
                depth = min(depth + 1, most) if self._slow(costs) else max(depth - 1, 1)
            cuts, depth = self._separate(point.solution, depth, most)
            arcs = fractional_arcs(point.solution.arcs(self._sets))
            # A decided but cyclic solution cannot be split, so it must be cut off.
            if cuts and (not arcs or not self._stalls(costs)):
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
        sets, threads = self._sets, self._solver.threads
        few = self._effort.few_cuts
        cuts, depth = find_cuts(solution, sets, budget, threads, depth, most, few)
        if self._relations is not None:
            # Where a node has no networks, the solution may violate cuts that are there already.
            there = set(self._relaxation.cuts)
            found = find_relation_cuts(solution, sets, self._relations, budget)
            cuts += [cut for cut in found if cut not in there]
        return cuts, depth

    def settle(self) -> None:
        """Record what is known of the node that was being explored when the search ended."""
        if self._pending is not None and self._tree is not None:
            self._tree.step(*self._pending, self._sets.variables)
        self._pending = None

    def _remember(self, node: Node, point: Point) -> None:
        """Keep the prices that prove the most of the node being explored."""
        if self._tree is not None and point.cost > node.cost:
            self._pending = (node.record, list(self._relaxation.cuts), point.prices)

    def _record(self, node: Node, point: Point) -> None:
        if self._tree is not None:
            self._tree.step(node.record, self._relaxation.cuts, point.prices, self._sets.variables)

    def _drop(self, node: Node, point: Point, allowed: NDArray[np.bool_]) -> bool:
        """Drop sets that only worse networks have, and what then closes a cycle."""
        left = allowed & (point.cost + point.extra < self.goal)
        left[self._known()] |= allowed[self._known()]
        if left.sum() > _WORTH_DROPPING * allowed.sum():
            return True
        allowed[:] = left
        self._record(node, point)
        return propagate(self._sets, allowed, self._before)

    def _known(self) -> NDArray[np.int64]:
        """Return where the sets of the incumbents are in the relaxation."""
        return np.flatnonzero(np.isin(self._sets.place, self._solver.known))

    def _slow(self, costs: list[int]) -> bool:
        """Return whether the last cuts raised the bound little, so that better ones are needed."""
        gap = self.goal - costs[-1]
        return len(costs) > 1 and costs[-1] - costs[-2] < self._effort.slow * gap

    def _stalls(self, costs: list[int]) -> bool:
        """Return whether cuts no longer raise the bound of a node enough."""
        inner = not self._is_root
        rounds = self._effort.rounds[inner]
        if len(costs) <= rounds:
            return False
        gap = self.goal - costs[-1]
        return costs[-1] - costs[-1 - rounds] < self._effort.progress[inner] * gap

    def _branch(self, node: Node, sides: list[Side]) -> None:
        """Make a node of each side that may have networks."""
        for side in sides:
            record = 0
            if self._tree is not None:
                record = self._tree.branch(node.record, side.decision, self._sets.variables)
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
        sets = self._sets
        solution = point.solution
        chosen = solution.chosen[np.argsort(solution.weight, kind="stable")]
        place = np.zeros(sets.n_variables, dtype=np.int64)
        place[sets.child[chosen]] = chosen
        parents = tuple(tuple(np.flatnonzero(own).tolist()) for own in sets.members(place))
        # Where a node has no networks, the linear program violates cuts; branching finds out.
        respects = self._relations is None or self._relations.holds(parents)
        if respects:
            self._solver.offer(sets.place[place])
        if respects and self._class_cuts:  # the node may have other classes
            names = tuple(map(str, range(sets.n_variables)))
            cut = ClassCut(Network(names, parents).cpdag())
            if cut not in self._relaxation.cuts:
                self._relaxation.add([cut])
                heapq.heappush(self._open, node)
                return
        if self._solver.incumbents.k == 1 and (respects or self._tree is not None):
            # A certificate has no branches over sets: then this node keeps the bound that it has.
            self._closed = min(self._closed, node.cost)
            self._record(node, point)
            return
        # Lawler (1972): the others first differ at the first variable, or at the second, ...
        for v, index in enumerate(place.tolist()):
            same = np.arange(len(sets))[sets.span(v)] == index
            other = restrict(sets, allowed, self._before, v, ~same)
            if other is not None:
                self._push(node.cost, other, 0)
            left = restrict(sets, allowed, self._before, v, same)
            if left is None:
                return
            allowed = left
