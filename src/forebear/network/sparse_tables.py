"""SparseTables: probabilities of those configurations of parents that occur in a table.

A family of variables with many states has more configurations than memory can hold, but a table
with few rows has few of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import LimitError
from forebear._util.text import counted
from forebear.data.columns import cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.network.network import Network


@dataclass(frozen=True, eq=False)
class SparseTables:
    """A network with the probabilities of the configurations of parents that occur.

    Under any other configuration, all states are equally probable.

    Parameters
    ----------
    network
        The structure.
    arities
        The number of states of every variable.
    configurations
        For every variable, the numbers of the configurations of its parents that occur, ascending.
    tables
        For every variable, one row of probabilities per configuration.
    """

    network: Network
    arities: tuple[int, ...]
    configurations: tuple[NDArray[np.int64], ...]
    tables: tuple[NDArray[np.float64], ...]

    def log_likelihoods(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-likelihood of every row.

        Parameters
        ----------
        codes
            Variables by rows, without missing values.

        Returns
        -------
        numpy.ndarray
            The natural logarithm of the probability of every row.
        """
        total = np.zeros(codes.shape[1])
        for v, family in enumerate(self.network.parents):
            known, table = self.configurations[v], self.tables[v]
            numbers = cells_of(
                [codes[u] for u in family], [self.arities[u] for u in family], codes.shape[1]
            )
            found = np.full(codes.shape[1], 1 / self.arities[v])
            if len(known):
                places = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
                occurs = known[places] == numbers
                found[occurs] = table[places[occurs], codes[v][occurs]]
            total += np.log(found)
        return total


def fit_sparse_tables(network: Network, table: Dataset, ess: float = 1.0) -> SparseTables:
    """Estimate the probabilities of a network by the BDeu prior.

    Parameters
    ----------
    network
        The network, whose variables are the columns of the table, in this order.
    table
        The table. Every family is counted over the rows where it is observed.
    ess
        The equivalent sample size of the prior. Default 1: no probability is 0.

    Returns
    -------
    SparseTables
        The network with the probabilities of the configurations that occur.

    Raises
    ------
    LimitError
        If a family has too many configurations to number them.
    """
    arities = tuple(int(arity) for arity in table.arities)
    fitted = [_fit(network, table, v, arities, ess) for v in range(network.n_variables)]
    configurations, tables = zip(*fitted, strict=True) if fitted else ((), ())
    return SparseTables(network, arities, configurations, tables)


def _fit(
    network: Network, table: Dataset, v: int, arities: Sequence[int], ess: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    family = network.parents[v]
    arity, n_configurations = arities[v], math.prod(arities[u] for u in family)
    if n_configurations * arity > 2**61:  # cells have 64-bit numbers
        raise LimitError(
            f"the probabilities of {network.names[v]}, which has "
            f"{counted(len(family), 'parent')}, are too many to number"
        )
    cells = family_cells(table, (*family, v), [*(arities[u] for u in family), arity])
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
    # A configuration that fewer than half of the copies of a row have may be left without rows.
    occurs = rows[:, 0] > 0
    prior = ess / n_configurations
    means = (counts[occurs] + prior / arity) / (rows[occurs] + prior)
    return numbers[occurs].astype(np.int64), np.ascontiguousarray(means)


def family_cells(table: Dataset, family: Sequence[int], arities: Sequence[int]) -> NDArray[np.intp]:
    """Return the cell of every row where these columns are observed; the last varies fastest."""
    codes = table.codes[list(family)]
    if table.has_missing:
        codes = codes[:, ~table.gaps[list(family)].any(axis=0)]
    return cells_of(list(codes), arities, codes.shape[1])
