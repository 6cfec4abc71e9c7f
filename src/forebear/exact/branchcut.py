"""Branch and cut: finds the k best networks by linear programs that cuts tighten.

A node is a subproblem in which some arcs are decided. Its relaxation gives a bound, which cuts
lower. If the bound is not above the incumbents, the node is closed. If the solution is integral,
it is a network. Otherwise an arc is decided both ways, which gives two nodes. The node with the
highest bound comes next, so at any time the highest bound of the open nodes holds for all
networks.
"""

from __future__ import annotations

import heapq
import math
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from forebear.exact.clustercuts import cluster_cuts
from forebear.exact.cuts import Cut, Support
from forebear.exact.flatsets import FlatSets
from forebear.exact.localcuts import local_cuts
from forebear.exact.nodes import ArcDecision, Node, SetDecision, allowed_by
from forebear.exact.relaxation import Point, Relaxation
from forebear.result import negligible

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from forebear.bound.bound import Bound
    from forebear.budget import Clock
    from forebear.exact.incumbents import Incumbents
    from forebear.parentsets.collection import ParentSets

_FIRST_SETS = 30  # sets of each variable in the first linear program
_FEW_CLUSTERS = 5  # with fewer cluster cuts than this, local cuts are searched as well
_WORTH_REDUCING = 0.7  # dropped sets are removed if at most this share of the sets remains
_MANY_CUTS = 300  # with more cuts than this, those that are not binding are dropped
_INTEGRAL = 1e-6  # an arc whose weight is this close to 0 or 1 is decided
_PATIENCE = {True: 12, False: 4}  # rounds of cuts, at the root and elsewhere ...
_PROGRESS = {True: 0.02, False: 0.1}  # ... in which the gap must shrink by this share


