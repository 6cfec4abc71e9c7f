"""Match the variables and states of a network with those of a table, by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import DataError, Parameter
from forebear._util.text import listing
from forebear.data.coding import Unseen
from forebear.data.dataset import Dataset

BLOCK_SIZE = 1 << 16
"""Rows that are counted at once, so that they fit in the CPU cache. With ten million rows at once,
a family took at least twice as long."""


def find_columns(columns: Sequence[str], names: Iterable[str]) -> list[int]:
    """Return the column of each of these variables; the table may have other columns."""
    places = {name: column for column, name in enumerate(columns)}
    variables = list(names)
    if missing := [name for name in variables if name not in places]:
        raise DataError(f"the table lacks variables of the network: {listing(missing)}")
    return [places[name] for name in variables]


def codes_as(
    data: Dataset, column: int, states: Sequence[str], unseen: Unseen = "error"
) -> NDArray[Any]:
    """Code a column by these states. It may declare other states if no row has them."""
    declared = data.states[column]
    codes: NDArray[Any] = data.codes[column]
    if declared == tuple(states):
        return codes
    places = {state: k for k, state in enumerate(states)}
    # In both codings, the code after the last state represents a missing value.
    place_of = np.array([*(places.get(state, -1) for state in declared), len(states)], np.int32)
    translated: NDArray[np.int32] = place_of[codes]
    if unseen == "error" and (translated < 0).any():
        unknown = declared[int(codes[int(np.argmin(translated))])]
        raise DataError(
            f"column {data.names[column]!r} has the state {unknown!r}, "
            f"which the network does not have (its states: {listing(states)}): pass ",
            Parameter("unseen", "missing"),
            " to treat such values as missing",
        )
    return np.where(translated < 0, len(states), translated)


def counted_columns(
    table: Dataset, family: Sequence[int]
) -> tuple[list[NDArray[Any]], NDArray[np.int64] | None]:
    """Return the codes of a family, the child last, in the rows that count, and their weights.

    These are the rows in which the whole family is observed, and the child was not set.
    """
    columns, weights = [table.codes[v] for v in family], table.weights
    rows: NDArray[Any] | None = table.rows_not_set(family[-1])
    if table.has_missing:
        pairs = zip(columns, table.arities[list(family)], strict=True)
        rows = np.logical_and.reduce([codes < arity for codes, arity in pairs])
    if rows is not None:
        columns = [codes[rows] for codes in columns]
        weights = None if weights is None else weights[rows]
    return columns, weights


def cells_of(
    columns: Sequence[NDArray[Any]],
    arities: Sequence[int],
    n_rows: int,
    kind: type[np.generic] | np.dtype[Any] = np.intp,
) -> NDArray[Any]:
    """Return the cell of a contingency table for each row; the last column varies fastest.

    ``kind`` is the type of the cells.
    """
    cells = np.zeros(n_rows, dtype=kind)
    for codes, arity in zip(columns, arities, strict=True):
        cells *= arity
        np.add(cells, codes, out=cells, casting="unsafe")
    return cells


def count_cells(
    columns: Sequence[NDArray[Any]],
    arities: Sequence[int],
    weights: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Count the rows of every cell, by their weights if they have any.

    The cells are those of ``cells_of``, and the counts have one axis.
    """
    n_cells, n_rows = math.prod(arities), len(columns[-1])
    counts = np.zeros(n_cells, dtype=np.int64)
    for begin in range(0, n_rows, max(BLOCK_SIZE, n_cells)):
        part = slice(begin, min(n_rows, begin + max(BLOCK_SIZE, n_cells)))
        rows = [codes[part] for codes in columns]
        cells = cells_of(rows, arities, part.stop - begin, np.min_scalar_type(n_cells))
        own = None if weights is None else weights[part]
        # Sums of weights are exact as floats, because a table has fewer than 2^31 rows.
        counts += np.bincount(cells, own, minlength=n_cells).astype(np.int64, copy=False)
    return counts
