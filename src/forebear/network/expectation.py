"""The probabilities of a network from a table with missing values, by expectation maximisation.

Every row is completed several times, by draws from the network as it is (expectation). The
probabilities are estimated from the completed rows (maximisation), and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear.budget import Clock
from forebear.network.completion import complete
from forebear.network.occurring import fit_occurring

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.network.network import Network
    from forebear.network.occurring import OccurringTables

MOST_COPIES, MOST_ROWS = 5, 400_000
"""Completed rows per row, fewer where the completed table would have more rows than this: with many
rows the draws average out, and the table would take long to score."""

_ROUNDS = 10
"""Rounds of expectation maximisation, at most. Judgement."""

_ENOUGH = 1e-4
"""Rounds end when the log-likelihood rises by less than this share."""

_ESS = 1.0
"""A prior of one row, so that no probability is 0: what was not seen can be drawn."""


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

    fitted: OccurringTables
    completed: Dataset
    log_likelihoods: NDArray[np.float64]


def copies_for(n_rows: int) -> int:
    """Return how many completed rows stand for each row."""
    return max(1, min(MOST_COPIES, MOST_ROWS // n_rows))


def expect(
    network: Network,
    table: Dataset,
    *,
    seed: int = 0,
    threads: int = 1,
    seconds: float | None = None,
    rounds: int = _ROUNDS,
) -> Expectation:
    """Estimate the probabilities of a network from a table with missing values.

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
    rounds
        The largest number of rounds.

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
    fitted = fit_occurring(network, table, _ESS)
    copies = copies_for(table.n_rows)
    clock = Clock(seconds)
    before = -np.inf
    for left in range(rounds, 0, -1):
        completed, logs = complete(
            fitted, table, copies=copies, seed=seed, threads=threads, seconds=clock.share(1.0)
        )
        now = float(np.nansum(logs))
        if left == 1 or now - before < _ENOUGH * abs(now) or clock.spent() > clock.left():
            break
        before = now
        fitted = fit_occurring(network, completed, _ESS)
    return Expectation(fitted, completed, logs)