class BranchAndCut:
    """The search for the k best networks. An interrupted ``run`` keeps its bound and incumbents."""

    def __init__(
        self,
        parent_sets: ParentSets,
        incumbents: Incumbents,
        clock: Clock,
        on_node: Callable[[int], None] | None = None,
        first: Bound | None = None,
    ) -> None:
        """Start with all parent sets, or with those that survive a first bound."""
        self.incumbents = incumbents
        self.nodes = 0
        self._parent_sets = parent_sets
        self._clock = clock
        self._on_node = on_node
        self._number = count()
        # The sets that a first bound drops are in no better network, but may be in equal ones.
        self._closed = -math.inf if first is None else incumbents.worst
        self._open = [Node(math.inf if first is None else first.bound, next(self._number))]
        self._now: Node | None = None
        survivors = None if first is None else first.survivors
        sets = FlatSets.of(parent_sets, survivors)
        self._floor = _floor(sets)
        given = sets.rank < _FIRST_SETS
        for ranks in incumbents.all_ranks():
            given[sets.places(ranks)] = True
        self._relaxation = Relaxation(sets, np.flatnonzero(given))

    @property
    def bound(self) -> float:
        """No network other than the incumbents scores more than this."""
        nodes = [*self._open[:1], *([self._now] if self._now else [])]
        return max([self._closed, *(node.bound for node in nodes)])

    @property
    def enough(self) -> float:
        """With a bound at or below this, the search is complete."""
        worst = self.incumbents.worst
        return self._floor if worst == -math.inf else worst + negligible(worst)

    def run(self) -> bool:
        """Search until the incumbents are proven optimal or the time is up; return which."""
        while self._open and self._open[0].bound > self.enough:
            if self._clock.expired:
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
            allowed = allowed_by(node.decisions, self._relaxation.sets)
            point = self._relaxation.solve(allowed, self.enough, self._clock)
            if point is None:
                if self._clock.expired:
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
            # A decided but cyclic solution cannot be split, so it must be cut off.
            decided = _fractional(support).max() <= _INTEGRAL
            if cuts and (decided or not self._stalls(bounds, is_root)):
                self._relaxation.add(cuts)
                continue
            self._split(node, point, support)
            return

    def _support(self, point: Point) -> Support:
        sets = self._relaxation.sets
        members = sets.members(point.chosen)
        return Support(sets.child[point.chosen], members, point.weight)

    def _stalls(self, bounds: list[float], is_root: bool) -> bool:
        """Return whether cuts no longer lower the bound of a node enough."""
        patience = _PATIENCE[is_root]
        if len(bounds) <= patience or self.incumbents.worst == -math.inf:
            return False
        gap = bounds[-1] - self.incumbents.worst
        return bounds[-1 - patience] - bounds[-1] < _PROGRESS[is_root] * gap

    def _reduce(self, point: Point) -> bool:
        """Drop the sets that are in no better network if they are many; return whether."""
        keep = point.most >= self.incumbents.worst
        if keep.sum() > _WORTH_REDUCING * len(keep):
            return False
        self._closed = max(self._closed, self.incumbents.worst)
        self._relaxation = self._relaxation.reduced(keep, point)
        return True

    def _split(self, node: Node, point: Point, support: Support) -> None:
        """Branch on the most fractional arc; without one, the solution is a network."""
        self._forget(point)
        self.incumbents.add_order(_rounded(support))
        fractional = _fractional(support)
        child, parent = np.unravel_index(np.argmax(fractional), fractional.shape)
        if fractional[child, parent] <= _INTEGRAL:
            self._take(node, point)
            return
        for present in (True, False):
            decision = ArcDecision(int(child), int(parent), present)
            self._push(node.bound, (*node.decisions, decision))

    def _take(self, node: Node, point: Point) -> None:
        """Add the network of a node to the incumbents; branch over its other networks."""
        sets = self._relaxation.sets
        chosen = point.chosen[np.argsort(point.weight, kind="stable")]
        place = np.zeros(sets.n_variables, dtype=np.int64)
        place[sets.child[chosen]] = chosen
        ranks = sets.rank[place]
        self.incumbents.add(ranks)
        if self.incumbents.k == 1:
            self._closed = max(self._closed, node.bound)
            return
        # Lawler (1972): the others first differ at the first variable, or at the second, ...
        taken: list[SetDecision] = []
        for v, rank in enumerate(ranks.tolist()):
            others = np.delete(point.most[sets.span(v)], place[v] - sets.span(v).start)
            bound = min(node.bound, float(others.max(initial=-math.inf)))
            self._push(bound, (*node.decisions, *taken, SetDecision(v, rank, False)))
            taken.append(SetDecision(v, rank, True))

    def _push(self, bound: float, decisions: tuple[ArcDecision | SetDecision, ...]) -> None:
        heapq.heappush(self._open, Node(bound, next(self._number), decisions))

    def _forget(self, point: Point) -> None:
        """Drop the cuts that are not binding now if they are many."""
        idle = point.prices <= 0.0
        if len(idle) > _MANY_CUTS and 2 * idle.sum() > len(idle):
            self._relaxation.forget(idle)


def _floor(sets: FlatSets) -> float:
    """Return a score below that of any network: a bound below it means there is no network."""
    worst = np.zeros(sets.n_variables)
    np.maximum.at(worst, sets.child, sets.loss)
    return math.fsum([*sets.top, *(-worst)]) - 0.5


def _fractional(support: Support) -> NDArray[np.float64]:
    """Return how far the weight of each arc is from 0 and 1."""
    arcs = support.arcs
    return np.minimum(arcs, 1.0 - arcs)


def find_cuts(support: Support) -> list[Cut]:
    """Find violated cuts: cluster cuts, and local cuts (slower) if these are few."""
    cuts: list[Cut] = [*cluster_cuts(support)]
    return cuts if len(cuts) >= _FEW_CLUSTERS else [*cuts, *local_cuts(support)]


def _rounded(support: Support) -> NDArray[np.int64]:
    """Round to an order: next comes the variable with the most weight on sets that fit so far."""
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
