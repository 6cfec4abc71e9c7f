"""GroupSolver: solve groups of variables by dynamic programming or by branch and cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forebear._util.machine import memory_bytes
from forebear.proof import dynamic_programming
from forebear.proof.certificate import solution_table
from forebear.proof.cut_kinds import ClusterCut
from forebear.proof.flat_sets import FlatSets
from forebear.proof.incumbents import Incumbents
from forebear.proof.proof_run import ProofRun

if TYPE_CHECKING:
    from forebear.proof.branch_and_cut import BranchAndCut


class GroupSolver:
    """Solves the problem that the dual ascent leaves, one group of variables after another.

    Variables of different groups cannot be on a common cycle. Groups of up to ``largest_dynamic``
    variables are solved by dynamic programming, larger ones by branch and cut. If branch and cut
    takes longer than dynamic programming would, dynamic programming takes over, unless
    ``largest_dynamic`` is 0. ``on_node`` is called after every node of branch and cut.
    """

    def __init__(
        self,
        run: ProofRun,
        incumbents: Incumbents,
        largest_dynamic: int,
        on_node: Callable[[], None],
    ) -> None:
        self._run = run
        self._incumbents = incumbents
        self._largest_dynamic = largest_dynamic
        self._on_node = on_node
        self._clusters: Sequence[ClusterCut] = ()
        self._acyclic_cost = 0  # of the variables that are in no group
        self._costs: list[int] = []
        self._active: BranchAndCut | None = None

    @property
    def cost(self) -> int:
        """A lower bound on the cost of every network other than the incumbents; 0 at first."""
        return self._acyclic_cost + sum(self.group_costs)

    @property
    def group_costs(self) -> list[int]:
        """The lower bound on the cost of each group that was started."""
        return self._costs if self._active is None else [*self._costs, self._active.cost]

    def complete_record(self) -> None:
        """Complete the record of the proof, so that it proves ``cost``."""
        if self._active is not None:
            self._active.complete_record()
        if self._run.tree is not None:
            self._run.tree.set_part_costs(0, self.group_costs)

    def can_be_dynamic(self, n: int) -> bool:
        """Return whether dynamic programming may take over a problem of this many variables."""
        # Half of the memory: the user did not request it, and other programs need some.
        return (
            self._largest_dynamic > 0
            and self._run.tree is None
            and dynamic_programming.fits(n, self._run.threads, memory_bytes() // 2)
        )

    def solve_whole(self, sets: FlatSets, clusters: Sequence[ClusterCut], slack: int) -> bool:
        """Solve all variables as one group by branch and cut; return whether all is proven."""
        self._clusters = clusters
        self._active = self._branch_and_cut(sets, slack, 0)
        return self._active.run() and self._active.cost >= self._active.goal

    def solve(
        self,
        sets: FlatSets,
        groups: Sequence[list[int]],
        clusters: Sequence[ClusterCut],
        slack: int,
    ) -> bool:
        """Solve the groups; return whether all is proven.

        ``clusters`` are the first cuts of branch and cut. Only networks that cost less
        than the incumbents, by more than ``slack``, are sought.
        """
        self._clusters = clusters
        tree, slack = self._run.tree, slack // max(1, len(groups))
        roots = [0] * len(groups) if tree is None else tree.split(0, groups)
        acyclic = np.ones(sets.n_variables, dtype=bool)
        acyclic[[v for group in groups for v in group]] = False
        # Variables on no cycle have their cheapest sets.
        self._acyclic_cost = int(sets.least(sets.cost)[acyclic].sum())
        chosen = [sets.place[sets.cheapest(sets.cost)[acyclic]]]
        # Without an incumbent, networks of single groups are combined at the end.
        is_improvement = self._incumbents.worst_ranks is not None
        if is_improvement:
            self._incumbents.offer_part(chosen[0])
        all_proven = True
        for group, root in zip(groups, roots, strict=True):
            own = sets.within(group)
            if len(group) > self._largest_dynamic:
                cost = self._solve_large(own, slack, root)
                all_proven &= cost >= self._goal(own, slack)
            else:
                cost, places = self._solve_dynamic(own, slack, root)
                all_proven &= places is not None
                if places is not None and is_improvement:
                    self._incumbents.offer_part(places)
                elif places is not None:
                    chosen.append(places)
            self._costs.append(min(cost, self._goal(own, slack)))
        if not is_improvement and sum(map(len, chosen)) == sets.n_variables:
            self._incumbents.offer_part(np.concatenate(chosen))
        return all_proven

    def _goal(self, sets: FlatSets, slack: int) -> int:
        """Return the cost that networks of a group must stay below."""
        return self._incumbents.cost(sets.variables) - slack

    def _solve_dynamic(
        self, sets: FlatSets, slack: int, root: int = 0
    ) -> tuple[int, NDArray[np.int64] | None]:
        """Return the cost of a group and its best sets.

        If the time is over, return 0 and None. If no network costs less than the cutoff, return the
        cutoff and None.
        """
        for _ in range(dynamic_programming.programs(sets.n_variables)):
            self._run.on_step()
        result = dynamic_programming.best_order(sets, self._run.clock, self._run.threads)
        if result is None:
            return 0, None
        order, cost = result
        chosen = sets.best_of_order(order)
        places = sets.place[:0] if chosen is None else sets.place[chosen]
        if self._run.tree is not None:
            table = solution_table(sets, cost, self._incumbents.costs.above_all)
            self._run.tree.step(root, [table], np.ones(1, dtype=np.int64), sets.variables)
        return self._goal(sets, slack) if cost is None else cost, places

    def _solve_large(self, sets: FlatSets, slack: int, root: int) -> int:
        """Return the proven lower bound on the cost of every network of a group."""
        n, cost = sets.n_variables, 0
        can_be_dynamic = self.can_be_dynamic(n)
        if len(sets) <= self._run.effort.most_sets:
            search = self._active = self._branch_and_cut(sets, slack, root)
            search.run(dynamic_programming.programs(n) if can_be_dynamic else None)
            search.complete_record()
            self._active, cost = None, search.cost
        if can_be_dynamic and cost < self._goal(sets, slack) and not self._run.clock.expired:
            exact, places = self._solve_dynamic(sets, slack)
            if places is not None and len(places):
                self._incumbents.offer_part(places)
            cost = max(cost, exact)
        return cost

    def _branch_and_cut(self, sets: FlatSets, slack: int, root: int) -> BranchAndCut:
        """Prepare branch and cut on a group, with the clusters of the dual ascent within it."""
        # It needs SciPy's sparse matrices and HiGHS, which double the time of the import.
        from forebear.proof.branch_and_cut import BranchAndCut

        number = {v: i for i, v in enumerate(sets.variables.tolist())}
        cuts: dict[ClusterCut, None] = {}
        for cut in self._clusters:
            inside = tuple(number[v] for v in cut.cluster if v in number)
            if len(inside) > cut.k:
                cuts[ClusterCut(inside, cut.k)] = None
        return BranchAndCut(
            self._run, self._incumbents, sets, slack, list(cuts), root, self._on_node
        )
