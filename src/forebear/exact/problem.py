"""One solver: dual ascent, then components, then dynamic programming or branch and cut for each."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear.bound.ascent import Ascent
from forebear.budget import ASCENT_SHARE, LEAST_RUN_SECONDS
from forebear.exact import dynamic
from forebear.exact.branchcut import BranchAndCut
from forebear.exact.cuts import ClusterCut
from forebear.exact.flatsets import FlatSets
from forebear.result import negligible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.bound.ascent import Multiplier
    from forebear.budget import Clock
    from forebear.exact.incumbents import Incumbents
    from forebear.exact.tree import Tree
    from forebear.parentsets.collection import ParentSets


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


class Goal:
    """What remains to be found in some variables: anything that costs less than the incumbents."""

    def __init__(self, solver: Solver, variables: NDArray[np.int64], slack: int) -> None:
        self.k = solver.incumbents.k
        self._solver = solver
        self._variables = variables
        self._slack = slack

    @property
    def cost(self) -> int:
        """The cost that a network must stay below, by more than rounding errors."""
        return self._solver.incumbent_cost(self._variables) - self._slack

    def offer(self, places: NDArray[np.int64]) -> None:
        """Take these sets, one per variable of the goal, and the incumbent's for the others."""
        self._solver.offer(places)

    def known(self) -> NDArray[np.int64]:
        """Return the places of the incumbents' sets."""
        return self._solver.known


class Solver:
    """Proves that the incumbents are the best networks, or finds better ones.

    ``cost`` is what every network other than the incumbents costs at least, in ticks below the sum
    of the best scores. It is valid at any time.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        incumbents: Incumbents,
        clock: Clock,
        threads: int,
        *,
        dynamic_too: bool = True,
        tree: Tree | None = None,
        on_node: Callable[[int], None] | None = None,
    ) -> None:
        self.incumbents = incumbents
        self.nodes = 0
        self._parent_sets = parent_sets
        self._clock = clock
        self._threads = threads
        self._dynamic_too = dynamic_too and incumbents.k == 1 and tree is None
        self._tree = tree
        self._on_node = on_node
        score = None if incumbents.worst == -np.inf else incumbents.worst
        self._possible = possible(parent_sets)
        self._ascent = Ascent(parent_sets, score, solvable=0)
        self.ticks = self._ascent.ticks
        self._sets = FlatSets.of(parent_sets, self.ticks)
        self._costs = np.full(len(parent_sets), 2**55)
        self._costs[self._sets.place] = self._sets.cost
        self.clusters: list[ClusterCut] = []
        if not self._possible:
            self.slack = 0
            self.cost = NO_NETWORK
            return
        self._dearest = int((-self._sets.least(-self._sets.cost)).sum()) + 1
        self.slack = int(negligible(incumbents.worst) * self.ticks / 2) if score is not None else 0
        self.cost = 0

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
        everything = self._sets.variables
        proven = self._ascend()
        self.cost = min(proven, self.incumbent_cost(everything) - self.slack)
        if proven >= self.incumbent_cost(everything) - self.slack:
            return True
        if self.incumbents.k > 1 or self.incumbents.relations:
            goal = Goal(self, everything, self.slack)
            part = self._part(self._sets, goal, 0)
            done = part.run()
            self.cost = part.cost
            return done
        return self._by_components(proven)

    @property
    def bound(self) -> float:
        """No network other than the incumbents scores more than this."""
        if not self._possible:
            return -math.inf
        return score_of(self._parent_sets, self.cost, self.ticks)

    def _ascend(self) -> int:
        """Run the dual ascent, drop the sets that it prices out, and return what it proves."""
        left = self._clock.left()
        seconds = None if left == np.inf else max(LEAST_RUN_SECONDS, ASCENT_SHARE * left)
        budget = _core.Budget(seconds)
        with self._clock.cancelling(budget.cancel):
            self._ascent.run(budget, self._threads)
        proven = 0
        for number, multipliers in enumerate(self._ascent.proofs):
            proven = max(proven, self._price(number, multipliers))
        return proven

    def _price(self, number: int, multipliers: Sequence[Multiplier]) -> int:
        """Drop the sets that some multipliers price out; return the cost that they prove."""
        sets = self._sets
        self.clusters = [ClusterCut(one.members, one.level) for one in multipliers]
        reduced = sets.cost - self._ascent.avoided(number, self._threads)[sets.place]
        least = sets.least(reduced)
        proven = int(least.sum()) + sum(one.level * one.ticks for one in multipliers)
        if self._tree is not None:
            prices = np.array([one.ticks for one in multipliers], dtype=np.int64)
            self._tree.step(0, self.clusters, prices, tuple(range(sets.n_variables)))
        enough = self.incumbent_cost(sets.variables) - self.slack
        keep = proven + (reduced - least[sets.child]) < enough
        keep |= np.isin(sets.place, self.known)
        if proven < enough:
            self._sets = sets.kept(keep)
        return proven

    def _by_components(self, proven: int) -> bool:
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
        parts = int(sets.least(sets.cost)[alone].sum())
        done = True
        targets: list[int] = []
        for group, root in zip(groups, roots, strict=True):
            goal = Goal(self, sets.variables[group], slack)
            # A certificate says nothing of sets that others make superfluous.
            own = sets.within(group, prune=self._tree is None)
            part = min(self._solve(own, goal, root), goal.cost)
            parts += part
            done &= part >= goal.cost
            targets.append(part)
        if self._tree is not None:
            self._tree.aim(0, targets)
        enough = self.incumbent_cost(sets.variables) - self.slack
        self.cost = min(max(proven, parts), enough)
        return done

    def _solve(self, sets: FlatSets, goal: Goal, root: int) -> int:
        """Solve one group of variables; return what every network of it costs at least."""
        n = sets.n_variables
        search = self._part(sets, goal, root)
        if not (self._dynamic_too and dynamic.fits(n, self._threads)):
            search.run()
            return search.cost
        # Branch and cut gets as long as dynamic programming would take: whichever is faster, this
        # takes at most twice as long.
        seconds = dynamic.seconds_needed(n, self._threads)
        if search.run(self._clock.part(seconds)):
            return search.cost
        found = None
        if seconds < self._clock.left():
            found = dynamic.best_order(sets, self._clock, self._threads)
        if found is None:
            search.run()
            return search.cost
        return self._take_order(sets, found, goal)

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
                self._on_node(self.nodes)

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
