"""Branch and cut: find the k best networks by linear programs that are tightened by cuts.

A node is a subproblem in which some arcs are decided. Its relaxation gives a bound, which cuts
raise. Sets that would cost too much, or close a cycle, are dropped. If the bound reaches the
incumbents, the node is closed. If the solution is integral, it is a network. Otherwise the node is
split by a decision about an arc (``strong_branching``). The node with the lowest bound is explored
next (``node_queue``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.network.network import Network
from forebear.proof.cut_kinds import ClassCut, Cut
from forebear.proof.flat_sets import FlatSets
from forebear.proof.incumbents import Incumbents
from forebear.proof.integer_costs import NOT_ALLOWED
from forebear.proof.node_queue import Node, NodeQueue
from forebear.proof.proof_run import ProofRun
from forebear.proof.relation_cuts import adjacency_cuts, find_relation_cuts
from forebear.proof.relaxation import SETS_AT_ONCE, Point, Relaxation
from forebear.proof.separation import Solution, find_cuts
from forebear.proof.strong_branching import (
    BranchSide,
    choose_arc,
    fractional_arcs,
    propagate,
    restrict,
)

_WORTH_DROPPING = 0.95
"""Sets are dropped if at most this share remains. With 0.75, wdbc took 12.4 s instead of 9.3 s."""
_IDLE = 5
"""Cuts that were not binding in this many solutions in a row are dropped. With 3, wdbc took 7.5 s
instead of 7.1 s, and hailfinder 2.7 instead of 1.8; with 10, all of four tables took longer."""


class BranchAndCut:
    """The search for the k best networks. If ``run`` is interrupted, its bound stays valid.

    Parameters
    ----------
    run
        The limits, the callbacks and the record of the proof.
    incumbents
        Networks are offered to them if they cost less, by more than ``slack``.
    sets
        The parent sets of a group of variables.
    slack
        The cost that counts as rounding error.
    cuts
        The first cuts.
    root
        The number of the root in a certificate.
    on_node
        Called after every node.
    relaxation
        A linear program over these sets that another search has solved. Its cuts and its basis are
        reused. Default: a new one.
    allowed
        Which of the sets networks may have. Default: all.
    cutoff
        Networks that cost this much or more need not be found. Default: no cutoff.
    """

    def __init__(
        self,
        run: ProofRun,
        incumbents: Incumbents,
        sets: FlatSets,
        slack: int,
        cuts: Sequence[Cut],
        root: int,
        on_node: Callable[[], None],
        *,
        relaxation: Relaxation | None = None,
        allowed: NDArray[np.bool_] | None = None,
        cutoff: int = NOT_ALLOWED,
    ) -> None:
        self._run = run
        self._incumbents = incumbents
        self._slack = slack
        self._cutoff = cutoff
        self._on_node = on_node
        self._relations = incumbents.relations or None
        self._sets = sets
        self._is_root = True
        self._programs = 0
        self._most_programs: int | None = None
        self._unrecorded: tuple[int, list[Cut], NDArray[np.int64]] | None = None
        # Networks of nodes that were closed without a proof cost this much or more.
        self._closed_cost = self.goal
        self._active: Node | None = None
        self._relaxation = self._new_relaxation(cuts) if relaxation is None else relaxation
        self._nodes = NodeQueue()
        everything = np.ones(len(sets), dtype=bool) if allowed is None else allowed.copy()
        self._before = self._relations.orders if self._relations else ()
        if propagate(sets, everything, self._before):
            self._nodes.add(0, everything, root)

    def _new_relaxation(self, cuts: Sequence[Cut]) -> Relaxation:
        ranks = np.arange(len(self._sets)) - self._sets.starts[:-1][self._sets.child]
        return Relaxation(
            self._sets,
            np.flatnonzero((ranks < SETS_AT_ONCE) | self._is_incumbent()),
            [*cuts, *(adjacency_cuts(self._relations) if self._relations else [])],
            may_fail=self._relations is not None or self._incumbents.class_cuts,
        )

    @property
    def goal(self) -> int:
        """The cost that a network must stay below."""
        return min(self._incumbents.cost(self._sets.variables) - self._slack, self._cutoff)

    @property
    def cost(self) -> int:
        """Every network other than the incumbents costs this much or more."""
        cost = self._nodes.lowest_cost(min(self._closed_cost, self.goal))
        active = cost if self._active is None else self._active.cost
        return min(self._closed_cost, self.goal, cost, active)

    def run(self, programs: int | None = None) -> bool:
        """Search until the incumbents are proven optimal or a limit is reached.

        ``programs`` limits the number of linear programs. Returns whether the incumbents are proven
        optimal.
        """
        self._most_programs = programs
        while self._nodes:
            if self._run.clock.expired:
                return False
            self._active = self._nodes.take_next()
            if not self._explore(self._active):
                self._active = None
                return False
            self._active = self._unrecorded = None
            self._is_root = False
            self._on_node()
        return True

    def _explore(self, node: Node) -> bool:
        """Raise the bound of a node by cuts until it is closed, solved or split."""
        allowed = np.unpackbits(node.allowed, count=len(self._sets)).astype(bool)
        costs: list[int] = []
        depth, most = 0, self._run.effort.depth
        while True:
            self._run.on_step()
            point = None
            if self._most_programs is None or self._programs < self._most_programs:
                self._programs += 1
                point = self._relaxation.solve(allowed, self.goal, self._run.clock)
            if point is None:
                self._nodes.put_back(node)
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
                depth = min(depth + 1, most) if self._is_slow(costs) else max(depth - 1, 1)
            cuts, depth = self._separate(point.solution, depth, most)
            arcs = fractional_arcs(point.solution.arcs(self._sets))
            # A decided but cyclic solution cannot be split, so it must be cut off.
            if cuts and (not arcs or not self._stalls(costs)):
                self._relaxation.add(cuts)
                self._remove_idle_cuts()
                continue
            if arcs:
                self._record(node, point)
                self._branch(node, choose_arc(arcs, allowed, self._before, self._relaxation))
            else:
                self._offer(node, point, allowed)
            return True

    def _separate(self, solution: Solution, depth: int, most: int) -> tuple[list[Cut], int]:
        """Find cuts that a solution violates; return them and the depth of the search."""
        left = max(0.0, self._run.clock.left())
        budget = _core.Budget(None if left == np.inf else left)
        sets, few = self._sets, self._run.effort.few_cuts
        cuts, depth = find_cuts(solution, sets, budget, self._run.threads, depth, most, few)
        if self._relations is not None:
            # If a node has no networks, its solution may violate cuts that were added before.
            present = set(self._relaxation.cuts)
            more = find_relation_cuts(solution, sets, self._relations, budget)
            cuts += [cut for cut in more if cut not in present]
        return cuts, depth

    def complete_record(self) -> None:
        """Record the node that was being explored when the search ended."""
        if self._unrecorded is not None and self._run.tree is not None:
            self._run.tree.step(*self._unrecorded, self._sets.variables)
        self._unrecorded = None

    def _remember(self, node: Node, point: Point) -> None:
        """Keep the prices that prove the highest cost of the node being explored."""
        if self._run.tree is not None and point.cost > node.cost:
            self._unrecorded = (node.record, list(self._relaxation.cuts), point.prices)

    def _record(self, node: Node, point: Point) -> None:
        """Record the prices with which a node is closed or split, or sets are dropped."""
        if self._run.tree is not None:
            cuts, variables = self._relaxation.cuts, self._sets.variables
            self._run.tree.step(node.record, cuts, point.prices, variables)

    def _drop(self, node: Node, point: Point, allowed: NDArray[np.bool_]) -> bool:
        """Drop sets that only worse networks have, and sets that then close a cycle.

        Returns whether every variable has a set left.
        """
        left = allowed & ((point.cost + point.extra < self.goal) | self._is_incumbent())
        if left.sum() > _WORTH_DROPPING * allowed.sum():
            return True
        allowed[:] = left
        self._record(node, point)
        return propagate(self._sets, allowed, self._before)

    def _is_incumbent(self) -> NDArray[np.bool_]:
        """Return which sets are in an incumbent."""
        return np.isin(self._sets.place, self._incumbents.places)

    def _is_slow(self, costs: list[int]) -> bool:
        """Return whether the last cuts raised the bound little, so that better ones are needed."""
        gap = self.goal - costs[-1]
        return len(costs) > 1 and costs[-1] - costs[-2] < self._run.effort.slow * gap

    def _stalls(self, costs: list[int]) -> bool:
        """Return whether cuts no longer raise the bound of a node enough."""
        inner = not self._is_root
        rounds = self._run.effort.rounds[inner]
        if len(costs) <= rounds:
            return False
        gap = self.goal - costs[-1]
        return costs[-1] - costs[-1 - rounds] < self._run.effort.progress[inner] * gap

    def _branch(self, node: Node, sides: list[BranchSide]) -> None:
        """Create a node for each side that may contain networks."""
        for side in sides:
            record = 0
            if self._run.tree is not None:
                record = self._run.tree.branch(node.record, side.decision, self._sets.variables)
            if side.allowed is not None:
                self._nodes.add(node.cost, side.allowed, record)

    def _remove_idle_cuts(self) -> None:
        """Remove the cuts that have not been binding for some time."""
        idle = self._relaxation.idle > _IDLE
        if 4 * idle.sum() > len(idle):
            self._relaxation.remove(idle)

    def _offer(self, node: Node, point: Point, allowed: NDArray[np.bool_]) -> None:
        """Offer the network of a node; if more networks are requested, branch over the others."""
        sets, solution = self._sets, point.solution
        chosen = solution.chosen[np.argsort(solution.weight, kind="stable")]
        place = np.zeros(sets.n_variables, dtype=np.int64)
        place[sets.child[chosen]] = chosen
        parents = tuple(tuple(np.flatnonzero(own).tolist()) for own in sets.members(place))
        # If a node has no networks, the linear program violates cuts; then branching shows it.
        respects = self._relations is None or self._relations.holds(parents)
        if respects:
            self._incumbents.offer_part(sets.place[place])
        if respects and self._incumbents.class_cuts:  # the node may have other classes
            names = tuple(map(str, range(sets.n_variables)))
            cut = ClassCut(Network(names, parents).cpdag())
            if cut not in self._relaxation.cuts:
                self._relaxation.add([cut])
                self._nodes.put_back(node)
                return
        if self._incumbents.k == 1 and (respects or self._run.tree is not None):
            # A certificate has no branches over sets: then this node keeps the bound that it has.
            self._closed_cost = min(self._closed_cost, node.cost)
            self._record(node, point)
            return
        self._branch_over_sets(node, place, allowed)

    def _branch_over_sets(
        self, node: Node, place: NDArray[np.int64], allowed: NDArray[np.bool_]
    ) -> None:
        """Create nodes of all other networks (Lawler, 1972).

        They first differ from the given one at the first variable, or at the second, and so on.
        """
        sets = self._sets
        for v, index in enumerate(place.tolist()):
            same = np.arange(len(sets))[sets.span(v)] == index
            other = restrict(sets, allowed, self._before, v, ~same)
            if other is not None:
                self._nodes.add(node.cost, other, 0)
            left = restrict(sets, allowed, self._before, v, same)
            if left is None:
                return
            allowed = left
