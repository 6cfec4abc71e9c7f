"""The linear relaxation: parent sets with weights, and cuts.

    maximise    sum of score(v, P) x(v, P)
    subject to  sum over P of x(v, P) = 1                    for each variable v
                sum of a(v, P) x(v, P) <= limit              for each cut a

Only sets that may matter are given to the solver; the others are priced after
each solution and join when they would improve it. And the solver is not taken
at its word: whatever prices L >= 0 of the cuts it gives,

    sum over v of max over P of [score(v, P) - sum of L a(v, P)]  +  sum of L limit

is at least the score of any network, since a network satisfies every cut. That
is computed anew over all sets, and is the bound that counts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from forebear.exact.cuts import as_rows
from forebear.exact.solver import new_solver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.exact.clock import Clock
    from forebear.exact.cuts import Cut
    from forebear.exact.problem import Candidates

_JOINING_SETS = 100  # of each variable join at once, at most
_USEFUL = 1e-7  # a set whose reduced score is less cannot improve the solution
_PRESENT = 1e-7  # a weight that is less is none
_SLACK = 1e-12  # relative: what rounding may do to a sum of some thousand numbers


class Point(NamedTuple):
    """A relaxed solution: the candidates it chooses, how much of each, and what that proves.

    ``bound`` is a score that no allowed network exceeds, and ``most[c]`` one
    that no allowed network with candidate ``c`` exceeds. ``prices`` are those
    of the cuts.
    """

    chosen: NDArray[np.int64]
    weight: NDArray[np.float64]
    bound: float
    most: NDArray[np.float64]
    prices: NDArray[np.float64]


class Relaxation:
    """A linear program that cuts, and sets, join as they are needed."""

    def __init__(
        self, candidates: Candidates, given: NDArray[np.int64], cuts: Sequence[Cut] = ()
    ) -> None:
        self.candidates = candidates
        self.cuts: list[Cut] = []
        self._limits = np.zeros(0)
        self._rows = csr_array((0, len(candidates)), dtype=np.float64)
        self._given = np.zeros(0, dtype=np.int64)
        self._outside = np.ones(len(candidates), dtype=bool)
        self._barred = np.zeros(0, dtype=bool)
        self._solver = new_solver()
        n = candidates.n_variables
        starts = np.zeros(n, dtype=np.int32)
        self._solver.addRows(n, np.ones(n), np.ones(n), 0, starts, starts[:0], np.zeros(0))
        # The first column satisfies every cut, at more than any network costs: so that there
        # always is a solution.
        self._solver.addCol(_dearest(candidates), 0.0, np.inf, 0, starts[:0], np.zeros(0))
        self._give(given)
        self.add(cuts)

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add cuts."""
        if not cuts:
            return
        self.cuts += cuts
        rows = as_rows(cuts, self.candidates)
        self._rows = csr_array(vstack([self._rows, rows], format="csr"))
        own = csr_array(rows[:, self._given])
        limits = np.array([cut.limit for cut in cuts])
        self._limits = np.concatenate([self._limits, limits])
        # Each row also has the first column, enough of it for any choice of sets.
        relief = limits - np.array([cut.most for cut in cuts])
        columns = np.insert(own.indices + 1, own.indptr[1:], 0).astype(np.int32)
        values = np.insert(own.data, own.indptr[1:], relief)
        starts = (own.indptr[:-1] + np.arange(len(cuts))).astype(np.int32)
        below = np.full(len(cuts), -np.inf)
        self._solver.addRows(len(cuts), below, limits, len(columns), starts, columns, values)

    def forget(self, cuts: NDArray[np.bool_]) -> None:
        """Drop cuts, for instance those that do not matter now: they can be found again."""
        keep = ~cuts
        self.cuts = [cut for cut, kept in zip(self.cuts, keep.tolist(), strict=True) if kept]
        self._limits = self._limits[keep]
        self._rows = csr_array(self._rows[keep])
        rows = self.candidates.n_variables + np.flatnonzero(cuts)
        self._solver.deleteRows(len(rows), rows.astype(np.int32))

    def reduced(self, keep: NDArray[np.bool_], point: Point) -> Relaxation:
        """Return the relaxation of some candidates only, with the cuts that matter now."""
        given = np.flatnonzero(~self._outside[keep])
        cuts = [cut for cut, price in zip(self.cuts, point.prices, strict=True) if price > 0]
        return Relaxation(self.candidates.kept(keep), given, cuts)

    def solve(self, allowed: NDArray[np.bool_], enough: float, clock: Clock) -> Point | None:
        """Solve it over the allowed candidates, or until the bound is low enough.

        ``None`` if some variable has none of them, or if there is no time left.
        """
        if not self._open(allowed):
            return None
        while True:
            # The solver counts the time of all its runs.
            self._solver.setOptionValue("time_limit", self._solver.getRunTime() + clock.left)
            self._solver.run()
            if clock.spent:
                return None
            point, useful = self._point(allowed)
            if point.bound <= enough or not len(useful):
                return point
            self._give(useful)

    def _point(self, allowed: NDArray[np.bool_]) -> tuple[Point, NDArray[np.int64]]:
        """Read the solution, compute what its prices prove, and find sets that would improve it."""
        own = self.candidates
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
        """Find, of each variable, the candidates outside that improve the solution most."""
        child = self.candidates.child
        places = np.flatnonzero(self._outside & (reduced > _USEFUL))
        places = places[np.lexsort((-reduced[places], child[places]))]
        first = np.searchsorted(child[places], np.arange(self.candidates.n_variables))
        return places[np.arange(len(places)) - first[child[places]] < _JOINING_SETS]

    def _open(self, allowed: NDArray[np.bool_]) -> bool:
        """Let the solver choose allowed sets alone; tell if every variable has one."""
        own = self.candidates
        places = np.flatnonzero(allowed)
        variables, first = np.unique(own.child[places], return_index=True)
        if len(variables) < own.n_variables:
            return False
        # The best one of each variable, so that the solver has any at all.
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

    def _give(self, candidates: NDArray[np.int64]) -> None:
        """Give candidates to the solver: columns of their variable's row and of the cuts'."""
        if not len(candidates):
            return
        own = self.candidates
        count = len(candidates)
        self._outside[candidates] = False
        self._given = np.concatenate([self._given, candidates])
        self._barred = np.concatenate([self._barred, np.zeros(count, dtype=bool)])
        cuts = csc_array(self._rows[:, candidates])
        rows = np.insert(cuts.indices + own.n_variables, cuts.indptr[:-1], own.child[candidates])
        values = np.insert(cuts.data, cuts.indptr[:-1], 1.0)
        starts = (cuts.indptr[:-1] + np.arange(count)).astype(np.int32)
        zeros, infinite = np.zeros(count), np.full(count, np.inf)
        loss = own.loss[candidates]
        self._solver.addCols(
            count, loss, zeros, infinite, len(rows), starts, rows.astype(np.int32), values
        )


def _dearest(candidates: Candidates) -> float:
    """More than any network loses."""
    worst = np.zeros(candidates.n_variables)
    np.maximum.at(worst, candidates.child, candidates.loss)
    return float(worst.sum()) + 1.0
