"""From a Network and a table to a FittedNetwork: the probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import ForebearError, LimitError
from forebear.data.columns import cells_of, find_columns
from forebear.network.fitted import FittedNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.network.network import Network

MOST_CELLS = 2**26
"""The probabilities of a whole network: 512 MB. No table has the rows to estimate more."""


def fit_network(network: Network, data: Dataset, *, ess: float = 1.0) -> FittedNetwork:
    """Estimate the probabilities of a network from a table.

    They are the posterior means under the prior of BDeu with that equivalent
    sample size. ``ess=0`` gives the frequencies: the maximum of the likelihood,
    which rules out whatever the table does not show. Parent configurations that
    do not occur are uniform either way.

    Columns are matched by name, in any order, and others may be there. The
    states are those that the table declares.
    """
    if not 0.0 <= ess < math.inf:
        raise ForebearError(f"ess must be 0 or more, got {ess:g}")
    columns = find_columns(data, network.names)
    families = [[columns[u] for u in (*own, v)] for v, own in enumerate(network.parents)]
    shapes = [tuple(int(data.arities[column]) for column in family) for family in families]
    _check_cells(network, shapes)
    tables = (_fit(data, *of_one, ess) for of_one in zip(families, shapes, strict=True))
    return FittedNetwork(network, tuple(data.states[column] for column in columns), tuple(tables))


def _check_cells(network: Network, shapes: Sequence[tuple[int, ...]]) -> None:
    cells = [math.prod(shape) for shape in shapes]
    if sum(cells) > MOST_CELLS:
        largest = cells.index(max(cells))
        size = f"10^{len(str(cells[largest])) - 1}"
        raise LimitError(
            f"the probabilities of this network are too many to hold: {network.names[largest]} "
            f"alone, with {len(network.parents[largest]):,} parents, has more than {size}. "
            "Take a network with fewer parents, or variables with fewer states"
        )


def _fit(
    data: Dataset, family: Sequence[int], shape: tuple[int, ...], ess: float
) -> NDArray[np.float64]:
    """Estimate the table of the last of these columns, given the others."""
    cells = cells_of([data.codes[column] for column in family], shape, data.n_rows)
    counts = np.bincount(cells, minlength=math.prod(shape)).reshape(-1, shape[-1])
    rows = counts.sum(axis=1, keepdims=True)
    table = np.full(counts.shape, 1 / shape[-1])
    np.divide(counts + ess / counts.size, rows + ess / len(counts), out=table, where=rows > 0)
    return table.reshape(shape)
