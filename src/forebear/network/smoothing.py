"""Back-off smoothing: probabilities interpolated with those given fewer parents.

The probabilities of a variable given all its parents are drawn towards those given all but its
least useful parent, these towards those given one parent fewer, and so on down to the uniform
distribution (interpolation as in language models: Jelinek and Mercer, 1980; MacKay and Peto, 1995).
How much is chosen from the data by leave-one-out likelihood, which has a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""Weights that are tried, in rows."""

SHARES = (0.0, 0.05, 0.1, 0.2, 1.0)
"""Shares of the uniform distribution that are tried. With 0 alone, the table plants lost 0.01
to 0.02 nats per row: states that never occur given fewer parents do occur in other rows."""

Strength: TypeAlias = Literal["light", "medium", "strong"]

LEAST: dict[str, tuple[float, float]] = {
    "light": (1.0, 0.0),
    "medium": (8.0, 0.05),
    "strong": (64.0, 0.1),
}
"""The least weight and share by strength. The parents were chosen to fit the same rows, so leaving
out one row at a time prefers too little smoothing, the more the fewer rows there are for the
candidate parents. In benchmarks/results/generalisation.md light is the best for dna (1,600 rows of
180 variables), strong for reuters (1,540 of 910) and medium, by little, for tables with more rows.
"""

DEFAULT_STRENGTH: Strength = "medium"


class Level(NamedTuple):
    """How the probabilities given some parents are drawn towards those given one fewer."""

    weight: float
    """The weight of the prior, in rows."""
    share: float
    """The share of the uniform distribution in the prior; the rest are the probabilities given one
    parent fewer."""


_ORDERING = (Level(8.0, 0.05),)
"""The order of the parents is chosen with this level alone, which is faster. Choosing it with all
levels changed figures by at most 0.002 nats per row, on four tables and a similar grid."""


@dataclass(frozen=True)
class BackOff:
    """How one variable is smoothed."""

    order: tuple[int, ...]
    """The axes of the parents, the most useful first; they are dropped from the end."""
    levels: tuple[Level, ...]
    """One level for no parent, and one for each parent in this order."""

    def table(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probabilities of a family from its counts, a table of the same shape.

        There is one axis per parent, and the states of the variable are along the last axis.
        """
        last = counts.ndim - 1
        given = [counts.transpose((*self.order, last))]
        for axis in range(last - 1, -1, -1):
            given.append(given[-1].sum(axis=axis))
        n_states = counts.shape[-1]
        found = np.full(n_states, 1 / n_states)
        for rows, (weight, share) in zip(reversed(given), self.levels, strict=True):
            fewer = found if rows.ndim == 1 else found[..., np.newaxis, :]
            prior = (1 - share) * fewer + share / n_states
            found = (rows + weight * prior) / (rows.sum(axis=-1, keepdims=True) + weight)
        places = np.argsort((*self.order, last))
        return np.ascontiguousarray(found.transpose(places))


def levels_of(strength: Strength) -> tuple[Level, ...]:
    """Return the levels that are tried."""
    weight, share = LEAST[strength]
    weights = [tried for tried in WEIGHTS if tried >= weight]
    return tuple(Level(*pair) for pair in product(weights, SHARES) if pair[1] >= share)


def choose_back_off(counts: NDArray[np.int64], strength: Strength = DEFAULT_STRENGTH) -> BackOff:
    """Choose the order of the parents and the levels by leave-one-out likelihood.

    Parents are added one by one. Each time the one with the highest likelihood comes next.
    ``strength`` is how much smoothing there is at least.
    """
    tried = levels_of(strength)
    cells = _Cells.of(counts)
    level, _ = cells.best_level(tried)
    cells = cells.smoothed(level)
    order: list[int] = []
    levels = [level]
    rest = list(range(counts.ndim - 1))
    while rest:
        further = [cells.given(axis) for axis in rest]
        likelihoods = [more.best_level(_ORDERING)[1] for more in further]
        place = int(np.argmax(likelihoods))
        order.append(rest.pop(place))
        level, _ = further[place].best_level(tried)
        levels.append(level)
        cells = further[place].smoothed(level)
    return BackOff(tuple(order), tuple(levels))


@dataclass(frozen=True)
class _Cells:
    """The cells of a contingency table that have rows, and some of its parents.

    Every array has one entry per cell. ``fewer`` is the probability of the cell's state given one
    parent fewer, estimated without one of the cell's rows.
    """

    codes: tuple[NDArray[np.intp], ...]
    arities: tuple[int, ...]
    rows: NDArray[np.float64]
    configuration: NDArray[np.intp]
    fewer: NDArray[np.float64]

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> _Cells:
        """Take the cells of a table, given no parents."""
        occupied = np.flatnonzero(counts)
        return cls(
            codes=np.unravel_index(occupied, counts.shape),
            arities=counts.shape,
            rows=counts.ravel()[occupied].astype(np.float64),
            configuration=np.zeros(len(occupied), dtype=np.intp),
            fewer=np.full(len(occupied), 1 / counts.shape[-1]),
        )

    def given(self, axis: int) -> _Cells:
        """Add a parent."""
        finer = self.configuration * self.arities[axis] + self.codes[axis]
        # Numbers of configurations that occur, so that they stay small.
        occurs = np.zeros(int(finer.max(initial=0)) + 1, dtype=np.intp)
        occurs[finer] = 1
        return replace(self, configuration=(occurs.cumsum() - 1)[finer])

    def best_level(self, levels: tuple[Level, ...]) -> tuple[Level, float]:
        """Return the level with the highest leave-one-out likelihood; of equals, the first."""
        same, of_all = self._others()
        likelihoods = [
            float((self.rows * np.log(self._left_out(same, of_all, level))).sum())
            for level in levels
        ]
        best = int(np.argmax(likelihoods))
        return levels[best], likelihoods[best]

    def smoothed(self, level: Level) -> _Cells:
        """Let the probabilities given these parents be those that the next are drawn towards."""
        return replace(self, fewer=self._left_out(*self._others(), level))

    def _others(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Count the other rows with the same state and parents, and with the same parents."""
        state = self.configuration * self.arities[-1] + self.codes[-1]
        same = np.bincount(state, self.rows)[state] - 1
        of_all = np.bincount(self.configuration, self.rows)[self.configuration] - 1
        return same, of_all

    def _left_out(
        self, same: NDArray[Any], of_all: NDArray[Any], level: Level
    ) -> NDArray[np.float64]:
        weight, share = level
        prior = (1 - share) * self.fewer + share / self.arities[-1]
        found: NDArray[np.float64] = (same + weight * prior) / (of_all + weight)
        return found
