"""Contingency tables in NumPy, for the scores that are computed independently of the core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from forebear.data.columns import cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Counts: TypeAlias = "NDArray[np.int64] | NDArray[np.float64]"
"""Counts of rows, which need not be whole."""

_MOST_CELLS = 1 << 16
"""Of a contingency table that is counted as it is, whatever the number of rows; larger ones leave
out what does not occur."""

_ROWS_AT_ONCE = 1 << 16
"""Rows whose cells are found together: they stay in the cache. With ten million rows at once a
family took twice as long, or more where the memory for them was new."""


def contingency(
    columns: Sequence[NDArray[Any]] | NDArray[Any],
    parent_arities: Sequence[int] | NDArray[Any],
    arity: int,
) -> NDArray[Any]:
    """Count the child's states for every configuration of the parents that occurs.

    Parameters
    ----------
    columns
        The codes of the parents, and those of the child last.
    parent_arities
        The number of states of every parent.
    arity
        The number of states of the child.

    Returns
    -------
    numpy.ndarray
        One row per configuration, one column per state.
    """
    *parents, child = columns
    states = [*map(int, parent_arities), arity]
    n_cells = math.prod(states)
    if n_cells <= _MOST_CELLS:
        cells = np.zeros(n_cells, dtype=np.int64)
        for begin in range(0, len(child), _ROWS_AT_ONCE):
            rows = [codes[begin : begin + _ROWS_AT_ONCE] for codes in columns]
            cells += np.bincount(cells_of(rows, states, len(rows[-1])), minlength=n_cells)
    else:
        configuration = np.zeros(len(child), dtype=np.int64)
        n_configurations = 1
        for codes, own in zip(parents, states, strict=False):
            configuration = configuration * own + codes
            n_configurations *= own
            if n_configurations * arity > max(_MOST_CELLS, len(child)):  # number those that occur
                occurring, configuration = np.unique(configuration, return_inverse=True)
                n_configurations = len(occurring)
        places = configuration * arity + child
        cells = np.bincount(places, minlength=n_configurations * arity)
    counts = cells.reshape(-1, arity)
    occurs: NDArray[Any] = counts[counts.any(axis=1)]
    return occurs
