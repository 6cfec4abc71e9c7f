"""Relaxation: a linear program over weighted parent sets, with cuts.

    minimize    sum of cost(v, P) x(v, P)
    subject to  sum over P of x(v, P) = 1                    for each variable v
                sum of a(v, P) x(v, P) <= limit              for each cut a

Only promising sets are columns of the linear program. The others are priced after each solution and
added if they would improve it (column generation). The proof does not depend on the accuracy of the
solver: for any prices L >= 0 of the cuts,

    sum over v of min over P of [cost(v, P) + sum of L a(v, P)]  -  sum of L limit

is at most the cost of any network, since a network satisfies every cut. Costs, coefficients and
prices are whole numbers here, so this sum is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack

from forebear._util.linear_program import new_linear_program
from forebear.budget import Clock
from forebear.proof.cut_kinds import Cut, as_rows
from forebear.proof.flat_sets import FlatSets
from forebear.proof.integer_costs import FORBIDDEN
from forebear.proof.separation import Solution

SETS_AT_ONCE = 10
"""The largest number of sets of each variable in the first linear program, and that are added at
once. If 60 may be added, wdbc takes 9.3 s instead of 7.6 s, and alarm 4.4 s instead of 3.7 s; with
60 in the first one as well, wdbc takes 7.4 s, alarm 4.0 s, and hailfinder 3.8 s instead of 1.8."""
_TOLERANCE = 1e-7  # of HiGHS: smaller weights are 0, and smaller reduced costs gain nothing
_SLICE = 2_000  # pivots between two checks of the clock: up to a second or two
_MOST_TICKS = 2.0**60  # sums of prices stay below this, so that nothing overflows


class Point(NamedTuple):
    """A relaxed solution, and the bounds that it proves.

    Every allowed network costs at least ``cost``. A network with set ``s`` costs at least
    ``extra[s]`` more. ``prices`` are those of the cuts, in ticks.
    """

    solution: Solution
    cost: int
    extra: NDArray[np.int64]
    prices: NDArray[np.int64]


class Relaxation:
    """A linear program to which cuts and parent sets are added as needed."""

    def __init__(
        self,
        sets: FlatSets,
        columns: NDArray[np.int64],
        cuts: Sequence[Cut] = (),
        *,
        may_fail: bool = False,
    ) -> None:
        self.sets = sets
        self._may_fail = may_fail
        self.cuts: list[Cut] = []
        self.idle = np.zeros(0, dtype=np.int64)
        self._limits = np.zeros(0, dtype=np.int64)
        self._largest = np.zeros(0, dtype=np.int64)
        self._most = np.zeros(0, dtype=np.int64)
        self._rows = csr_array((0, len(sets)), dtype=np.int64)
        self._common = np.zeros((0, sets.n_variables), dtype=np.int64)
        self._columns = np.zeros(0, dtype=np.int64)
        self._is_outside = np.ones(len(sets), dtype=bool)
        self._is_fixed = np.zeros(0, dtype=bool)
        self._solver = new_linear_program()
        n = sets.n_variables
        starts = np.zeros(n, dtype=np.int32)
        self._solver.addRows(n, np.ones(n), np.ones(n), 0, starts, starts[:0], np.zeros(0))
        # The first column satisfies every cut and costs more than any network, so there is always a
        # solution. It costs four times as much if further cuts may leave no network.
        largest_costs = -sets.least(-sets.cost)
        self._solver.addCol(
            (4.0 if may_fail else 1.0) * (float(largest_costs.sum()) / sets.ticks + 1.0),
            0.0,
            np.inf,
            0,
            starts[:0],
            np.zeros(0),
        )
        self._add_columns(columns)
        self.add(cuts)

    def copy(self) -> Relaxation:
        """Return a program with the same columns, cuts and basis, for another thread."""
        twin = Relaxation(self.sets, self._columns, self.cuts, may_fail=self._may_fail)
        twin._solver.setBasis(self._solver.getBasis())
        return twin

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add cuts. In the program each is divided by its largest coefficient."""
        if not cuts:
            return
        self.cuts += cuts
        rows = as_rows(cuts, self.sets)
        self._rows = csr_array(vstack([self._rows, rows], format="csr"))
        common = self._most_frequent_coefficients(csc_array(rows[:, self._columns]))
        self._common = np.concatenate([self._common, common])
        own = self._sparse_coefficients(rows, common, self._columns).tocsr()
        limits = np.array([cut.limit for cut in cuts], dtype=np.int64)
        largest = np.array([cut.largest for cut in cuts], dtype=np.int64)
        self._limits = np.concatenate([self._limits, limits])
        self._largest = np.concatenate([self._largest, largest])
        most = np.array([cut.most for cut in cuts], dtype=np.int64)
        self._most = np.concatenate([self._most, most])
        self.idle = np.concatenate([self.idle, np.zeros(len(cuts), dtype=np.int64)])
        # Each row also has the first column, with enough weight for any choice of sets.
        relief = (limits - most) / largest
        scaled = own.data / np.repeat(largest, np.diff(own.indptr))
        columns = np.insert(own.indices + 1, own.indptr[1:], 0).astype(np.int32)
        values = np.insert(scaled, own.indptr[1:], relief)
        starts = (own.indptr[:-1] + np.arange(len(cuts))).astype(np.int32)
        below = np.full(len(cuts), -np.inf)
        upper = (limits - common.sum(axis=1)) / largest
        self._solver.addRows(len(cuts), below, upper, len(columns), starts, columns, values)

    def _most_frequent_coefficients(self, own: csc_array) -> NDArray[np.int64]:
        """Return the most frequent coefficient of each variable's sets in the program, by cut."""
        n, child = self.sets.n_variables, self.sets.child[self._columns]
        cells = own.tocoo()
        above = int(cells.data.max(initial=0)) + 1
        cell = cells.row.astype(np.int64) * n + child[cells.col]
        found, times = np.unique(cell * above + cells.data, return_counts=True)
        cell, value = found // above, found % above
        absent = np.tile(np.bincount(child, minlength=n), own.shape[0])
        np.subtract.at(absent, cell, times)
        often = np.argsort(times, kind="stable")
        often = often[times[often] > absent[cell[often]]]
        common = np.zeros(own.shape[0] * n, dtype=np.int64)
        common[cell[often]] = value[often]  # the last of a cell, which is the most frequent, stays
        return common.reshape(-1, n)

    def _sparse_coefficients(
        self, rows: csr_array, common: NDArray[np.int64], places: NDArray[np.int64]
    ) -> csc_array:
        """Return the coefficients of some sets, minus the most frequent one of their variable."""
        return csc_array(rows[:, places] - csr_array(common)[:, self.sets.child[places]])

    def remove(self, cuts: NDArray[np.bool_]) -> None:
        """Remove cuts, such as those that are not binding; separation can find them again."""
        keep = ~cuts
        self.cuts = [cut for cut, kept in zip(self.cuts, keep.tolist(), strict=True) if kept]
        self._limits = self._limits[keep]
        self._largest = self._largest[keep]
        self._most = self._most[keep]
        self.idle = self.idle[keep]
        self._rows = csr_array(self._rows[keep])
        self._common = self._common[keep]
        rows = self.sets.n_variables + np.flatnonzero(cuts)
        self._solver.deleteRows(len(rows), rows.astype(np.int32))

    def solve(self, allowed: NDArray[np.bool_], enough: int, clock: Clock) -> Point | None:
        """Solve the program over the allowed sets, or until the bound is high enough.

        Every variable must have an allowed set. Returns None if the time is over.
        """
        self._restrict_to(allowed)
        while True:
            if not self._run(clock):
                return None
            point, improving = self._point(allowed)
            if point.cost >= enough or not len(improving):
                binding = point.prices > 0
                self.idle = np.where(binding, 0, self.idle + 1)
                return point
            self._add_columns(improving)

    def _run(self, clock: Clock) -> bool:
        """Run HiGHS; return False if the time is over."""
        # In slices of pivots, so that a cancellation ends it soon. HiGHS resumes where it stopped.
        self._limit_pivots(_SLICE)
        over = False
        while not (over or clock.expired):
            self._limit_time(clock.left())
            self._solver.run()
            over = self._solver.getModelStatus().name != "kIterationLimit"
        self._limit_time(math.inf)
        self._limit_pivots(2**31 - 1)
        return not clock.expired

    def _limit_pivots(self, most: int) -> None:
        self._solver.setOptionValue("simplex_iteration_limit", most)

    def _limit_time(self, seconds: float) -> None:
        # HiGHS counts the time of all its runs.
        left = max(0.0, seconds)
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + left)

    def estimate_values(self, allowed: Sequence[NDArray[np.bool_]], pivots: int) -> list[float]:
        """Return the value of the program for each choice of allowed sets, after a few pivots."""
        was = self._is_fixed
        basis = self._solver.getBasis()
        self._limit_pivots(pivots)
        # Setting up other weights takes longer than these pivots.
        self._solver.setOptionValue("simplex_dual_edge_weight_strategy", 1)
        values = []
        for one in allowed:
            self._fix_at_zero(was | ~one[self._columns])
            self._solver.run()
            values.append(self.value)
            self._solver.setBasis(basis)
        self._limit_pivots(2**31 - 1)
        self._solver.setOptionValue("simplex_dual_edge_weight_strategy", -1)
        self._fix_at_zero(was)
        return values

    @property
    def value(self) -> float:
        """The value of the last solution, in nats."""
        return float(self._solver.getInfo().objective_function_value)

    def _prices(self, duals: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return prices of the cuts in whole ticks, small enough that no sum overflows."""
        prices = np.maximum(-duals, 0.0) * self.sets.ticks / self._largest
        total = float((prices * self._most).sum())
        if not total < _MOST_TICKS:
            prices = prices * (_MOST_TICKS / total) if np.isfinite(total) else 0.0 * prices
        return np.nan_to_num(prices).astype(np.int64)

    def _point(self, allowed: NDArray[np.bool_]) -> tuple[Point, NDArray[np.int64]]:
        """Read the solution, compute its bounds, and find the sets that would improve it."""
        own = self.sets
        solution = self._solver.getSolution()
        duals = np.array(solution.row_dual)
        prices = self._prices(duals[own.n_variables :])
        reduced = np.where(allowed, own.cost + self._rows.T @ prices, FORBIDDEN)
        least = own.least(reduced)
        cost = int(least.sum()) - int((prices * self._limits).sum())
        weight = np.array(solution.col_value)[1:]
        present = np.flatnonzero(weight > _TOLERANCE)
        present = present[np.argsort(self._columns[present])]
        point = Point(
            Solution(self._columns[present], weight[present]),
            cost,
            reduced - least[own.child],
            prices,
        )
        worth = duals[: own.n_variables] - (duals[own.n_variables :] / self._largest) @ self._common
        return point, self._improving_sets(reduced / own.ticks - worth[own.child])

    def _improving_sets(self, reduced: NDArray[np.float64]) -> NDArray[np.int64]:
        """Find the sets of each variable outside the program that improve the solution most."""
        child = self.sets.child
        places = np.flatnonzero(self._is_outside & (reduced < -_TOLERANCE))
        places = places[np.lexsort((reduced[places], child[places]))]
        first = np.searchsorted(child[places], np.arange(self.sets.n_variables))
        return places[np.arange(len(places)) - first[child[places]] < SETS_AT_ONCE]

    def _restrict_to(self, allowed: NDArray[np.bool_]) -> None:
        """Restrict the program to allowed sets."""
        own = self.sets
        # The cheapest set of each variable, so that the program has a solution.
        best = own.cheapest(np.where(allowed, own.cost, FORBIDDEN))
        self._add_columns(best[self._is_outside[best]])
        self._fix_at_zero(~allowed[self._columns])

    def _fix_at_zero(self, is_fixed: NDArray[np.bool_]) -> None:
        changed = np.flatnonzero(is_fixed != self._is_fixed)
        upper = np.where(is_fixed[changed], 0.0, np.inf)
        self._solver.changeColsBounds(
            len(changed), (changed + 1).astype(np.int32), np.zeros(len(changed)), upper
        )
        self._is_fixed = is_fixed

    def _add_columns(self, places: NDArray[np.int64]) -> None:
        """Add sets as columns, in the rows of their variable and of the cuts."""
        if not len(places):
            return
        own = self.sets
        count = len(places)
        self._is_outside[places] = False
        self._columns = np.concatenate([self._columns, places])
        self._is_fixed = np.concatenate([self._is_fixed, np.zeros(count, dtype=bool)])
        cuts = self._sparse_coefficients(self._rows, self._common, places)
        rows = np.insert(cuts.indices + own.n_variables, cuts.indptr[:-1], own.child[places])
        scaled = cuts.data / self._largest[cuts.indices]
        values = np.insert(scaled, cuts.indptr[:-1], 1.0)
        starts = (cuts.indptr[:-1] + np.arange(count)).astype(np.int32)
        zeros, infinite = np.zeros(count), np.full(count, np.inf)
        cost = own.cost[places] / own.ticks
        solver: Any = self._solver
        solver.addCols(
            count, cost, zeros, infinite, len(rows), starts, rows.astype(np.int32), values
        )
