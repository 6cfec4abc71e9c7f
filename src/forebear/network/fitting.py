"""fit_network: the probabilities of a network, estimated from a table."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from forebear._util.checks import check_choice, check_real, known_parameters
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear._util.text import counted
from forebear.data.columns import find_columns
from forebear.data.dataset import as_dataset
from forebear.network.expectation import expect, family_cells
from forebear.network.fitted import FittedNetwork
from forebear.network.network import NetworkLike, as_network
from forebear.network.smoothing import DEFAULT_STRENGTH, LEAST, choose_back_off

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.data.read_options import ReadOptions
    from forebear.network.network import Network
    from forebear.network.smoothing import Strength

    Method = Callable[[NDArray[np.int64]], NDArray[np.float64]]

Smoothing: TypeAlias = Literal["light", "medium", "strong", "ess"]

MOST_CELLS = 2**26
"""The most probabilities of a whole network: 512 MB. No table has the rows to estimate more."""


@known_parameters
def fit_network(
    network: NetworkLike,
    data: Any,
    *,
    smoothing: Smoothing | Literal["auto"] = "auto",
    ess: float | None = None,
    read: ReadOptions | None = None,
) -> FittedNetwork:
    """Estimate the probabilities of a network from data.

    With few rows per parent configuration, relative frequencies predict new rows badly. By
    default they are drawn towards the probabilities given fewer parents (back-off smoothing).
    How much is chosen for every variable by leave-one-out likelihood.

    Where values are missing, a family is counted over the rows where it is observed, or with
    ``missing="em"`` over rows completed by expectation maximisation.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result.
    data
        A path, a data frame, an array or a Dataset. Columns are matched with
        the variables by name, in any order; other columns are ignored. The
        states are those of the table.
    smoothing
        "light", "medium" or "strong" back-off smoothing: how much there is at
        least. "ess": posterior means under the BDeu prior; a configuration of
        the parents that does not occur has the uniform distribution. Default
        "auto": "ess" if ``ess`` is given, otherwise what the validation of a
        Result found best, or "medium".
    ess
        Equivalent sample size of the BDeu prior. 0 gives the relative
        frequencies (maximum likelihood), under which states that do not occur
        have probability 0. Default: 1 with ``smoothing="ess"``.
    read
        How to read the data. Default None: missing values and continuous
        columns are refused.

    Returns
    -------
    FittedNetwork
        The network with its probabilities.

    Raises
    ------
    DataError
        If the data lacks a variable of the network, or cannot be read.
    LimitError
        If there are too many probabilities to hold in memory.

    Examples
    --------
    >>> import polars as pl
    >>> from forebear import Network, fit_network
    >>> data = pl.DataFrame({"rain": ["no", "yes", "no", "no"], "wet": ["no", "yes", "no", "yes"]})
    >>> network = Network.from_arcs(["rain", "wet"], [("rain", "wet")])
    >>> fit_network(network, data, ess=0).tables[0].tolist()
    [0.75, 0.25]
    """
    structure = as_network(network)
    if smoothing == "auto" and ess is None:
        smoothing = getattr(network, "smoothing", None) or "auto"
    method = _method_of(smoothing, ess)
    table = as_dataset(data, read)
    if table.has_missing and table.missing == "em":
        table = expect(structure, table.select(find_columns(table, structure.names))).completed
    return fit_table(structure, table, method)


def check_smoothing(smoothing: str) -> None:
    """Refuse an unknown kind of smoothing."""
    check_choice(("auto", *LEAST, "ess"), smoothing=smoothing)


def _method_of(smoothing: str, ess: float | None) -> Method:
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
    return partial(posterior_means, ess=weight)


def fit_table(network: Network, table: Dataset, method: Method) -> FittedNetwork:
    """Estimate the probabilities of a network; ``method`` makes them of the counts of a family.

    Every family is counted over the rows where it is observed.
    """
    columns = find_columns(table, network.names)
    families = [[columns[u] for u in (*own, v)] for v, own in enumerate(network.parents)]
    shapes = [tuple(int(table.arities[column]) for column in family) for family in families]
    _check_cells(network, shapes)
    tables = (
        method(_count(table, family, shape)) for family, shape in zip(families, shapes, strict=True)
    )
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


def _count(table: Dataset, family: Sequence[int], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Count the rows where these columns are observed by their states.

    Expected counts are rounded: smoothing leaves out one row at a time.
    """
    cells = family_cells(table, family, shape)
    counts = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
    return counts if table.copies == 1 else np.rint(counts / table.copies).astype(np.int64)
