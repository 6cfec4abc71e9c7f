"""Likelihood and completion of rows with missing values, and expectation maximization.

The core sums out the missing values of every row, one variable after another, and draws them from
their joint distribution given the observed ones. ``expect`` estimates the probabilities of a
network by expectation maximization: every row is completed several times by draws from the current
network (expectation), the probabilities are estimated from the completed rows (maximization), and
both steps are repeated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.errors import LimitError
from forebear._util.text import counted
from forebear.budget import Clock
from forebear.data.columns import cells_of, counted_columns
from forebear.data.dataset import Dataset
from forebear.network.network import Network

if TYPE_CHECKING:
    from forebear.network.fitted_network import FittedNetwork


@dataclass(frozen=True, eq=False)
class SparseTables:
    """A network with the probabilities of the configurations of parents that occur in a table.

    Under any other configuration, all states are equally probable. A family of variables with many
    states has more configurations than memory can hold, but a table with few rows has few of them.
    """

    network: Network
    arities: tuple[int, ...]
    configurations: tuple[NDArray[np.int64], ...]
    """For every variable, the numbers of the configurations that occur, ascending."""
    tables: tuple[NDArray[np.float64], ...]
    """For every variable, one row of probabilities per configuration."""


def fit_sparse_tables(network: Network, table: Dataset) -> SparseTables:
    """Estimate the probabilities of a network under the BDeu prior with the weight of one row.

    The columns of the table are the variables of the network, in this order. Every family is
    counted over the rows where it is observed.
    """
    arities = tuple(int(arity) for arity in table.arities)
    fitted = [_fit_family(network, table, v, arities) for v in range(network.n_variables)]
    configurations, tables = zip(*fitted, strict=True) if fitted else ((), ())
    return SparseTables(network, arities, configurations, tables)


def _fit_family(
    network: Network, table: Dataset, v: int, arities: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    family = network.parents[v]
    arity, n_configurations = arities[v], math.prod(arities[u] for u in family)
    if n_configurations * arity > 2**61:  # cells have 64-bit numbers
        raise LimitError(
            f"{network.names[v]} has too many probabilities, because it has "
            f"{counted(len(family), 'parent')}"
        )
    columns, _ = counted_columns(table, (*family, v))
    cells = cells_of(columns, [*(arities[u] for u in family), arity], len(columns[-1]))
    if n_configurations * arity <= len(cells):
        whole = np.bincount(cells, minlength=n_configurations * arity).reshape(-1, arity)
        numbers = np.flatnonzero(whole.any(axis=1))
        counts = whole[numbers]
    else:  # sorting the rows takes less memory
        numbers, places = np.unique(cells // arity, return_inverse=True)
        counts = np.bincount(places * arity + cells % arity, minlength=len(numbers) * arity)
        counts = counts.reshape(-1, arity)
    counts = np.rint(counts / table.copies)
    rows = counts.sum(axis=1, keepdims=True)
    # A configuration may lose all rows if fewer than half of the copies of a row have it.
    occurs = rows[:, 0] > 0
    prior = 1 / n_configurations
    means = (counts[occurs] + prior / arity) / (rows[occurs] + prior)
    return numbers[occurs].astype(np.int64), np.ascontiguousarray(means)


def observed_likelihoods(
    fitted: FittedNetwork | SparseTables, codes: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the log-likelihood of the observed values of every row.

    ``codes`` are variables by rows. The code after the last state is a missing value.
    """
    logs, _ = _complete(fitted, codes)
    too_large = int(np.isnan(logs).sum())
    if too_large:
        raise LimitError(
            f"the likelihood of {counted(too_large, 'row')} with missing values cannot be "
            "computed, because too many values that depend on each other are missing: drop rows "
            "with many missing values, or use a network with fewer parents"
        )
    return logs


def complete(
    fitted: FittedNetwork | SparseTables,
    table: Dataset,
    *,
    copies: int,
    seed: int,
    threads: int = 1,
    seconds: float | None = None,
) -> tuple[Dataset, NDArray[np.float64]]:
    """Draw the missing values of a table from a network, once per copy.

    Return the completed table, and the log-likelihood of the observed values of every given row:
    NaN if it would take too much memory. A ``TimeoutError`` is raised if the time is not enough.
    Every row has its own random numbers.
    """
    logs, drawn = _complete(fitted, table.codes, copies, seed, threads, seconds)
    codes = drawn.reshape(-1, table.n_variables).T
    return Dataset(codes, table.names, table.states, copies=copies), logs


def _complete(
    fitted: FittedNetwork | SparseTables,
    codes: NDArray[Any],
    copies: int = 0,
    seed: int = 0,
    threads: int = 1,
    seconds: float | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    configurations: list[NDArray[np.int64] | None]
    if isinstance(fitted, SparseTables):
        arities, configurations = list(fitted.arities), [*fitted.configurations]
    else:
        arities, configurations = [len(states) for states in fitted.states], [None] * len(codes)
    rows = np.ascontiguousarray(codes.T, dtype=np.int32)
    logs = np.empty(len(rows))
    drawn = np.empty((len(rows), copies, len(codes)), dtype=np.int32)
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


class Expectation(NamedTuple):
    """The result of expectation maximization."""

    fitted: SparseTables
    completed: Dataset
    """The table, completed by draws from the network."""
    log_likelihoods: NDArray[np.float64]
    """The log-likelihoods of the observed values of every row."""


def copies_for(n_rows: int) -> int:
    """Return the number of completed copies of each row."""
    # With many rows, the draws average out and more copies would take long to score.
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

    The columns of the table are the variables of the network, in this order. A row with a weight is
    completed that many times. The last round is that in which the log-likelihood rises by less than
    a ten-thousandth, or half of the time is over. All rounds have the same seed, so that they
    differ only in their probabilities. A ``TimeoutError`` is raised if the time is not enough for
    one round.
    """
    table = table.expanded()
    fitted = fit_sparse_tables(network, table)
    copies = copies_for(table.n_rows)
    clock = Clock(seconds)
    before = -np.inf
    while True:
        completed, logs = complete(
            fitted, table, copies=copies, seed=seed, threads=threads, seconds=clock.share(1.0)
        )
        now = float(np.nansum(logs))
        if now - before <= 1e-4 * abs(now) or clock.spent() > clock.left():
            return Expectation(fitted, completed, logs)
        before = now
        fitted = fit_sparse_tables(network, completed)
