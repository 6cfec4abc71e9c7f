"""fit_network(): estimate the probabilities of a network from a table.

Back-off smoothing shrinks the probabilities of a variable given all its parents toward those given
all but its least useful parent. These are shrunk toward those given one parent fewer, and so on
down to the uniform distribution (interpolation as in language models: Jelinek and Mercer, 1980;
MacKay and Peto, 1995). The amount of shrinkage maximizes the leave-one-out likelihood, which has a
closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_choice, check_parameter_names, check_real
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear._util.text import counted
from forebear.data.coding import Unseen
from forebear.data.columns import count_cells, counted_columns, find_columns
from forebear.data.dataset import Dataset
from forebear.data.matching import table_as
from forebear.data.packed_table import merged_rows
from forebear.data.read_options import ReadOptions
from forebear.network.expectation_maximization import expect
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network, NetworkLike, as_network

Method = Callable[[NDArray[Any]], NDArray[np.float64]]

Smoothing: TypeAlias = Literal["light", "medium", "strong", "ess"]

MOST_CELLS = 2**26
"""The most probabilities of a network: 512 MB. No table has enough rows to estimate more."""


WEIGHTS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""The weights that are compared, in rows."""

SHARES = (0.0, 0.05, 0.1, 0.2, 1.0)
"""The shares of the uniform distribution that are compared. With 0 alone, the table plants lost
0.01 to 0.02 nats per row, because states that never occur given fewer parents occur in new rows."""

Strength: TypeAlias = Literal["light", "medium", "strong"]

LEAST: dict[str, tuple[float, float]] = {
    "light": (1.0, 0.0),
    "medium": (8.0, 0.05),
    "strong": (64.0, 0.1),
}
"""The least weight and share of every strength. The parents were chosen to fit the same rows, so
the leave-one-out likelihood prefers too little smoothing, especially with few rows and many
candidate parents. In benchmarks/results/generalisation.md, "light" is best for dna (1,600 rows, 180
variables), "strong" for reuters (1,540 rows, 910 variables), and "medium", by a small margin, for
tables with more rows."""

DEFAULT_STRENGTH: Strength = "medium"


