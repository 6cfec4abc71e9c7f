"""Contingency tables in NumPy, for the scores that are computed independently of the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Counts: TypeAlias = "NDArray[np.int64] | NDArray[np.float64]"
"""Counts of rows, which need not be whole."""

_MOST_CELLS = 1 << 16
"""Of a contingency table that is counted as it is; larger ones leave out what does not occur."""


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
    configuration = np.zeros(len(child), dtype=np.int64)
    n_configurations = 1
    for codes, states in zip(parents, parent_arities, strict=True):
        configuration = configuration * int(states) + codes
        n_configurations *= int(states)
        if n_configurations * arity > _MOST_CELLS:  # number only those that occur
            occurring, configuration = np.unique(configuration, return_inverse=True)
            n_configurations = len(occurring)
    places = configuration * arity + child
    cells = np.bincount(places, minlength=n_configurations * arity)
    counts = cells.reshape(n_configurations, arity)
    occurs: NDArray[Any] = counts[counts.any(axis=1)]
    return occurs
