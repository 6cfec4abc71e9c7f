"""One solver: dual ascent, then components, then dynamic programming or branch and cut for each."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear._util.machine import memory_bytes
from forebear.bound.ascent import NOT_ALLOWED, Ascent, costs_of
from forebear.budget import LEAST_RUN_SECONDS, SOLVABLE_SETS
from forebear.exact import dynamic
from forebear.exact.cuts import ClusterCut
from forebear.exact.flatsets import FlatSets
from forebear.exact.goal import Goal
from forebear.result import negligible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.bound.ascent import Multiplier
    from forebear.budget import Clock
    from forebear.exact.branchcut import BranchAndCut
    from forebear.exact.incumbents import Incumbents
    from forebear.exact.tree import Tree
    from forebear.parentsets.collection import ParentSets


_LEAST_ASCENT = 0.1
"""Seconds of dual ascent at least, even if dynamic programming is faster: it may be enough."""

_PRUNABLE_SETS = 20_000
"""Up to this many sets, each is compared with all others of its variable. Judgement."""

_MOST_SLACK = 2.0**50
"""Ticks: where scores are so small that rounding errors exceed them, sums must not overflow."""

NO_NETWORK = 2**60
"""The cost if there is no network."""


def possible(parent_sets: ParentSets) -> bool:
    """Return whether every variable has an allowed set."""
    return bool(np.isfinite(parent_sets.scores[parent_sets.offsets[:-1]]).all())


def score_of(parent_sets: ParentSets, cost: int, ticks: float) -> float:
    """Return the score that is this many ticks below the sum of the best scores, rounded up."""
    best = np.ceil(parent_sets.scores[parent_sets.offsets[:-1]] * ticks)
    left = sum(int(score) for score in best.tolist()) - cost
    exact = Fraction(left) / Fraction(ticks)
    score = float(exact)
    return score if Fraction(score) >= exact else math.nextafter(score, math.inf)


class Solver:
    """Proves that the incumbents are the best networks, or finds better ones."""

    def __init__(
        self,
        parent_sets: ParentSets,
        incumbents: Incumbents,
        clock: Clock,
        threads: int,
        *,
        dynamic_too: bool = True,
        tree: Tree | None = None,
        on_node: Callable[[int, float], None] | None = None,
        on_step: Callable[[], None] = lambda: None,
    ) -> None:
        self.incumbents = incumbents
        self.nodes = 0
        self._parent_sets = parent_sets
        self._clock = clock
        self._threads = threads
        self._dynamic_too = dynamic_too and incumbents.k == 1 and tree is None
        self._tree = tree
        self._on_node = on_node
        self._step = on_step
        score = None if incumbents.worst == -np.inf else incumbents.worst
        self._possible = possible(parent_sets)
        self._ascent = Ascent(parent_sets, score, solvable=0)
        self.ticks = self._ascent.ticks
        self._costs = costs_of(parent_sets, self.ticks)
        self._kept = self._costs < NOT_ALLOWED
        self.clusters: list[ClusterCut] = []
        self.slack = 0
        self._priced = self._proven = 0
        self._alone: int | None = None
        self._parts: list[int] = []
        self._running: BranchAndCut | None = None
        if not self._possible:
            return
        # More than any network costs.
        allowed = np.where(self._kept, self._costs, 0)
        self._dearest = int(np.maximum.reduceat(allowed, parent_sets.offsets[:-1]).sum()) + 1
        if score is not None:
            # Better networks may have a smaller score, of which less is negligible.
            best = math.fsum(parent_sets.scores[parent_sets.offsets[:-1]])
            rounding = min(negligible(score), negligible(best))
            self.slack = int(min(rounding * self.ticks / 2, _MOST_SLACK))

    @property
    def known(self) -> NDArray[np.int64]:
        """The places of the incumbents' sets."""
        starts = self._parent_sets.offsets[:-1]
        return np.concatenate(
            [np.zeros(0, dtype=np.int64), *(starts + r for r in self.incumbents.all_ranks())]
        )

    def incumbent_cost(self, variables: NDArray[np.int64]) -> int:
        """Return what the sets of some variables cost in the worst incumbent.

        Without an incumbent, this is more than any network costs.
        """
        ranks = self.incumbents.worst_ranks
        if ranks is None:
            return self._dearest
        places = self._parent_sets.offsets[:-1] + ranks
        return int(self._costs[places[variables]].sum())

    def offer(self, places: NDArray[np.int64]) -> None:
        """Take a network of these sets; variables without one keep that of the incumbent."""
        starts = self._parent_sets.offsets[:-1]
        variables = np.searchsorted(self._parent_sets.offsets, places, side="right") - 1
        ranks = self.incumbents.worst_ranks
        ranks = np.zeros(len(starts), dtype=np.int64) if ranks is None else ranks.copy()
        ranks[variables] = places - starts[variables]
        self.incumbents.add(ranks)

    def run(self) -> bool:
        """Run until all is proven or the time is up; return which."""
        if not self._possible:
            return True
        self._ascend()
        if self._on_node is not None:
            self._on_node(self.nodes, self.bound)
        everything = np.arange(self._parent_sets.n_variables)
        if self._proven >= self.incumbent_cost(everything) - self.slack:
            return True
        many = np.count_nonzero(self._kept) > SOLVABLE_SETS
        if (many and not self._fits(len(everything))) or self._clock.expired:
            return False
        self._sets = FlatSets.of(self._parent_sets, self.ticks, self._kept)
        if self.incumbents.k > 1 or self.incumbents.relations:
            goal = Goal(self, everything, self.slack)
            self._alone = 0
            self._running = self._part(self._sets, goal, 0)
            return self._running.run() and self._running.cost >= goal.cost
        return self._by_components()

    @property
    def bound(self) -> float:
        """No network other than the incumbents scores more than this."""
        if not self._possible:
            return -math.inf
        return score_of(self._parent_sets, self.cost, self.ticks)

    def _ascend(self) -> None:
        """Run the dual ascent, and drop the sets that it prices out.

        It ends when it gains little, or has taken as long as dynamic programming would. As long as
        there are too many sets for linear programs, it continues.
        """
        patient = False
        n = self._parent_sets.n_variables
        small = self._fits(n)
        while True:
            seconds = max(LEAST_RUN_SECONDS, self._clock.left())
            if small:
                seconds = min(seconds, max(_LEAST_ASCENT, dynamic.seconds_needed(n, self._threads)))
            budget = _core.Budget(None if seconds == math.inf else seconds)
            with self._clock.cancelling(budget.cancel):
                self._ascent.run(budget, self._threads, patient=patient, on_round=self._step)
            proofs = self._ascent.proofs
            for number in range(self._priced, len(proofs)):
                self._proven = max(self._proven, self._price(number, proofs[number]))
            # The last one is that of the bound so far, which further rounds replace.
            self._priced = len(proofs) - 1
            few = np.count_nonzero(self._kept) <= SOLVABLE_SETS
            over = self._ascent.closed or self._clock.left() < LEAST_RUN_SECONDS
            if few or small or over:
                return
            patient = True

    def _price(self, number: int, multipliers: Sequence[Multiplier]) -> int:
        """Drop the sets that some multipliers price out; return the cost that they prove."""
        sets = self._parent_sets
        self.clusters = [ClusterCut(one.members, one.level) for one in multipliers]
        proven, extra = self._ascent.price(number, self._costs, self._kept, self._threads)
        if self._tree is not None:
            prices = np.array([one.ticks for one in multipliers], dtype=np.int64)
            self._tree.step(0, self.clusters, prices, tuple(range(sets.n_variables)))
        enough = self.incumbent_cost(np.arange(sets.n_variables)) - self.slack
        if proven < enough:
            keep = extra < enough - proven
            keep[self.known] = True
            self._kept &= keep
        return proven

    def _by_components(self) -> bool:
        """Solve every group of variables that may be on cycles together."""
        sets = self._sets
        # Without an incumbent, the groups could not be put together as they are solved.
        known = self.incumbents.worst_ranks is not None
        groups = self._components() if known else [list(range(sets.n_variables))]
        roots = [0] * len(groups) if self._tree is None else self._tree.split(0, groups)
        slack = self.slack // max(1, len(groups))
        alone = np.ones(sets.n_variables, dtype=bool)
        alone[[v for group in groups for v in group]] = False
        # Variables on no cycle have their cheapest sets.
        if known:
            self.offer(self._cheapest(np.flatnonzero(alone)))
        self._alone = int(sets.least(sets.cost)[alone].sum())
        done = True
        for group, root in zip(groups, roots, strict=True):
            goal = Goal(self, sets.variables[group], slack)
            # A certificate says nothing of sets that others make superfluous.
            own = sets.within(group, prune=self._tree is None and len(sets) <= _PRUNABLE_SETS)
            part = min(self._solve(own, goal, root), goal.cost)
            if self._running is not None:
                self._running.settle()
            self._running = None
            done &= part >= goal.cost
            self._parts.append(part)
        return done

    @property
    def cost(self) -> int:
        """What every network other than the incumbents costs at least, in ticks.

        Ticks are counted downwards from the sum of the best scores. This is valid at any time.
        """
        if not self._possible:
            return NO_NETWORK
        parts = 0 if self._alone is None else self._alone + sum(self.part_costs())
        everything = np.arange(self._parent_sets.n_variables)
        enough = self.incumbent_cost(everything) - self.slack
        return max(0, min(max(self._proven, parts), enough))

    def settle(self) -> None:
        """Complete the record of the proof, so that it covers what ``cost`` says."""
        if self._running is not None:
            self._running.settle()
        if self._tree is not None:
            self._tree.aim(0, self.part_costs())

    def part_costs(self) -> list[int]:
        """Return what the variables of each part cost at least, as far as parts were started."""
        return self._parts if self._running is None else [*self._parts, self._running.cost]

    def _solve(self, sets: FlatSets, goal: Goal, root: int) -> int:
        """Solve one group of variables; return what every network of it costs at least."""
        n = sets.n_variables
        if self._fits(n) and len(sets) > SOLVABLE_SETS:
            found = dynamic.best_order(sets, self._clock, self._threads, self._step)
            return 0 if found is None else self._take_order(sets, found, goal)
        search = self._running = self._part(sets, goal, root)
        if not self._fits(n):
            search.run()
            return search.cost
        # Branch and cut gets as long as dynamic programming would take: whichever is faster, this
        # takes at most twice as long.
        seconds = dynamic.seconds_needed(n, self._threads)
        if search.run(self._clock.part(seconds)):
            return search.cost
        found = None
        if seconds < self._clock.left():
            found = dynamic.best_order(sets, self._clock, self._threads, self._step)
        if found is None:
            search.run()
            return search.cost
        return self._take_order(sets, found, goal)

    def _fits(self, n: int) -> bool:
        """Return whether dynamic programming may solve this many variables."""
        # Half of the memory: the user did not ask for it, and other programs need some.
        return self._dynamic_too and dynamic.fits(n, self._threads, memory_bytes() // 2)

    def _take_order(self, sets: FlatSets, found: dynamic.BestOrder, goal: Goal) -> int:
        if found.cost is None:
            return goal.cost
        chosen = sets.best_of_order(found.order)
        if chosen is None:
            raise AssertionError("dynamic programming found an order without a network")
        goal.offer(sets.place[chosen])
        return found.cost

    def _part(self, sets: FlatSets, goal: Goal, root: int) -> BranchAndCut:
        """Prepare branch and cut on some variables, from the clusters of the dual ascent."""
        # It needs SciPy's sparse matrices and HiGHS, which double the time of the import.
        from forebear.exact.branchcut import BranchAndCut

        number = {v: i for i, v in enumerate(sets.variables.tolist())}
        cuts: dict[ClusterCut, None] = {}
        for cut in self.clusters:
            inside = tuple(number[v] for v in cut.cluster if v in number)
            if len(inside) > cut.k:
                cuts[ClusterCut(inside, cut.k)] = None
        before = self.nodes

        def on_node(nodes: int) -> None:
            self.nodes = before + nodes
            if self._on_node is not None:
                self._on_node(self.nodes, self.bound)

        return BranchAndCut(
            sets,
            goal,
            self._clock,
            cuts=list(cuts),
            relations=self.incumbents.relations or None,
            threads=self._threads,
            tree=self._tree,
            root=root,
            on_node=on_node,
            on_step=self._step,
        )

    def _cheapest(self, variables: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of the cheapest sets of some variables."""
        sets = self._sets
        order = np.lexsort((sets.cost, sets.child))
        return np.asarray(sets.place[order[sets.starts[variables]]])

    def _components(self) -> list[list[int]]:
        """List the groups of variables that may be on cycles together."""
        sets = self._sets
        arcs: list[list[int]] = [
            np.setdiff1d(sets.parents[sets.span(v)], [sets.n_variables]).tolist()
            for v in range(sets.n_variables)
        ]
        found = _core.strong_components(arcs)
        return sorted(sorted(group) for group in found if len(group) > 1)
