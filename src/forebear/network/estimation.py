"""Estimation of the probabilities of a network from a table."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from forebear._util.checks import check_choice, check_real
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear._util.text import counted
from forebear.data.columns import cells_of, find_columns
from forebear.data.dataset import as_dataset
from forebear.network.fitted import FittedNetwork
from forebear.network.smoothing import DEFAULT_STRENGTH, LEAST, choose_back_off

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.data.reading import ReadOptions
    from forebear.network.network import Network
    from forebear.network.smoothing import Strength

MOST_CELLS = 2**26
"""The most probabilities of a whole network: 512 MB. No table has the rows to estimate more."""


Smoothing: TypeAlias = Literal["light", "medium", "strong", "ess"]

_CHOICES = ("auto", *LEAST, "ess")


def check_smoothing(smoothing: str) -> None:
    """Refuse an unknown kind of smoothing."""
    check_choice(_CHOICES, smoothing=smoothing)


def estimate(
    network: Network,
    data: Any,
    *,
    smoothing: Smoothing | Literal["auto"] = "auto",
    ess: float | None = None,
    read: ReadOptions | None = None,
) -> FittedNetwork:
    """Estimate the probabilities of a network; see ``fit_network``."""
    method = _method_of(smoothing, ess)
    table = as_dataset(data, read)
    columns = find_columns(table, network.names)
    families = [[columns[u] for u in (*own, v)] for v, own in enumerate(network.parents)]
    shapes = [tuple(int(table.arities[column]) for column in family) for family in families]
    _check_cells(network, shapes)
    counts = (_count(table, *of_one) for of_one in zip(families, shapes, strict=True))
    tables = (method(rows) for rows in counts)
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


def _method_of(
    smoothing: str, ess: float | None
) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """Return the function that makes probabilities of counts."""
    check_smoothing(smoothing)
    if smoothing == "auto":
        smoothing = DEFAULT_STRENGTH if ess is None else "ess"
    if smoothing in LEAST:
        if ess is not None:
            raise ForebearError(
                Parameter("ess"), " is for ", Parameter("smoothing", "ess"), ": leave one out"
            )
        strength = cast("Strength", smoothing)
        return lambda counts: choose_back_off(counts, strength).table(counts)
    weight = 1.0 if ess is None else ess
    check_real(0, ess=weight)
    if math.isinf(weight):
        raise ForebearError(Parameter("ess"), f" must be finite, got {weight}")
    return partial(_posterior_means, ess=weight)


def _count(data: Dataset, family: Sequence[int], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Count the rows by the states of these columns."""
    cells = cells_of([data.codes[column] for column in family], shape, data.n_rows)
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape)


def _posterior_means(counts: NDArray[np.int64], ess: float) -> NDArray[np.float64]:
    """Estimate by the BDeu prior; rows of configurations that do not occur are uniform."""
    n_states = counts.shape[-1]
    rows = counts.sum(axis=-1, keepdims=True)
    table = np.full(counts.shape, 1 / n_states)
    prior, of_row = ess / counts.size, ess / rows.size
    np.divide(counts + prior, rows + of_row, out=table, where=rows > 0)
    return table
