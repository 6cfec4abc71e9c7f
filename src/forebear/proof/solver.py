"""Solver: prove a bound on all networks, and find the best networks.

Dual ascent proves a bound and drops parent sets. The remaining problem is divided into groups of
variables that may be on cycles together, which dynamic programming or branch and cut solves.
``find_bound`` uses the solver without branching, ``find_exact`` with it.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.checker.cuts import LARGEST_GROUP
from forebear.proof.cut_kinds import ClusterCut
from forebear.proof.dual_ascent import CoreCut, DualAscent
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES
from forebear.proof.flat_sets import FlatSets
from forebear.proof.group_solver import GroupSolver
from forebear.proof.incumbents import Incumbents
from forebear.proof.integer_costs import NOT_ALLOWED
from forebear.proof.proof_run import ProofRun
from forebear.result import negligible


class Solver:
    """Proves that the incumbents are the best networks, or finds better ones.

    Parameters
    ----------
    incumbents
        The networks to improve. At least one network must consist of their parent sets.
    run
        The limits, the callbacks and the record of the proof.
    largest_dynamic
        The largest group of variables that dynamic programming solves.
    branching
        Whether branch and cut solves larger groups. If not, the dual ascent continues until a limit
        on time or rounds is reached.
    score
        The score of a network that exists but is not among the incumbents.
    """

    def __init__(
        self,
        incumbents: Incumbents,
        run: ProofRun,
        *,
        largest_dynamic: int = DYNAMIC_VARIABLES,
        branching: bool = True,
        score: float | None = None,
    ) -> None:
        self.incumbents = incumbents
        self.proof_run = run
        self.nodes = 0
        self.solved = False
        self._branching = branching
        self._costs = incumbents.costs
        self._parent_sets = incumbents.costs.parent_sets
        self._kept = self._costs.of_sets < NOT_ALLOWED
        self._is_whole = incumbents.k > 1 or bool(incumbents.relations)  # not divided into groups
        if run.tree is not None:
            largest_dynamic = min(largest_dynamic, LARGEST_GROUP)
        self._largest_dynamic = 0 if self._is_whole else largest_dynamic
        self._clusters: list[ClusterCut] = []
        self._proven_cost = self._priced_proofs = 0
        self._groups = GroupSolver(run, incumbents, self._largest_dynamic, self._count_node)
        self._ascent = DualAscent.of(self._costs, local_cuts=not branching)
        self._slack = 0
        self._score_cost: int | None = None
        self._set_target(score)

    def _set_target(self, score: float | None) -> None:
        """Pass the cost of the incumbents, or else of a score, to the dual ascent."""
        has_incumbent = self.incumbents.worst > -math.inf
        if not has_incumbent and score is None:
            return
        score = self.incumbents.worst if has_incumbent or score is None else score
        best = math.fsum(self._parent_sets.scores[self._parent_sets.offsets[:-1]])
        # What is negligible depends on the size of the score, which better networks may reduce.
        rounding = min(negligible(score), negligible(best))
        # Where scores are so small that rounding errors exceed them, sums must not overflow.
        self._slack = int(min(rounding * self._costs.ticks / 2, 2.0**50))
        if has_incumbent:
            self._ascent.set_incumbent(self._enough, self._enough)
            return
        self._score_cost = max(0, min(self._costs.cost_of(score), self._costs.above_all))
        slack = self._slack if self._score_cost else 0
        self._ascent.set_incumbent(self._score_cost, self._score_cost - slack)

    # ---- the result ---------------------------------------------------------------------------

    @property
    def cost(self) -> int:
        """A lower bound on the cost of every network other than the incumbents, in ticks.

        Ticks are counted downwards from the sum of the best scores. The bound is valid at any time.
        """
        return max(0, min(max(self._proven_cost, self._groups.cost), self._enough))

    @property
    def bound(self) -> float:
        """No network other than the incumbents scores more than this: ``cost``, rounded up."""
        return self._costs.score_of(self.cost)

    @property
    def _enough(self) -> int:
        """The goal: networks that cost this much or more need neither be found nor excluded."""
        if self._score_cost is not None:
            return self._score_cost
        return self.incumbents.cost() - self._slack

    @property
    def stop_reason(self) -> str:
        """Why ``run`` ended."""
        if self.solved:
            return "optimal"
        clock = self.proof_run.clock
        if clock.expired:
            return "cancelled" if clock.cancelled else "time"
        return "rounds"

    @property
    def rounds(self) -> int:
        """Number of rounds of the dual ascent."""
        return self._ascent.rounds

    @property
    def core_cuts(self) -> list[CoreCut]:
        """The cuts of the dual ascent, for further ascents."""
        return self._ascent.proofs()[-1]

    @property
    def clusters(self) -> int:
        """Number of clusters and local cuts that the dual ascent uses."""
        return self._ascent.clusters

    def surviving_ranks(self) -> tuple[NDArray[np.int32], ...]:
        """Return the ranks of every variable's sets that were not dropped, and of the empty set."""
        self.complete_record()
        kept = self._kept | self._parent_sets.is_empty
        return tuple(
            np.flatnonzero(kept[begin:end]).astype(np.int32)
            for begin, end in pairwise(self._parent_sets.offsets.tolist())
        )

    def complete_record(self) -> None:
        """Complete the record of the proof, so that it proves ``cost``."""
        if self._priced_proofs <= self._ascent.drops:
            self._apply_proofs(self._ascent.drops + 1)
        self._groups.complete_record()

    # ---- the work -----------------------------------------------------------------------------

    def run(self, rounds: int | None = None) -> bool:
        """Run until all is proven or a limit on time or rounds is reached.

        Returns whether all is proven.
        """
        self.solved = self._ascend(rounds) or self._solve_groups()
        return self.solved

    def _ascend(self, rounds: int | None) -> bool:
        """Run the dual ascent until another method is faster; return whether all is proven."""
        run, ascent = self.proof_run, self._ascent
        left = run.clock.left()
        budget = _core.Budget(None if left == math.inf else max(0.0, left))
        with run.clock.cancelling(budget.cancel):
            while True:
                run.on_step()
                ascent.advance(budget, run.threads)
                self._proven_cost = max(self._proven_cost, ascent.least_cost)
                run.on_progress(self.nodes, self.bound)
                if self._priced_proofs < ascent.drops:
                    self._apply_proofs(ascent.drops)
                if ascent.closed or budget.spent or self._is_small() or self._should_switch():
                    break
                if rounds is not None and ascent.rounds >= rounds:
                    break
        self.complete_record()
        return ascent.closed or self._proven_cost >= self._enough

    def _should_switch(self) -> bool:
        """Return whether another method would gain more than further rounds."""
        effort = self.proof_run.effort
        if effort.ascent_rounds is not None:
            return self.rounds >= effort.ascent_rounds
        has_target = self._enough < self._costs.above_all
        cost = self._ascent.least_cost
        gap = self._enough - cost if has_target else cost
        return (
            self._branching
            and self._fits_memory()
            and self._ascent.stalls(gap, effort.rounds[0], effort.progress[0])
        )

    def _fits_memory(self) -> bool:
        """Return whether linear programs or dynamic programming can hold the remaining problem."""
        few = bool(np.count_nonzero(self._kept) <= self.proof_run.effort.most_sets)
        return few or self._groups.can_be_dynamic(self._parent_sets.n_variables)

    def _apply_proofs(self, until: int) -> None:
        """Drop the sets that further proofs of the dual ascent exclude."""
        tree, proofs = self.proof_run.tree, self._ascent.priced_cuts()
        for number in range(self._priced_proofs, until):
            priced = proofs[number]
            cost, extra = self._ascent.reduce_costs(
                number, priced, self._kept, self.proof_run.threads
            )
            cuts = [cut for cut, _ in priced]
            self._clusters = [cut for cut in cuts if isinstance(cut, ClusterCut)]
            if tree is not None:
                prices = np.array([price for _, price in priced], dtype=np.int64)
                tree.step(0, cuts, prices, range(self._parent_sets.n_variables))
            if cost < self._enough:
                keep = extra < self._enough - cost
                keep[self.incumbents.places] = True
                self._kept &= keep
            self._proven_cost = max(self._proven_cost, min(cost, self._enough))
        self._priced_proofs = until

    def _is_small(self) -> bool:
        """Return whether dynamic programming can solve the remaining problem."""
        if self._parent_sets.n_variables <= self._largest_dynamic:
            return True
        return (
            self._largest_dynamic > 0
            and self._ascent.drops > 0
            and all(len(group) <= self._largest_dynamic for group in self._cyclic_groups())
        )

    def _cyclic_groups(self) -> list[list[int]]:
        """List the groups of variables that may be on cycles together."""
        from scipy.sparse import coo_array  # here: it would double the time of the import
        from scipy.sparse.csgraph import connected_components

        sets = self._parent_sets
        n = sets.n_variables
        slot, place = np.nonzero(self._kept & (sets.parents != sets.none))
        parent = sets.parents[slot, place]
        child = np.repeat(np.arange(n), sets.counts)[place]
        arcs = coo_array((np.ones(len(parent), dtype=bool), (parent, child)), shape=(n, n))
        _, group = connected_components(arcs, connection="strong")
        groups = [np.flatnonzero(group == g).tolist() for g in range(n)]
        return sorted(members for members in groups if len(members) > 1)

    def _solve_groups(self) -> bool:
        """Solve the problem that the dual ascent left; return whether all is proven."""
        is_small = self._is_small()
        if self.proof_run.clock.expired or not (is_small or self._branching):
            return False
        if not (is_small or self._fits_memory()):
            return False
        sets = FlatSets.of(self._costs, self._kept)
        if self._is_whole:
            return self._groups.solve_whole(sets, self._clusters, self._slack)
        # Without an incumbent, networks of some groups could not be combined with the others.
        divides = is_small or self.incumbents.worst_ranks is not None
        groups = self._cyclic_groups() if divides else [list(range(sets.n_variables))]
        return self._groups.solve(sets, groups, self._clusters, self._slack)

    def _count_node(self) -> None:
        """Count and report a node of branch and cut."""
        self.nodes += 1
        self.proof_run.on_progress(self.nodes, self.bound)
