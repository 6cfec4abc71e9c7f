"""Solver: what no network exceeds, and the best networks.

Dual ascent proves a bound and drops parent sets. What is left falls into groups of variables that
may be on cycles together. Small groups are solved by dynamic programming, the others by branch and
cut. A bound is what the solver proves without branching.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear._util.machine import memory_bytes
from forebear.checker.cuts import LARGEST_GROUP
from forebear.proof import dynamic_programming
from forebear.proof.branching import USUAL_EFFORT, Effort
from forebear.proof.certificate import solution_table
from forebear.proof.cut_kinds import ClusterCut
from forebear.proof.dual_ascent import (
    NOT_ALLOWED,
    DualAscent,
    choose_ticks,
    cost_of,
    costs_of,
    score_of,
)
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES
from forebear.proof.flat_sets import FlatSets
from forebear.result import negligible

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from forebear.budget import Clock
    from forebear.parentsets.collection import ParentSets
    from forebear.proof.branch_and_cut import BranchAndCut
    from forebear.proof.certificate import Tree
    from forebear.proof.incumbents import Incumbents


class Solver:
    """Proves that the incumbents are the best networks, or finds better ones.

    There must be a network of the parent sets. Groups of up to ``largest_dynamic`` variables are
    solved by dynamic programming, larger ones by branch and cut. Without ``branching``, the dual
    ascent continues instead, until the clock or the rounds end it. ``score`` is that of a network
    that is known but not at hand, and ``tree`` is where the proof is recorded.

    ``on_node`` is called with the number of nodes and the bound, after every round of the ascent
    and every node. ``on_step`` is called before every round of the ascent and every linear program;
    dynamic programming counts as many steps as linear programs take as long.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        incumbents: Incumbents,
        clock: Clock,
        threads: int,
        *,
        largest_dynamic: int = DYNAMIC_VARIABLES,
        branching: bool = True,
        score: float | None = None,
        tree: Tree | None = None,
        on_node: Callable[[int, float], None] = lambda nodes, bound: None,
        on_step: Callable[[], None] = lambda: None,
        effort: Effort = USUAL_EFFORT,
    ) -> None:
        self.incumbents = incumbents
        self.clock = clock
        self.threads = threads
        self.tree = tree
        self.effort = effort
        self.step = on_step
        self.nodes = 0
        self.solved = False
        self._parent_sets = parent_sets
        self._branching = branching
        self._on_node = on_node
        self.ticks = choose_ticks(parent_sets)
        self._costs = costs_of(parent_sets, self.ticks)
        self._kept = self._costs < NOT_ALLOWED
        self._whole = incumbents.k > 1 or bool(incumbents.relations)  # no groups by themselves
        most = largest_dynamic if tree is None else min(largest_dynamic, LARGEST_GROUP)
        self._largest = 0 if self._whole else most
        self._clusters: list[ClusterCut] = []
        self._proven = self._priced = 0
        self._alone: int | None = None
        self._parts: list[int] = []
        self._running: BranchAndCut | None = None
        # More than any network costs.
        allowed = np.where(self._kept, self._costs, 0)
        self._dearest = int(np.maximum.reduceat(allowed, parent_sets.offsets[:-1]).sum()) + 1
        self._given: int | None = None
        self.slack = 0
        self._ascent = DualAscent(
            parent_sets.offsets, self._costs, parent_sets.parents, local_cuts=not branching
        )
        known = score if incumbents.worst == -math.inf else incumbents.worst
        if known is None:
            return
        best = math.fsum(parent_sets.scores[parent_sets.offsets[:-1]])
        # Better networks may have a smaller score, of which less is negligible.
        rounding = min(negligible(known), negligible(best))
        # Where scores are so small that rounding errors exceed them, sums must not overflow.
        self.slack = int(min(rounding * self.ticks / 2, 2.0**50))
        if incumbents.worst == -math.inf:
            cost = cost_of(parent_sets, known, self.ticks)
            self._given = max(0, min(cost, self._dearest))
        self._ascent.know(self._enough, self._enough - (self.slack if self._given else 0))

    # ---- scores and costs ---------------------------------------------------------------------

    @property
    def cost(self) -> int:
        """What every network other than the incumbents costs at least, in ticks.

        Ticks are counted downwards from the sum of the best scores. This is valid at any time.
        """
        parts = 0 if self._alone is None else self._alone + sum(self.part_costs())
        return max(0, min(max(self._proven, parts), self._enough))

    @property
    def bound(self) -> float:
        """No network other than the incumbents scores more than this: ``cost``, rounded up."""
        return score_of(self._parent_sets, self.cost, self.ticks)

    @property
    def _enough(self) -> int:
        """What costs this much or more need be neither found nor excluded."""
        if self._given is not None:
            return self._given
        return self.incumbent_cost(np.arange(self._parent_sets.n_variables)) - self.slack

    def incumbent_cost(self, variables: NDArray[np.int64]) -> int:
        """Return what the sets of some variables cost in the worst incumbent.

        Without an incumbent, this is more than any network costs.
        """
        ranks = self.incumbents.worst_ranks
        if ranks is None:
            return self._dearest
        places = self._parent_sets.offsets[:-1] + ranks
        return int(self._costs[places[variables]].sum())

    def goal(self, sets: FlatSets, slack: int) -> int:
        """Return the cost that networks of a group must stay below, by more than rounding."""
        return self.incumbent_cost(sets.variables) - slack

    # ---- the incumbents -----------------------------------------------------------------------

    @property
    def known(self) -> NDArray[np.int64]:
        """The places of the incumbents' sets."""
        starts = self._parent_sets.offsets[:-1]
        return np.concatenate(
            [np.zeros(0, dtype=np.int64), *(starts + r for r in self.incumbents.all_ranks())]
        )

    def offer(self, places: NDArray[np.int64]) -> None:
        """Take a network of these sets; variables without one keep that of the incumbent."""
        starts = self._parent_sets.offsets[:-1]
        variables = np.searchsorted(self._parent_sets.offsets, places, side="right") - 1
        ranks = self.incumbents.worst_ranks
        ranks = np.zeros(len(starts), dtype=np.int64) if ranks is None else ranks.copy()
        ranks[variables] = places - starts[variables]
        self.incumbents.add(ranks)

    # ---- the work -----------------------------------------------------------------------------

    def run(self, rounds: int | None = None) -> bool:
        """Work until all is proven, or the time or the rounds are over; return which."""
        self.solved = self._ascend(rounds) or self._solve()
        return self.solved

    @property
    def stop_reason(self) -> str:
        """Why ``run`` ended."""
        if self.solved:
            return "optimal"
        if self.clock.expired:
            return "cancelled" if self.clock.cancelled else "time"
        return "rounds"

    @property
    def rounds(self) -> int:
        """Number of rounds of the dual ascent."""
        return self._ascent.rounds

    @property
    def clusters(self) -> int:
        """Number of clusters and local cuts that the dual ascent uses."""
        return self._ascent.clusters

    def _ascend(self, rounds: int | None) -> bool:
        """Run the dual ascent until something else is faster; return whether all is proven."""
        left = self.clock.left()
        budget = _core.Budget(None if left == math.inf else max(0.0, left))
        ascent = self._ascent
        with self.clock.cancelling(budget.cancel):
            while True:
                self.step()
                ascent.advance(budget, self.threads)
                self._proven = max(self._proven, ascent.cost)
                self._on_node(self.nodes, self.bound)
                if self._priced < ascent.drops:
                    self._price(ascent.drops)
                if ascent.closed or budget.spent or self._is_small() or self._turns():
                    break
                if rounds is not None and ascent.rounds >= rounds:
                    break
        self.settle()
        return ascent.closed or self._proven >= self._enough

    def _turns(self) -> bool:
        """Return whether further rounds gain less than something else would."""
        few = np.count_nonzero(self._kept) <= self.effort.most_sets or self._fits(
            self._parent_sets.n_variables
        )
        if self.effort.ascent_rounds is not None:
            return self.rounds >= self.effort.ascent_rounds
        known = self._enough < self._dearest
        target = self._enough if known else None
        limits = self.effort.rounds[0], self.effort.progress[0]
        return self._branching and few and self._ascent.stalls(target, *limits)

    def _price(self, until: int) -> None:
        """Drop the sets that further proofs of the dual ascent price out."""
        proofs = self._ascent.proofs
        for number in range(self._priced, until):
            multipliers = proofs[number]
            proven, extra = self._ascent.price(
                number, multipliers, self._costs, self._kept, self.threads
            )
            cuts = [one.cut for one in multipliers]
            self._clusters = [cut for cut in cuts if isinstance(cut, ClusterCut)]
            if self.tree is not None:
                prices = np.array([one.ticks for one in multipliers], dtype=np.int64)
                self.tree.step(0, cuts, prices, range(self._parent_sets.n_variables))
            if proven < self._enough:
                keep = extra < self._enough - proven
                keep[self.known] = True
                self._kept &= keep
            nothing = not np.logical_or.reduceat(self._kept, self._parent_sets.offsets[:-1]).all()
            self._proven = max(self._proven, self._enough if nothing else proven)
        self._priced = until

    def _is_small(self) -> bool:
        """Return whether dynamic programming can solve all that is left."""
        if self._parent_sets.n_variables <= self._largest:
            return True
        return (
            self._largest > 0
            and self._ascent.drops > 0
            and all(len(group) <= self._largest for group in self._groups())
        )

    def _groups(self) -> list[list[int]]:
        """List the groups of variables that may be on cycles together."""
        sets = self._parent_sets
        from scipy.sparse import coo_array  # here: it would double the time of the import
        from scipy.sparse.csgraph import connected_components

        n = sets.n_variables
        slot, place = np.nonzero(self._kept & (sets.parents != sets.none))
        parent = sets.parents[slot, place]
        child = np.repeat(np.arange(n), sets.counts)[place]
        arcs = coo_array((np.ones(len(parent), dtype=bool), (parent, child)), shape=(n, n))
        _, group = connected_components(arcs, connection="strong")
        groups = [np.flatnonzero(group == g).tolist() for g in range(n)]
        return sorted(members for members in groups if len(members) > 1)

    def _solve(self) -> bool:
        """Solve what the dual ascent left; return whether all is proven."""
        small = self._is_small()
        n = self._parent_sets.n_variables
        if self.clock.expired or not (small or self._branching):
            return False
        if np.count_nonzero(self._kept) > self.effort.most_sets and not (small or self._fits(n)):
            return False
        sets = FlatSets.of(self._parent_sets, self.ticks, self._kept)
        if self._whole:
            self._alone = 0
            self._running = self._branch_and_cut(sets, self.slack, 0)
            return self._running.run() and self._running.cost >= self._running.goal
        # Without an incumbent, networks of some groups could not be put together with the others.
        known = self.incumbents.worst_ranks is not None
        groups = self._groups() if known or small else [list(range(n))]
        return self._solve_groups(sets, groups, known=known)

    def _solve_groups(self, sets: FlatSets, groups: list[list[int]], *, known: bool) -> bool:
        roots = [0] * len(groups) if self.tree is None else self.tree.split(0, groups)
        alone = np.ones(sets.n_variables, dtype=bool)
        alone[[v for group in groups for v in group]] = False
        # Variables on no cycle have their cheapest sets.
        self._alone = int(sets.least(sets.cost)[alone].sum())
        chosen = [sets.place[sets.cheapest(sets.cost)[alone]]]
        if known:
            self.offer(chosen[0])
        done = True
        for group, root in zip(groups, roots, strict=True):
            own, slack = sets.within(group), self.slack // len(groups)
            if len(group) > self._largest:
                part = self._by_branch_and_cut(own, slack, root)
                done &= part >= self.goal(own, slack)
            else:
                part, places = self._by_dynamic_programming(own, slack, root)
                done &= places is not None
                if places is not None and known:
                    self.offer(places)
                elif places is not None:
                    chosen.append(places)
            self._parts.append(min(part, self.goal(own, slack)))
        if not known and sum(map(len, chosen)) == sets.n_variables:
            self.offer(np.concatenate(chosen))
        return done

    def _by_dynamic_programming(
        self, sets: FlatSets, slack: int, root: int = 0
    ) -> tuple[int, NDArray[np.int64] | None]:
        """Return the cost of a group and its best sets: 0 and None if the time is over.

        If there is no network, that is the cost to stay below, and no sets.
        """
        for _ in range(dynamic_programming.programs(sets.n_variables)):
            self.step()
        found = dynamic_programming.best_order(sets, self.clock, self.threads)
        if found is None:
            return 0, None
        order, cost = found
        chosen = sets.best_of_order(order)
        places = np.zeros(0, dtype=np.int64) if chosen is None else sets.place[chosen]
        if self.tree is not None:
            table, cost = solution_table(sets, self._dearest)
            self.tree.step(root, [table], np.ones(1, dtype=np.int64), sets.variables)
        return self.goal(sets, slack) if cost is None else cost, places

    def _by_branch_and_cut(self, sets: FlatSets, slack: int, root: int) -> int:
        """Return what every network of a group costs at least, as far as is proven."""
        n, cost = sets.n_variables, 0
        fits = self._fits(n)
        if len(sets) <= self.effort.most_sets:
            search = self._running = self._branch_and_cut(sets, slack, root)
            search.run(dynamic_programming.programs(n) if fits else None)
            search.settle()
            self._running, cost = None, search.cost
        if fits and cost < self.goal(sets, slack) and not self.clock.expired:
            exact, places = self._by_dynamic_programming(sets, slack)
            if places is not None and len(places):
                self.offer(places)
            cost = max(cost, exact)
        return cost

    def _fits(self, n: int) -> bool:
        """Return whether dynamic programming may solve this many variables."""
        # Half of the memory: the user did not ask for it, and other programs need some.
        return (
            self._largest > 0
            and self.tree is None
            and dynamic_programming.fits(n, self.threads, memory_bytes() // 2)
        )

    def _branch_and_cut(self, sets: FlatSets, slack: int, root: int) -> BranchAndCut:
        """Prepare branch and cut on some variables, from the clusters of the dual ascent."""
        # It needs SciPy's sparse matrices and HiGHS, which double the time of the import.
        from forebear.proof.branch_and_cut import BranchAndCut

        number = {v: i for i, v in enumerate(sets.variables.tolist())}
        cuts: dict[ClusterCut, None] = {}
        for cut in self._clusters:
            inside = tuple(number[v] for v in cut.cluster if v in number)
            if len(inside) > cut.k:
                cuts[ClusterCut(inside, cut.k)] = None
        return BranchAndCut(self, sets, slack, list(cuts), root)

    def count_node(self) -> None:
        """Count and report a node of branch and cut."""
        self.nodes += 1
        self._on_node(self.nodes, self.bound)

    # ---- what is proven -----------------------------------------------------------------------

    def part_costs(self) -> list[int]:
        """Return what the variables of each group cost at least, as far as groups were started."""
        return self._parts if self._running is None else [*self._parts, self._running.cost]

    def settle(self) -> None:
        """Complete the record of the proof, so that it covers what ``cost`` says."""
        if self._priced <= self._ascent.drops:
            self._price(self._ascent.drops + 1)
        if self._running is not None:
            self._running.settle()
        if self.tree is not None:
            self.tree.aim(0, self.part_costs())

    def survivors(self) -> tuple[NDArray[np.int32], ...]:
        """Return the ranks of every variable's sets that were not dropped, and of the empty set."""
        self.settle()
        kept = self._kept | self._parent_sets.is_empty
        return tuple(
            np.flatnonzero(kept[begin:end]).astype(np.int32)
            for begin, end in pairwise(self._parent_sets.offsets.tolist())
        )