@check_parameter_names
def fit_network(
    network: NetworkLike,
    data: Any,
    *,
    smoothing: Smoothing | Literal["auto"] = "auto",
    ess: float | None = None,
    read: ReadOptions | None = None,
    unseen: Unseen = "error",
) -> FittedNetwork:
    """Estimate the probabilities of a network from data.

    With few rows per parent configuration, relative frequencies predict new rows badly. By default,
    they are shrunk toward the probabilities given fewer parents (back-off smoothing). The amount
    of shrinkage is chosen for every variable by leave-one-out likelihood.

    If values are missing, a family is counted over the rows in which it is observed, or, with
    ``missing="em"``, over rows completed by expectation maximization. If variables were set by
    intervention (``ReadOptions(intervened=...)``), a family is counted over the rows in which its
    child was not set.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result.
    data
        A path, a data frame, an array or a Dataset. Columns are matched with
        the variables by name, in any order; other columns are ignored. The
        states are those of the table.
    smoothing
        "light", "medium" or "strong": back-off smoothing with at least this
        strength. "ess": posterior means under the BDeu prior; parent
        configurations that do not occur have a uniform distribution. Default
        "auto": "ess" if ``ess`` is given, otherwise the strength that the
        validation of a Result found best, or "medium".
    ess
        Equivalent sample size of the BDeu prior. 0 gives the relative
        frequencies (maximum likelihood), so states that do not occur have
        probability 0. Default: 1 with ``smoothing="ess"``.
    read
        How to read the data. Default None: with the options, the cuts and the states of the table
        that the network was learned from, if it was learned from a raw table.
    unseen
        What is done with states that table did not have: "error" (default), or "missing" to treat
        them as missing.

    Returns
    -------
    FittedNetwork
        The network with its probabilities.

    Raises
    ------
    DataError
        If a variable of the network is not in the data, or if the data cannot be read.
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
    experiments = structure.row_sets is not None
    table = table_as(data, structure.coding, read, unseen, experiments=experiments)
    if table.has_missing and table.missing == "em":
        columns = find_columns(table.names, structure.names)
        table = expect(structure, table.select(columns)).completed
    return fit_table(structure, merged_rows(table), method)


def check_smoothing(smoothing: str) -> None:
    """Reject an unknown kind of smoothing."""
    check_choice(("auto", *LEAST, "ess"), smoothing=smoothing)


def _method_of(smoothing: str, ess: float | None) -> Method:
    """Return the function that computes probabilities from counts."""
    check_smoothing(smoothing)
    if smoothing == "auto":
        smoothing = DEFAULT_STRENGTH if ess is None else "ess"
    if smoothing in LEAST:
        if ess is not None:
            raise ForebearError(Parameter("ess"), " requires ", Parameter("smoothing", "ess"))
        return partial(_back_off, strength=cast("Strength", smoothing))
    weight = 1.0 if ess is None else ess
    check_real(0, ess=weight)
    if math.isinf(weight):
        raise ForebearError(Parameter("ess"), f" must be finite, got {weight}")
    return partial(posterior_means, ess=weight)


def _back_off(counts: NDArray[Any], strength: Strength) -> NDArray[np.float64]:
    """Estimate by back-off; expected counts are rounded, because one row at a time is left out."""
    whole = np.rint(counts).astype(np.int64)
    return choose_back_off(whole, strength).table(whole)


def fit_table(network: Network, table: Dataset, method: Method) -> FittedNetwork:
    """Estimate the probabilities of a network; ``method`` computes those of a family from counts.

    Every family is counted over the rows where it is observed.
    """
    columns = find_columns(table.names, network.names)
    families = [[columns[u] for u in (*own, v)] for v, own in enumerate(network.parents)]
    shapes = [tuple(int(table.arities[column]) for column in family) for family in families]
    _check_cells(network, shapes)
    tables = (
        method(_count(table, family, shape)) for family, shape in zip(families, shapes, strict=True)
    )
    states = tuple(table.states[column] for column in columns)
    if table.coding not in (None, network.coding):
        network = replace(network, coding=table.coding)
    return FittedNetwork(network, states, tuple(tables))


def posterior_means(counts: NDArray[Any], ess: float) -> NDArray[np.float64]:
    """Return posterior means under the BDeu prior; uniform for configurations that do not occur."""
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
            f"this network has too many probabilities: {network.names[largest]} alone, with "
            f"{counted(len(network.parents[largest]), 'parent')}, has more than {size}; use a "
            "network with fewer parents, or variables with fewer states"
        )


def _count(table: Dataset, family: Sequence[int], shape: tuple[int, ...]) -> NDArray[Any]:
    """Count the rows where these columns are observed and the last was not set, by states."""
    columns, weights = counted_columns(table, family)
    counts = count_cells(columns, shape, weights).reshape(shape)
    return counts if table.copies == 1 else counts / table.copies


class Level(NamedTuple):
    """How the probabilities given some parents are shrunk toward those given one parent fewer."""

    weight: float
    """The weight of the prior, in rows."""
    share: float
    """The share of the uniform distribution in the prior; the rest are the probabilities given one
    parent fewer."""


_ORDER_LEVELS = (Level(8.0, 0.05),)
"""The level with which the order of the parents is chosen. Choosing it with all levels is slower,
and changed the results on four tables by at most 0.002 nats per row."""


@dataclass(frozen=True)
class BackOff:
    """The smoothing of one variable."""

    order: tuple[int, ...]
    """The axes of the parents, the most useful first; they are dropped from the end."""
    levels: tuple[Level, ...]
    """One level for no parent, and one for each parent in this order."""

    def table(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probabilities of a family from its counts, a table of the same shape.

        There is one axis per parent, and the states of the variable are along the last axis.
        """
        last = counts.ndim - 1
        given = [counts.transpose((*self.order, last))]
        for axis in range(last - 1, -1, -1):
            given.append(given[-1].sum(axis=axis))
        n_states = counts.shape[-1]
        table = np.full(n_states, 1 / n_states)
        for rows, (weight, share) in zip(reversed(given), self.levels, strict=True):
            fewer = table if rows.ndim == 1 else table[..., np.newaxis, :]
            prior = (1 - share) * fewer + share / n_states
            table = (rows + weight * prior) / (rows.sum(axis=-1, keepdims=True) + weight)
        axes = np.argsort((*self.order, last))
        return np.ascontiguousarray(table.transpose(axes))


