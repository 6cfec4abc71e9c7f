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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from forebear._util.highs import new_linear_program
from forebear.proof.cut_kinds import as_rows
from forebear.proof.integer_costs import FORBIDDEN
from forebear.proof.separation import Solution

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from forebear.budget import Clock
    from forebear.proof.cut_kinds import Cut
    from forebear.proof.flat_sets import FlatSets

SETS_AT_ONCE = 10
"""Sets of each variable in the first linear program, and that join it at once, at most. If 60 may
join, wdbc takes 9.3 s instead of 7.6 s, and alarm 4.4 s instead of 3.7 s; with 60 in the first one
as well, wdbc takes 7.4 s, alarm 4.0 s, and hailfinder 3.8 s instead of 1.8 s."""
_TOLERANCE = 1e-7  # of HiGHS: smaller weights are 0, and smaller reduced costs gain nothing
_SLICE = 2_000  # pivots between two looks at the clock: up to a second or two
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
        given: NDArray[np.int64],
        cuts: Sequence[Cut] = (),
        *,
        may_fail: bool = False,
    ) -> None:
        self.sets = sets
        self.cuts: list[Cut] = []
        self.idle = np.zeros(0, dtype=np.int64)
        self._limits = np.zeros(0, dtype=np.int64)
        self._largest = np.zeros(0, dtype=np.int64)
        self._most = np.zeros(0, dtype=np.int64)
        self._rows = csr_array((0, len(sets)), dtype=np.int64)
        self._usual = np.zeros((0, sets.n_variables), dtype=np.int64)
        self._given = np.zeros(0, dtype=np.int64)
        self._outside = np.ones(len(sets), dtype=bool)
        self._barred = np.zeros(0, dtype=bool)
        self._solver = new_linear_program()
        n = sets.n_variables
        starts = np.zeros(n, dtype=np.int32)
        self._solver.addRows(n, np.ones(n), np.ones(n), 0, starts, starts[:0], np.zeros(0))
        # The first column satisfies every cut and costs more than any network, so there always
        # is a solution: several times more, where other cuts may leave no network.
        dearest = -sets.least(-sets.cost)
        self._solver.addCol(
            (4.0 if may_fail else 1.0) * (float(dearest.sum()) / sets.ticks + 1.0),
            0.0,
            np.inf,
            0,
            starts[:0],
            np.zeros(0),
        )
        self._give(given)
        self.add(cuts)

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add cuts. In the program each is divided by its largest coefficient."""
        if not cuts:
            return
        self.cuts += cuts
        rows = as_rows(cuts, self.sets)
        self._rows = csr_array(vstack([self._rows, rows], format="csr"))
        usual = self._most_frequent(csc_array(rows[:, self._given]))
        self._usual = np.concatenate([self._usual, usual])
        own = self._shifted(rows, usual, self._given).tocsr()
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
        upper = (limits - usual.sum(axis=1)) / largest
        self._solver.addRows(len(cuts), below, upper, len(columns), starts, columns, values)

    def _most_frequent(self, own: csc_array) -> NDArray[np.int64]:
        """Return the most frequent coefficient of each variable's sets in the program, by cut."""
        n, child = self.sets.n_variables, self.sets.child[self._given]
        cells = own.tocoo()
        above = int(cells.data.max(initial=0)) + 1
        cell = cells.row.astype(np.int64) * n + child[cells.col]
        found, times = np.unique(cell * above + cells.data, return_counts=True)
        cell, value = found // above, found % above
        absent = np.tile(np.bincount(child, minlength=n), own.shape[0])
        np.subtract.at(absent, cell, times)
        often = np.argsort(times, kind="stable")
        often = often[times[often] > absent[cell[often]]]
        usual = np.zeros(own.shape[0] * n, dtype=np.int64)
        usual[cell[often]] = value[often]  # the last of a cell, which is the most frequent, stays
        return usual.reshape(-1, n)

    def _shifted(
        self, rows: csr_array, usual: NDArray[np.int64], places: NDArray[np.int64]
    ) -> csc_array:
        """Return the coefficients of some sets, less the most frequent of their variable."""
        return csc_array(rows[:, places] - csr_array(usual)[:, self.sets.child[places]])

    def forget(self, cuts: NDArray[np.bool_]) -> None:
        """Drop cuts, such as those that are not binding now; they can be found again."""
        keep = ~cuts
        self.cuts = [cut for cut, kept in zip(self.cuts, keep.tolist(), strict=True) if kept]
        self._limits = self._limits[keep]
        self._largest = self._largest[keep]
        self._most = self._most[keep]
        self.idle = self.idle[keep]
        self._rows = csr_array(self._rows[keep])
        self._usual = self._usual[keep]
        rows = self.sets.n_variables + np.flatnonzero(cuts)
        self._solver.deleteRows(len(rows), rows.astype(np.int32))

    def solve(self, allowed: NDArray[np.bool_], enough: int, clock: Clock) -> Point | None:
        """Solve it over the allowed sets, or until the bound is high enough.

        Every variable must have an allowed set. Returns None if the time is up.
        """
        self._open(allowed)
        while True:
            if not self._run(clock):
                return None
            point, useful = self._point(allowed)
            if point.cost >= enough or not len(useful):
                binding = point.prices > 0
                self.idle = np.where(binding, 0, self.idle + 1)
                return point
            self._give(useful)

    def _run(self, clock: Clock) -> bool:
        # In slices of pivots, so that a cancellation ends it soon. HiGHS continues where it was.
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

    def try_without(self, allowed: Sequence[NDArray[np.bool_]], pivots: int) -> list[float]:
        """Return the value of the program, in nats, with fewer sets and a few pivots each."""
        was = self._barred
        basis = self._solver.getBasis()
        self._limit_pivots(pivots)
        # Other weights take longer to set up than these pivots take.
        self._solver.setOptionValue("simplex_dual_edge_weight_strategy", 1)
        values = []
        for one in allowed:
            self._bar(was | ~one[self._given])
            self._solver.run()
            values.append(self.value)
            self._solver.setBasis(basis)
        self._limit_pivots(2**31 - 1)
        self._solver.setOptionValue("simplex_dual_edge_weight_strategy", -1)
        self._bar(was)
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
        """Read the solution, compute what it proves, and find the sets that would improve it."""
        own = self.sets
        solution = self._solver.getSolution()
        duals = np.array(solution.row_dual)
        prices = self._prices(duals[own.n_variables :])
        reduced = np.where(allowed, own.cost + self._rows.T @ prices, FORBIDDEN)
        least = own.least(reduced)
        cost = int(least.sum()) - int((prices * self._limits).sum())
        weight = np.array(solution.col_value)[1:]
        present = np.flatnonzero(weight > _TOLERANCE)
        present = present[np.argsort(self._given[present])]
        point = Point(
            Solution(self._given[present], weight[present]),
            cost,
            reduced - least[own.child],
            prices,
        )
        worth = duals[: own.n_variables] - (duals[own.n_variables :] / self._largest) @ self._usual
        return point, self._useful(reduced / own.ticks - worth[own.child])

    def _useful(self, reduced: NDArray[np.float64]) -> NDArray[np.int64]:
        """Find the sets of each variable outside the program that improve the solution most."""
        child = self.sets.child
        places = np.flatnonzero(self._outside & (reduced < -_TOLERANCE))
        places = places[np.lexsort((reduced[places], child[places]))]
        first = np.searchsorted(child[places], np.arange(self.sets.n_variables))
        return places[np.arange(len(places)) - first[child[places]] < SETS_AT_ONCE]

    def _open(self, allowed: NDArray[np.bool_]) -> None:
        """Restrict the program to allowed sets."""
        own = self.sets
        # The cheapest set of each variable, so that the program has a solution.
        best = own.cheapest(np.where(allowed, own.cost, FORBIDDEN))
        self._give(best[self._outside[best]])
        self._bar(~allowed[self._given])

    def _bar(self, barred: NDArray[np.bool_]) -> None:
        changed = np.flatnonzero(barred != self._barred)
        upper = np.where(barred[changed], 0.0, np.inf)
        self._solver.changeColsBounds(
            len(changed), (changed + 1).astype(np.int32), np.zeros(len(changed)), upper
        )
        self._barred = barred

    def _give(self, places: NDArray[np.int64]) -> None:
        """Add sets to the program: columns in the rows of their variable and of the cuts."""
        if not len(places):
            return
        own = self.sets
        count = len(places)
        self._outside[places] = False
        self._given = np.concatenate([self._given, places])
        self._barred = np.concatenate([self._barred, np.zeros(count, dtype=bool)])
        cuts = self._shifted(self._rows, self._usual, places)
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
