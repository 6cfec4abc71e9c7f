"""Tables of probabilities from counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from forebear._util.errors import LimitError
from forebear._util.text import counted
from forebear.data.columns import cells_of, find_columns
from forebear.network.fitted import FittedNetwork

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.network.network import Network

    Method: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.float64]]

MOST_CELLS = 2**26
"""The most probabilities of a whole network: 512 MB. No table has the rows to estimate more."""


def fit_table(network: Network, table: Dataset, method: Method) -> FittedNetwork:
    """Estimate the probabilities of a network from counts.

    Parameters
    ----------
    network
        The network.
    table
        The table. Every family is counted over the rows where it is observed.
    method
        Makes probabilities of the counts of a family.

    Returns
    -------
    FittedNetwork
        The network with its probabilities.
    """
    columns = find_columns(table, network.names)
    families = [[columns[u] for u in (*own, v)] for v, own in enumerate(network.parents)]
    shapes = [tuple(int(table.arities[column]) for column in family) for family in families]
    _check_cells(network, shapes)
    counts = (_count(table, *of_one) for of_one in zip(families, shapes, strict=True))
    tables = (method(rows) for rows in counts)
    return FittedNetwork(network, tuple(table.states[column] for column in columns), tuple(tables))


def posterior_means(counts: NDArray[np.int64], ess: float) -> NDArray[np.float64]:
    """Estimate by the BDeu prior; rows of configurations that do not occur are uniform."""
    n_states = counts.shape[-1]
    rows = counts.sum(axis=-1, keepdims=True)
    table = np.full(counts.shape, 1 / n_states)
    prior, of_row = ess / counts.size, ess / rows.size
    np.divide(counts + prior, rows + of_row, out=table, where=rows > 0)
    return table


def _check_cells(network: Network, shapes: Sequence[tuple[int, ...]]) -> None:
    cells = [math.prod(shape) for shape in shapes]
    if sum(cells) > MOST_CELLS:
        largest = cells.index(max(cells))
        size = f"10^{len(str(cells[largest])) - 1}"
        raise LimitError(
            "this network has too many probabilities to hold in memory: "
            f"{network.names[largest]} alone, with "
            f"{counted(len(network.parents[largest]), 'parent')}, has more than {size}. "
            "Use a network with fewer parents, or variables with fewer states"
        )


def _count(data: Dataset, family: Sequence[int], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Count the rows where these columns are observed by their states.

    Expected counts are rounded: smoothing leaves out one row at a time.
    """
    codes = data.codes[list(family)]
    if data.has_missing:
        codes = codes[:, ~data.gaps[list(family)].any(axis=0)]
    cells = cells_of(list(codes), shape, codes.shape[1])
    counts = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
    return counts if data.copies == 1 else np.rint(counts / data.copies).astype(np.int64)
