"""Rows with missing values under a network: how likely they are, and what the values may be.

The core sums out the missing values of every row, one variable after another, and draws them from
their joint distribution given the observed ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.errors import LimitError
from forebear._util.text import counted
from forebear.data.dataset import Dataset
from forebear.network.sparse_tables import SparseTables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.network.fitted import FittedNetwork


def observed_likelihoods(fitted: FittedNetwork, codes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the log-likelihood of the observed values of every row.

    Parameters
    ----------
    fitted
        The network.
    codes
        Variables by rows. The code after the last state is a missing value, which is summed out.

    Returns
    -------
    numpy.ndarray
        One number per row.

    Raises
    ------
    LimitError
        If summing out the missing values of a row takes too much memory.
    """
    found, _ = _complete(fitted, codes, copies=0, seed=0, threads=1, seconds=None)
    too_large = int(np.isnan(found).sum())
    if too_large:
        raise LimitError(
            f"the likelihood of {counted(too_large, 'row')} with missing values cannot be "
            "computed, since too many values that depend on each other are missing: leave out "
            "rows with many gaps, or use a network with fewer parents"
        )
    return found


def complete(
    fitted: FittedNetwork | SparseTables,
    table: Dataset,
    *,
    copies: int,
    seed: int,
    threads: int = 1,
    seconds: float | None = None,
) -> tuple[Dataset, NDArray[np.float64]]:
    """Draw the missing values of a table from a network, several times.

    Parameters
    ----------
    fitted
        The network, whose variables are the columns of the table, in this order.
    table
        The table with missing values.
    copies
        How many completed rows stand for each row.
    seed
        Random seed; every row has random numbers of its own.
    threads
        Number of threads.
    seconds
        Time limit. Default: none.

    Returns
    -------
    tuple
        The completed table, and the log-likelihood of the observed values of every row of the
        given one: NaN where that would take too much memory.

    Raises
    ------
    TimeoutError
        If there was not enough time.
    """
    logs, drawn = _complete(
        fitted, table.codes, copies=copies, seed=seed, threads=threads, seconds=seconds
    )
    codes = drawn.reshape(-1, table.n_variables).T
    return Dataset(codes, table.names, table.states, copies=copies), logs


def _complete(
    fitted: FittedNetwork | SparseTables,
    codes: NDArray[Any],
    *,
    copies: int,
    seed: int,
    threads: int,
    seconds: float | None,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    n = len(codes)
    configurations: list[NDArray[np.int64] | None]
    if isinstance(fitted, SparseTables):
        arities, configurations = list(fitted.arities), [*fitted.configurations]
    else:
        arities, configurations = [len(states) for states in fitted.states], [None] * n
    rows = np.ascontiguousarray(codes.T, dtype=np.int32)
    logs = np.empty(len(rows))
    drawn = np.empty((len(rows), copies, n), dtype=np.int32)
    done = _core.complete(
        rows,
        arities,
        [list(family) for family in fitted.network.parents],
        [table.ravel() for table in fitted.tables],
        configurations,
        copies,
        seed,
        threads,
        _core.Budget(seconds),
        logs,
        drawn,
    )
    if done < len(rows):
        raise TimeoutError
    return logs, drawn
