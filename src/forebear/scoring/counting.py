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

_FEW_CELLS = 255
_MANY_ROWS = 1 << 20
"""With so few cells and so many rows, rows are counted two by two, in a third of the time."""


def contingency(
    columns: Sequence[NDArray[Any]],
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
    if n_cells <= _FEW_CELLS and len(child) >= _MANY_ROWS:
        cells = _count_pairs(columns, states)[:n_cells]
    elif n_cells <= _MOST_CELLS:
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


def _count_pairs(columns: Sequence[NDArray[Any]], states: Sequence[int]) -> NDArray[np.int64]:
    """Count cells of one byte: those of two rows are one number of two bytes."""
    pairs = np.zeros((256, 256), dtype=np.int64)
    n_rows = len(columns[0])
    for begin in range(0, n_rows, _MANY_ROWS):
        places = np.zeros(min(_MANY_ROWS, n_rows - begin), dtype=np.uint8)
        for codes, own in zip(columns, states, strict=True):
            places *= own
            places += codes[begin : begin + _MANY_ROWS]
        both = places[: len(places) // 2 * 2].view(np.uint16)
        pairs += np.bincount(both, minlength=pairs.size).reshape(pairs.shape)
    counts: NDArray[np.int64] = pairs.sum(axis=0) + pairs.sum(axis=1)
    if n_rows % 2:
        counts[places[-1]] += 1
    return counts
