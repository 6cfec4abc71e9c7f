"""log-gamma and x log x of arrays, without SciPy: importing it would take longer than scoring."""

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
