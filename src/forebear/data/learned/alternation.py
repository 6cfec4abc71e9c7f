"""Cuts and a network in turn: the cuts for the network, then the network for the cuts.

After Friedman and Goldszmidt (1996), "Discretizing continuous attributes while
learning Bayesian networks". Unlike there, a value counts by its density in its
interval, as in Monti and Cooper (1998), "A multivariate discretization method
for learning Bayesian networks from mixed data", so that intervals also follow
the shape of a column by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear.data.discretization import cut_points
from forebear.data.learned.cutting import COST, Term, best_cuts, cut_cost, fine_pieces
from forebear.data.learned.network import (
    candidate_parents,
    family_score,
    greedy_network,
    joint_cells,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.data.learned.cutting import Fine

# Intervals to start from: few enough that small tables show dependence at all.
_FIRST_BINS = 5
# Turns of network and cuts. Most tables are done after two or three.
_ROUNDS = 6
# Sweeps over the columns for one network: after two, cuts hardly move.
_SWEEPS = 2


class Continuous(NamedTuple):
    """A column to cut: its values, which rows have one, and the most intervals it may get."""

    numbers: NDArray[np.float64]
    present: NDArray[np.bool_] | None
    most: int


class Discrete(NamedTuple):
    """A column with states: their codes in every row, and their number."""

    codes: NDArray[np.int64]
    arity: int


def learn_cuts(columns: Sequence[Continuous | Discrete]) -> list[NDArray[np.float64] | None]:
    """Return the cuts of every continuous column; None for the others.

    There are two starts, of which the better one wins: intervals with as many
    rows each, and those that are best for every column by itself.
    """
    found = [_alternate(_State(columns))]
    by_itself = _State(columns)
    by_itself.cut_all([[] for _ in columns])
    found.append(_alternate(by_itself))
    return max(found, key=lambda outcome: outcome[0])[1]


def _alternate(state: _State) -> tuple[float, list[NDArray[np.float64] | None]]:
    """Find a network and cuts in turn, until the score no longer rises."""
    best, cuts = -np.inf, list(state.cuts)
    candidates = candidate_parents(state.codes, state.arities)
    for _ in range(_ROUNDS):
        parents = greedy_network(state.codes, state.arities, candidates)
        for _ in range(_SWEEPS):
            if not state.cut_all(parents):
                break
        score = state.total(parents)
        if score <= best:
            break
        best, cuts = score, list(state.cuts)
    return best, cuts


class _State:
    """The codes of all columns with the present cuts."""

    def __init__(self, columns: Sequence[Continuous | Discrete]) -> None:
        self.columns = columns
        self.fine: list[Fine | None] = []
        self.codes: list[NDArray[np.int64]] = []
        self.arities: list[int] = []
        self.cuts: list[NDArray[np.float64] | None] = []
        for column in columns:
            if isinstance(column, Discrete):
                self.fine.append(None)
                self.cuts.append(None)
                self.codes.append(column.codes)
                self.arities.append(column.arity)
                continue
            first = np.empty(0)
            if len(column.numbers):
                first = cut_points(column.numbers, "quantile", min(_FIRST_BINS, column.most))
            self.fine.append(fine_pieces(column.numbers))
            self.cuts.append(first)
            self.codes.append(self._codes(column, first))
            self.arities.append(len(first) + 1 + (column.present is not None))

    def _codes(self, column: Continuous, cuts: NDArray[np.float64]) -> NDArray[np.int64]:
        """Code a column by its cuts; a missing value is one more state."""
        own = np.searchsorted(cuts, column.numbers, side="left")
        if column.present is None:
            return own
        codes = np.full(len(column.present), len(cuts) + 1, dtype=np.int64)
        codes[column.present] = own
        return codes

    def cut_all(self, parents: Sequence[Sequence[int]]) -> bool:
        """Choose the cuts of every column again, for this network; return whether any changed."""
        children: list[list[int]] = [[] for _ in self.columns]
        for v, own in enumerate(parents):
            for p in own:
                children[p].append(v)
        moved = False
        for v, column in enumerate(self.columns):
            if isinstance(column, Discrete):
                continue
            fine, before = self.fine[v], self.cuts[v]
            assert fine is not None
            cuts = best_cuts(fine, *self._blanket(v, parents, children[v], column), column.most)
            if before is None or not np.array_equal(cuts, before):
                moved = True
                self.cuts[v] = cuts
                self.codes[v] = self._codes(column, cuts)
                self.arities[v] = len(cuts) + 1 + (column.present is not None)
        return moved

    def _blanket(
        self,
        v: int,
        parents: Sequence[Sequence[int]],
        children: Sequence[int],
        column: Continuous,
    ) -> tuple[list[Term], tuple[float, float]]:
        """Return the parts of the likelihood that depend on a column, and their parameters."""

        def cells(columns: Sequence[int]) -> NDArray[np.int64]:
            joint = joint_cells(self.codes, self.arities, columns)
            return joint if column.present is None else joint[column.present]

        def combinations(columns: Sequence[int]) -> float:
            return float(np.prod([float(self.arities[u]) for u in columns]))

        terms = [Term(cells(parents[v]), 1)]
        own = combinations(parents[v])
        fixed, each = -own, own
        for child in children:
            others = [p for p in parents[child] if p != v]
            terms += [Term(cells([*others, child]), 1), Term(cells(others), -1)]
            each += combinations(others) * (self.arities[child] - 1)
        return terms, (fixed, each)

    def total(self, parents: Sequence[Sequence[int]]) -> float:
        """Return the score of the network and the cuts together."""
        total = sum(
            family_score(self.codes, self.arities, v, own, COST) for v, own in enumerate(parents)
        )
        for column, fine, cuts in zip(self.columns, self.fine, self.cuts, strict=True):
            if isinstance(column, Discrete) or fine is None or cuts is None:
                continue
            edges = np.concatenate([fine.edges[:1], cuts, fine.edges[-1:]])
            places = np.searchsorted(cuts, column.numbers, side="left")
            widths = np.diff(edges)
            if len(fine.cuts):
                total -= float(np.log(widths[places]).sum())
                n_places, k = len(fine.cuts), len(cuts) + 1
                total -= cut_cost(min(k, n_places + 1), n_places, len(column.numbers), (0.0, 0.0))
        return total
