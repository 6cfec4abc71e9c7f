"""Relaxation: a linear program over weighted parent sets, with cuts.

    maximise    sum of score(v, P) x(v, P)
    subject to  sum over P of x(v, P) = 1                    for each variable v
                sum of a(v, P) x(v, P) <= limit              for each cut a

Only sets that may matter are columns of the linear program. The others are priced after each
solution and join when they would improve it. The bound does not rely on the accuracy of the
solver: for any prices L >= 0 of the cuts,

    sum over v of max over P of [score(v, P) - sum of L a(v, P)]  +  sum of L limit

is at least the score of any network, since a network satisfies every cut. This is computed from
the prices over all sets, and is the bound that counts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from forebear._util.highs import new_linear_program
from forebear.exact.cuts import as_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.budget import Clock
    from forebear.exact.cuts import Cut
    from forebear.exact.flatsets import FlatSets

_JOINING_SETS = 100  # sets of each variable that join at once, at most
_USEFUL = 1e-7  # sets with a smaller reduced score do not improve the solution
_PRESENT = 1e-7  # smaller weights are 0
_SLACK = 1e-12  # relative rounding error of a sum of some thousand numbers


class Point(NamedTuple):
    """A relaxed solution: the parent sets it uses, their weights, and what it proves.

    No allowed network scores more than ``bound``, and none with set ``s`` more than ``most[s]``.
    ``prices`` are the dual prices of the cuts.
    """

    chosen: NDArray[np.int64]
    weight: NDArray[np.float64]
    bound: float
    most: NDArray[np.float64]
    prices: NDArray[np.float64]


class Relaxation:
    """A linear program that cuts and parent sets join as they are needed."""

    def __init__(self, sets: FlatSets, given: NDArray[np.int64], cuts: Sequence[Cut] = ()) -> None:
        self.sets = sets
        self.cuts: list[Cut] = []
        self._limits = np.zeros(0)
        self._rows = csr_array((0, len(sets)), dtype=np.float64)
        self._given = np.zeros(0, dtype=np.int64)
        self._outside = np.ones(len(sets), dtype=bool)
        self._barred = np.zeros(0, dtype=bool)
        self._solver = new_linear_program()
        n = sets.n_variables
        starts = np.zeros(n, dtype=np.int32)
        self._solver.addRows(n, np.ones(n), np.ones(n), 0, starts, starts[:0], np.zeros(0))
        # The first column satisfies every cut and costs more than any network, so there always
        # is a solution.
        self._solver.addCol(_dearest(sets), 0.0, np.inf, 0, starts[:0], np.zeros(0))
        self._give(given)
        self.add(cuts)

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add cuts."""
        if not cuts:
            return
        self.cuts += cuts
        rows = as_rows(cuts, self.sets)
        self._rows = csr_array(vstack([self._rows, rows], format="csr"))
        own = csr_array(rows[:, self._given])
        limits = np.array([cut.limit for cut in cuts])
        self._limits = np.concatenate([self._limits, limits])
        # Each row also has the first column, with enough weight for any choice of sets.
        relief = limits - np.array([cut.most for cut in cuts])
        columns = np.insert(own.indices + 1, own.indptr[1:], 0).astype(np.int32)
        values = np.insert(own.data, own.indptr[1:], relief)
        starts = (own.indptr[:-1] + np.arange(len(cuts))).astype(np.int32)
        below = np.full(len(cuts), -np.inf)
        self._solver.addRows(len(cuts), below, limits, len(columns), starts, columns, values)

    def forget(self, cuts: NDArray[np.bool_]) -> None:
        """Drop cuts, such as those that are not binding now; they can be found again."""
        keep = ~cuts
        self.cuts = [cut for cut, kept in zip(self.cuts, keep.tolist(), strict=True) if kept]
        self._limits = self._limits[keep]
        self._rows = csr_array(self._rows[keep])
        rows = self.sets.n_variables + np.flatnonzero(cuts)
        self._solver.deleteRows(len(rows), rows.astype(np.int32))

    def reduced(self, keep: NDArray[np.bool_], point: Point) -> Relaxation:
        """Return the relaxation over some sets only, with the cuts that are binding now."""
        given = np.flatnonzero(~self._outside[keep])
        cuts = [cut for cut, price in zip(self.cuts, point.prices, strict=True) if price > 0]
        return Relaxation(self.sets.kept(keep), given, cuts)

    def solve(self, allowed: NDArray[np.bool_], enough: float, clock: Clock) -> Point | None:
        """Solve it over the allowed sets, or until the bound is low enough.

        Returns None if some variable has no allowed set, or if the time is up.
        """
        if not self._open(allowed):
            return None
        while True:
            # HiGHS counts the time of all its runs.
            left = max(0.0, clock.left())
            self._solver.setOptionValue("time_limit", self._solver.getRunTime() + left)
            self._solver.run()
            if clock.expired:
                return None
            point, useful = self._point(allowed)
            if point.bound <= enough or not len(useful):
                return point
            self._give(useful)

    def _point(self, allowed: NDArray[np.bool_]) -> tuple[Point, NDArray[np.int64]]:
        """Read the solution, compute what it proves, and find the sets that would improve it."""
        own = self.sets
        solution = self._solver.getSolution()
        duals = np.array(solution.row_dual)
        worth, prices = duals[: own.n_variables], np.maximum(-duals[own.n_variables :], 0.0)
        gain = np.where(allowed, -own.loss - self._rows.T @ prices, -np.inf)
        best = np.full(own.n_variables, -np.inf)
        np.maximum.at(best, own.child, gain)
        parts = [*own.top.tolist(), *best.tolist(), *(prices * self._limits).tolist()]
        bound = math.fsum(parts) + _SLACK * math.fsum(map(abs, parts))
        weight = np.array(solution.col_value)[1:]
        present = weight > _PRESENT
        most = bound - (best[own.child] - gain)
        point = Point(self._given[present], weight[present], bound, most, prices)
        return point, self._useful(gain + worth[own.child])

    def _useful(self, reduced: NDArray[np.float64]) -> NDArray[np.int64]:
        """Find the sets of each variable outside the program that improve the solution most."""
        child = self.sets.child
        places = np.flatnonzero(self._outside & (reduced > _USEFUL))
        places = places[np.lexsort((-reduced[places], child[places]))]
        first = np.searchsorted(child[places], np.arange(self.sets.n_variables))
        return places[np.arange(len(places)) - first[child[places]] < _JOINING_SETS]

    def _open(self, allowed: NDArray[np.bool_]) -> bool:
        """Restrict the program to allowed sets; return whether every variable has one."""
        own = self.sets
        places = np.flatnonzero(allowed)
        variables, first = np.unique(own.child[places], return_index=True)
        if len(variables) < own.n_variables:
            return False
        # The best set of each variable, so that the program has a solution.
        best = places[first]
        self._give(best[self._outside[best]])
        barred = ~allowed[self._given]
        changed = np.flatnonzero(barred != self._barred)
        upper = np.where(barred[changed], 0.0, np.inf)
        self._solver.changeColsBounds(
            len(changed), (changed + 1).astype(np.int32), np.zeros(len(changed)), upper
        )
        self._barred = barred
        return True

    def _give(self, places: NDArray[np.int64]) -> None:
        """Add sets to the program: columns in the rows of their variable and of the cuts."""
        if not len(places):
            return
        own = self.sets
        count = len(places)
        self._outside[places] = False
        self._given = np.concatenate([self._given, places])
        self._barred = np.concatenate([self._barred, np.zeros(count, dtype=bool)])
        cuts = csc_array(self._rows[:, places])
        rows = np.insert(cuts.indices + own.n_variables, cuts.indptr[:-1], own.child[places])
        values = np.insert(cuts.data, cuts.indptr[:-1], 1.0)
        starts = (cuts.indptr[:-1] + np.arange(count)).astype(np.int32)
        zeros, infinite = np.zeros(count), np.full(count, np.inf)
        loss = own.loss[places]
        self._solver.addCols(
            count, loss, zeros, infinite, len(rows), starts, rows.astype(np.int32), values
        )


def _dearest(sets: FlatSets) -> float:
    """Return more than the loss of any network."""
    worst = np.zeros(sets.n_variables)
    np.maximum.at(worst, sets.child, sets.loss)
    return float(worst.sum()) + 1.0
