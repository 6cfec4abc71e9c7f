"""Branch and cut: the best network, or the k best, by linear programs that get tighter.

A node is a part of the problem: some arcs are decided. Its relaxation gives a
bound; cuts lower it. A bound that is not better than what is known closes the
node; a solution without fractions is a network; otherwise an arc is decided,
both ways. The node of the highest bound comes next, so that at any time the
highest bound of the open ones holds for all networks.
"""

from __future__ import annotations

import heapq
import math
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from forebear.exact.clusters import violated_clusters
from forebear.exact.cuts import Cut, Support
from forebear.exact.local import local_cuts
from forebear.exact.nodes import ArcDecision, Node, SetDecision, allowed_by
from forebear.exact.problem import Candidates
from forebear.exact.relaxation import Point, Relaxation
from forebear.result import negligible

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from forebear.bound.bound import Bound
    from forebear.exact.clock import Clock
    from forebear.exact.known import Known
    from forebear.parentsets.collection import ParentSets

_FIRST_SETS = 30  # of each variable are given to the solver at the start
_FEW_CLUSTERS = 5  # fewer than so many: it is time for the cuts that take longer to find
_WORTH_REDUCING = 0.7  # a smaller problem is set up if it has at most this share of the sets
_MANY_CUTS = 300  # cuts that do not matter are forgotten when there are more
_INTEGRAL = 1e-6  # an arc that is so near to being chosen, or not, is
_PATIENCE = {True: 12, False: 4}  # rounds of cuts, at the root and elsewhere ...
_PROGRESS = {True: 0.02, False: 0.1}  # ... in which the gap should shrink by this share


