"""Contingency tables in NumPy, and the functions of counts that scores need.

Scores can thus be computed independently of the core. SciPy has some of these functions, but
importing it would take longer than scoring.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forebear.data.columns import BLOCK_SIZE, count_cells

Counts: TypeAlias = "NDArray[np.int64] | NDArray[np.float64]"
"""Counts of rows. They need not be integers."""


def contingency(
    columns: Sequence[NDArray[Any]] | NDArray[Any],
    parent_arities: Sequence[int] | NDArray[Any],
    arity: int,
    weights: NDArray[np.int64] | None = None,
) -> NDArray[Any]:
    """Count the child's states for every configuration of the parents that occurs.

    If there are more cells than rows, configurations that do not occur are not counted.

    Parameters
    ----------
    columns
        The codes of the parents, and those of the child last.
    parent_arities
        The number of states of every parent.
    arity
        The number of states of the child.
    weights
        How often each row counts. Default: once.

    Returns
    -------
    numpy.ndarray
        One row per configuration, one column per state.
    """
    columns = list(columns)
    *parents, child = columns
    states = [*map(int, parent_arities), arity]
    most = max(BLOCK_SIZE, len(child))
    if math.prod(states) > most:
        configuration = np.zeros(len(child), dtype=np.int64)
        n_configurations = 1
        for codes, own in zip(parents, states, strict=False):
            configuration = configuration * own + codes
            n_configurations *= own
            if n_configurations * arity > most:  # renumber the configurations that occur
                occurring, configuration = np.unique(configuration, return_inverse=True)
                n_configurations = len(occurring)
        columns, states = [configuration, child], [n_configurations, arity]
    cells = count_cells(columns, states, weights)
    counts = cells.reshape(-1, arity)
    occurs: NDArray[Any] = counts[counts.any(axis=1)]
    return occurs


def log_gamma(values: ArrayLike) -> NDArray[np.float64]:
    """Return the logarithm of the gamma function of positive numbers.

    Each distinct number is computed once, because contingency tables have few distinct counts.
    """
    distinct, places = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    logarithms = np.fromiter(map(math.lgamma, distinct.tolist()), np.float64, len(distinct))
    return logarithms[places].reshape(np.shape(values))


def x_log_x(values: ArrayLike) -> NDArray[np.float64]:
    """Return x log x of non-negative numbers; 0 for x = 0."""
    x = np.asarray(values, dtype=np.float64)
    return x * np.log(np.where(x > 0.0, x, 1.0))


def log_regret(states: float, rows: float) -> float:
    """Return the log of the normalizer of the multinomial NML distribution, by its recurrence.

    For fractional numbers of rows, the value for two states is interpolated.
    """
    if rows == 0 or states == 1:
        return 0.0
    below = math.floor(rows)
    total = _log_pair_regret(below)
    if rows > below:
        total += (rows - below) * (_log_pair_regret(below + 1) - total)
    ratio = math.exp(total)
    for r in range(2, int(states)):
        ratio = 1.0 + rows / ((r - 1) * ratio)
        total += math.log(ratio)
    return total


def _log_pair_regret(rows: int) -> float:
    """Return the log regret for two states: a sum whose terms fall like exp(-k^2 / 2n)."""
    k = np.arange(min(rows, int(12 * math.sqrt(rows)) + 12))
    return math.log(1.0 + float(np.exp(np.cumsum(np.log1p(-k / max(rows, 1)))).sum()))
