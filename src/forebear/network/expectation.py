"""The probabilities of a network from a table with missing values, by expectation maximisation.

Every row is completed several times, by draws from the network as it is (expectation). The
probabilities are estimated from the completed rows (maximisation), and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear.budget import Clock
from forebear.network.completion import complete
from forebear.network.sparse_tables import fit_sparse_tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.network.network import Network
    from forebear.network.sparse_tables import SparseTables


class Expectation(NamedTuple):
    """What expectation maximisation found.

    Attributes
    ----------
    fitted
        The network with the probabilities of the configurations of parents that occur.
    completed
        The table, completed by draws from it.
    log_likelihoods
        The log-likelihood of the observed values of every row.
    """

    fitted: SparseTables
    completed: Dataset
    log_likelihoods: NDArray[np.float64]


def copies_for(n_rows: int) -> int:
    """Return how many completed rows stand for each row."""
    # With many rows the draws average out, and many more would take long to score.
    return max(1, min(5, 400_000 // n_rows))


def expect(
    network: Network,
    table: Dataset,
    *,
    seed: int = 0,
    threads: int = 1,
    seconds: float | None = None,
) -> Expectation:
    """Estimate the probabilities of a network from a table with missing values.

    Rounds end when the log-likelihood rises by less than a ten-thousandth, or half of the time
    is over.

    Parameters
    ----------
    network
        The network, whose variables are the columns of the table, in this order.
    table
        The table.
    seed
        Random seed, the same in every round, so that rounds differ by their probabilities alone.
    threads
        Number of threads.
    seconds
        Time limit. Default: none.

    Returns
    -------
    Expectation
        The probabilities, and the table completed by them.

    Raises
    ------
    TimeoutError
        If there was not enough time for one round.
    LimitError
        If a family has too many configurations to number them.
    """
    fitted = fit_sparse_tables(network, table)
    copies = copies_for(table.n_rows)
    clock = Clock(seconds)
    before = -np.inf
    while True:
        completed, logs = complete(
            fitted, table, copies=copies, seed=seed, threads=threads, seconds=clock.share(1.0)
        )
        now = float(np.nansum(logs))
        if now - before < 1e-4 * abs(now) or clock.spent() > clock.left():
            return Expectation(fitted, completed, logs)
        before = now
        fitted = fit_sparse_tables(network, completed)