class BranchAndCut:
    """The search for the k best networks. ``run`` may be interrupted: what it knows stays."""

    def __init__(
        self,
        parent_sets: ParentSets,
        known: Known,
        clock: Clock,
        on_node: Callable[[int], None] | None = None,
        first: Bound | None = None,
    ) -> None:
        """Start with all sets, or with those that a first bound leaves."""
        self.known = known
        self.nodes = 0
        self._parent_sets = parent_sets
        self._clock = clock
        self._on_node = on_node
        self._number = count()
        # What a first bound drops is in no better network, but in equally good ones.
        self._closed = -math.inf if first is None else known.worst
        self._open = [Node(math.inf if first is None else first.bound, next(self._number))]
        self._now: Node | None = None
        survivors = None if first is None else first.survivors
        candidates = Candidates.of(parent_sets, survivors)
        self._floor = _floor(candidates)
        given = candidates.rank < _FIRST_SETS
        for ranks in known.all_ranks():
            given[candidates.places(ranks)] = True
        self._relaxation = Relaxation(candidates, np.flatnonzero(given))

    @property
    def bound(self) -> float:
        """No network that is not known scores more."""
        nodes = [*self._open[:1], *([self._now] if self._now else [])]
        return max([self._closed, *(node.bound for node in nodes)])

    @property
    def enough(self) -> float:
        """A bound that leaves nothing to be found."""
        worst = self.known.worst
        return self._floor if worst == -math.inf else worst + negligible(worst)

    def run(self) -> bool:
        """Search until all is proven, or until the time is over; tell if it is proven."""
        while self._open and self._open[0].bound > self.enough:
            if self._clock.spent:
                return False
            self._now = heapq.heappop(self._open)
            self._explore(self._now)
            self._now = None
            self.nodes += 1
            if self._on_node:
                self._on_node(self.nodes)
        return True

    def _explore(self, node: Node) -> None:
        """Lower the bound of a node by cuts until it is closed, solved or split."""
        is_root = not node.decisions
        bounds: list[float] = []
        while True:
            allowed = allowed_by(node.decisions, self._relaxation.candidates)
            point = self._relaxation.solve(allowed, self.enough, self._clock)
            if point is None:
                if self._clock.spent:
                    heapq.heappush(self._open, node)
                return
            node.bound = min(node.bound, point.bound)
            if node.bound <= self.enough:
                self._closed = max(self._closed, node.bound)
                return
            if is_root and self._reduce(point):
                continue
            bounds.append(node.bound)
            support = self._support(point)
            cuts = find_cuts(support)
            # A choice that is decided but cyclic cannot be split: it must be cut off.
            decided = _undecided(support).max() <= _INTEGRAL
            if cuts and (decided or not self._stalls(bounds, is_root)):
                self._relaxation.add(cuts)
                continue
            self._split(node, point, support)
            return

    def _support(self, point: Point) -> Support:
        candidates = self._relaxation.candidates
        members = candidates.members(point.chosen)
        return Support(candidates.child[point.chosen], members, point.weight)

    def _stalls(self, bounds: list[float], is_root: bool) -> bool:
        patience = _PATIENCE[is_root]
        if len(bounds) <= patience or self.known.worst == -math.inf:
            return False
        gap = bounds[-1] - self.known.worst
        return bounds[-1 - patience] - bounds[-1] < _PROGRESS[is_root] * gap

    def _reduce(self, point: Point) -> bool:
        """Drop the sets that are in no better network, if these are many; tell if so."""
        keep = point.most >= self.known.worst
        if keep.sum() > _WORTH_REDUCING * len(keep):
            return False
        self._closed = max(self._closed, self.known.worst)
        self._relaxation = self._relaxation.reduced(keep, point)
        return True

    def _split(self, node: Node, point: Point, support: Support) -> None:
        """Decide the arc that is most undecided; a solution without any is a network."""
        self._forget(point)
        self.known.add_order(_rounded(support))
        undecided = _undecided(support)
        child, parent = np.unravel_index(np.argmax(undecided), undecided.shape)
        if undecided[child, parent] <= _INTEGRAL:
            self._take(node, point)
            return
        for present in (True, False):
            decision = ArcDecision(int(child), int(parent), present)
            self._push(node.bound, (*node.decisions, decision))

    def _take(self, node: Node, point: Point) -> None:
        """Note the network that a node comes to; what is left of the node are all others in it."""
        candidates = self._relaxation.candidates
        chosen = point.chosen[np.argsort(point.weight, kind="stable")]
        place = np.zeros(candidates.n_variables, dtype=np.int64)
        place[candidates.child[chosen]] = chosen
        ranks = candidates.rank[place]
        self.known.add(ranks)
        if self.known.k == 1:
            self._closed = max(self._closed, node.bound)
            return
        # Lawler (1972): the others differ first at the first variable, or the second, ...
        taken: list[SetDecision] = []
        for v, rank in enumerate(ranks.tolist()):
            others = np.delete(point.most[candidates.span(v)], place[v] - candidates.span(v).start)
            bound = min(node.bound, float(others.max(initial=-math.inf)))
            self._push(bound, (*node.decisions, *taken, SetDecision(v, rank, False)))
            taken.append(SetDecision(v, rank, True))

    def _push(self, bound: float, decisions: tuple[ArcDecision | SetDecision, ...]) -> None:
        heapq.heappush(self._open, Node(bound, next(self._number), decisions))

    def _forget(self, point: Point) -> None:
        """Drop the cuts that do not matter now, if they are many."""
        idle = point.prices <= 0.0
        if len(idle) > _MANY_CUTS and 2 * idle.sum() > len(idle):
            self._relaxation.forget(idle)


def _floor(candidates: Candidates) -> float:
    """Less than any network of allowed sets scores: a bound below it says there is none."""
    worst = np.zeros(candidates.n_variables)
    np.maximum.at(worst, candidates.child, candidates.loss)
    return math.fsum([*candidates.top, *(-worst)]) - 0.5


def _undecided(support: Support) -> NDArray[np.float64]:
    """How far each arc is from being there or not."""
    arcs = support.arcs
    return np.minimum(arcs, 1.0 - arcs)


def find_cuts(support: Support) -> list[Cut]:
    """Find cuts; what takes longer only if the quick ones are few."""
    cuts: list[Cut] = [*violated_clusters(support)]
    return cuts if len(cuts) >= _FEW_CLUSTERS else [*cuts, *local_cuts(support)]


def _rounded(support: Support) -> NDArray[np.int64]:
    """Make an order: always the variable next whose chosen sets are there the most."""
    n = support.n_variables
    missing = support.members.sum(axis=1)
    left = np.ones(n, dtype=bool)
    order = []
    for _ in range(n):
        there = np.bincount(support.child, support.weight * (missing == 0), minlength=n)
        v = int(np.argmax(np.where(left, there, -1.0)))
        order.append(v)
        left[v] = False
        missing = missing - support.members[:, v]
    return np.array(order)
