"""Estimation of the probabilities of a network from a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.checks import check_real
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear._util.text import counted
from forebear.data.columns import cells_of, find_columns
from forebear.data.dataset import as_dataset
from forebear.network.fitted import FittedNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.data.reading import ReadOptions
    from forebear.network.network import Network

MOST_CELLS = 2**26
"""The most probabilities of a whole network: 512 MB. No table has the rows to estimate more."""


def estimate(network: Network, data: Any, *, ess: float, read: ReadOptions | None) -> FittedNetwork:
    """Estimate the probabilities of a network; see ``fit_network``."""
    check_real(0, ess=ess)
    if math.isinf(ess):
        raise ForebearError(Parameter("ess"), f" must be finite, got {ess}")
    table = as_dataset(data, read)
    columns = find_columns(table, network.names)
    families = [[columns[u] for u in (*own, v)] for v, own in enumerate(network.parents)]
    shapes = [tuple(int(table.arities[column]) for column in family) for family in families]
    _check_cells(network, shapes)
    tables = (_estimate_one(table, *of_one, ess) for of_one in zip(families, shapes, strict=True))
    return FittedNetwork(network, tuple(table.states[column] for column in columns), tuple(tables))


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


def _estimate_one(
    data: Dataset, family: Sequence[int], shape: tuple[int, ...], ess: float
) -> NDArray[np.float64]:
    """Estimate the table of the last of these columns, given the others."""
    cells = cells_of([data.codes[column] for column in family], shape, data.n_rows)
    counts = np.bincount(cells, minlength=math.prod(shape)).reshape(-1, shape[-1])
    rows = counts.sum(axis=1, keepdims=True)
    table = np.full(counts.shape, 1 / shape[-1])
    np.divide(counts + ess / counts.size, rows + ess / len(counts), out=table, where=rows > 0)
    return table.reshape(shape)
