"""The regret of the multinomial NML distribution, which fNML and qNML subtract."""

from __future__ import annotations

import math

import numpy as np


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
