"""Functions that scores need: log-gamma, x log x, and the regret of the multinomial distribution.

They do without SciPy: importing it would take longer than scoring.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def log_gamma(values: ArrayLike) -> NDArray[np.float64]:
    """Return the logarithm of the gamma function of positive numbers.

    Each number is computed once: most cells of a contingency table have one of few counts.
    """
    distinct, places = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    found = np.fromiter(map(math.lgamma, distinct.tolist()), np.float64, len(distinct))
    return found[places].reshape(np.shape(values))


def x_log_x(values: ArrayLike) -> NDArray[np.float64]:
    """Return x log x of numbers that are not negative; it is 0 at 0."""
    x = np.asarray(values, dtype=np.float64)
    return x * np.log(np.where(x > 0.0, x, 1.0))


def log_regret(states: float, rows: float) -> float:
    """Log of the normaliser of the multinomial NML distribution, exact by recurrence.

    Between whole numbers of rows, that of two states is interpolated.
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
    """The same for two states: a sum that falls like exp(-k^2 / 2n)."""
    k = np.arange(min(rows, int(12 * math.sqrt(rows)) + 12))
    return math.log(1.0 + float(np.exp(np.cumsum(np.log1p(-k / max(rows, 1)))).sum()))