def levels_of(strength: Strength) -> tuple[Level, ...]:
    """Return the levels to compare."""
    least_weight, least_share = LEAST[strength]
    return tuple(
        Level(weight, share)
        for weight, share in product(WEIGHTS, SHARES)
        if weight >= least_weight and share >= least_share
    )


def choose_back_off(counts: NDArray[np.int64], strength: Strength = DEFAULT_STRENGTH) -> BackOff:
    """Choose the order of the parents and the levels by leave-one-out likelihood.

    Parents are added one by one: always the one that gives the highest likelihood. ``strength`` is
    the minimum strength of the smoothing.
    """
    all_levels = levels_of(strength)
    cells = _Cells.of(counts)
    level, _ = cells.best_level(all_levels)
    cells = cells.smoothed(level)
    order: list[int] = []
    levels = [level]
    rest = list(range(counts.ndim - 1))
    while rest:
        further = [cells.given(axis) for axis in rest]
        likelihoods = [more.best_level(_ORDER_LEVELS)[1] for more in further]
        place = int(np.argmax(likelihoods))
        order.append(rest.pop(place))
        level, _ = further[place].best_level(all_levels)
        levels.append(level)
        cells = further[place].smoothed(level)
    return BackOff(tuple(order), tuple(levels))


@dataclass(frozen=True)
class _Cells:
    """The nonempty cells of a contingency table, given some of the parents.

    Every array has one entry per cell. ``fewer`` is the probability of the cell's state given one
    parent fewer, estimated without one of the cell's rows.
    """

    codes: tuple[NDArray[np.intp], ...]
    arities: tuple[int, ...]
    rows: NDArray[np.float64]
    configuration: NDArray[np.intp]
    fewer: NDArray[np.float64]

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> _Cells:
        """Return the cells of a table, given no parents."""
        occupied = np.flatnonzero(counts)
        return cls(
            codes=np.unravel_index(occupied, counts.shape),
            arities=counts.shape,
            rows=counts.ravel()[occupied].astype(np.float64),
            configuration=np.zeros(len(occupied), dtype=np.intp),
            fewer=np.full(len(occupied), 1 / counts.shape[-1]),
        )

    def given(self, axis: int) -> _Cells:
        """Return the cells given one more parent."""
        finer = self.configuration * self.arities[axis] + self.codes[axis]
        # Configurations that occur are renumbered, so that the numbers stay small.
        occurs = np.zeros(int(finer.max(initial=0)) + 1, dtype=np.intp)
        occurs[finer] = 1
        return replace(self, configuration=(occurs.cumsum() - 1)[finer])

    def best_level(self, levels: tuple[Level, ...]) -> tuple[Level, float]:
        """Return the level with the highest leave-one-out likelihood; the first one in a tie."""
        same, of_all = self._others()
        likelihoods = [
            float((self.rows * np.log(self._left_out(same, of_all, level))).sum())
            for level in levels
        ]
        best = int(np.argmax(likelihoods))
        return levels[best], likelihoods[best]

    def smoothed(self, level: Level) -> _Cells:
        """Prepare for one more parent: the probabilities given these become ``fewer``."""
        return replace(self, fewer=self._left_out(*self._others(), level))

    def _others(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Count the other rows with the same state and parents, and with the same parents."""
        state = self.configuration * self.arities[-1] + self.codes[-1]
        same = np.bincount(state, self.rows)[state] - 1
        of_all = np.bincount(self.configuration, self.rows)[self.configuration] - 1
        return same, of_all

    def _left_out(
        self, same: NDArray[Any], of_all: NDArray[Any], level: Level
    ) -> NDArray[np.float64]:
        weight, share = level
        prior = (1 - share) * self.fewer + share / self.arities[-1]
        probabilities: NDArray[np.float64] = (same + weight * prior) / (of_all + weight)
        return probabilities
