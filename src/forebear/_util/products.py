"""Products of matrices that the calling thread computes alone.

NumPy's ``@`` calls a library for linear algebra, which may use every core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def sum_rows(matrix: NDArray[Any], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted sums of the rows: ``matrix @ weights``."""
    return np.asarray(np.einsum("ij,j->i", matrix, weights))
