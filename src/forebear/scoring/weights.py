"""Weights of incomplete rows: the inverse of the probability that a value is observed.

Where gaps depend on the values of other columns, rows without gaps are no fair sample. A row of a
rare kind then counts more (inverse probability weighting; HC-aIPW of Liu and Constantinou, 2022).
For every column with gaps, the column that predicts its gaps best is found by BIC, and a second one
if it helps; with more, few rows would share a probability. The weight of a row for that column is
P(observed) / P(observed | those columns), and for a family the product over its members. A gap in
a predicting column is one more state, so that no row is lost to it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear.data.encoding import MAX_ROWS
from forebear.scoring.functions import x_log_x

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset

UNIT = 16
"""Counts of weighted rows are in sixteenths of a row: the tables of terms in the core stay short,
and a cell is off by at most a thirty-second of a row."""

_LOG_UNIT = 256
_MOST_LOG = 4 * _LOG_UNIT
_WEIGHT_BITS, _SQUARE_BITS = 12, 8
"""Fixed point, as in core/scoring/gapcounts.cpp: logarithms to base 2 in units of 1/256, cut at
weights of 1/16 and 16, so that no single row counts for many."""

_known: WeakKeyDictionary[Dataset, NDArray[np.int16]] = WeakKeyDictionary()


def check_scorable(data: Dataset) -> None:
    """Refuse a table whose rows must be completed by a network before families can be scored."""
    if data.has_missing and data.missing == "em":
        raise ForebearError(
            Parameter("missing", "em"),
            " completes the rows between searches, so families cannot be scored once: "
            "learn a network from the table, or pass ",
            Parameter("missing", "available"),
        )


def gap_arguments(data: Dataset) -> dict[str, Any]:
    """Return what the core must know about missing values and copies of rows."""
    if not data.has_missing:
        return {"unit": data.copies}
    if data.missing != "weighted":
        return {"gaps": True}
    return {"gaps": True, "weights": row_weights(data), "unit": UNIT}


def row_weights(data: Dataset) -> NDArray[np.int16]:
    """Return the weight of every row for every variable, as a logarithm in fixed point."""
    if data.n_rows > MAX_ROWS // UNIT:
        raise LimitError(
            f"the table has {data.n_rows:,} rows, more than the limit of {MAX_ROWS // UNIT:,} "
            "for weighted rows: pass ",
            Parameter("missing", "available"),
        )
    if data not in _known:
        _known[data] = _find_weights(data)
    return _known[data]


def inherit_weights(part: Dataset, whole: Dataset, variables: Sequence[int]) -> None:
    """Let some columns of a table have the weights that they have in the whole."""
    if part.has_missing and part.missing == "weighted":
        _known[part] = np.ascontiguousarray(row_weights(whole)[list(variables)])


def weighted_cells(
    columns: NDArray[Any], logs: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Join weighted rows to cells.

    The rows count as many as equal rows that would be worth the same (Kish, 1965).

    Parameters
    ----------
    columns
        The codes, variables by rows.
    logs
        The weight of every row.

    Returns
    -------
    tuple
        The codes of every cell, and its count in rows.
    """
    if columns.shape[1] == 0:
        return columns, np.zeros(0)
    powers = np.round(2.0 ** (np.arange(_LOG_UNIT) / _LOG_UNIT + _WEIGHT_BITS)).astype(np.int64)
    cut = np.clip(logs, -_MOST_LOG, _MOST_LOG) + _MOST_LOG
    weights = powers[cut % _LOG_UNIT] << (cut // _LOG_UNIT) >> (_MOST_LOG // _LOG_UNIT)
    first, place = _cells_of(columns)
    per_cell = np.bincount(place, weights, minlength=len(first))
    total = float(weights.sum())
    squares = float(((weights >> (_WEIGHT_BITS - _SQUARE_BITS)) ** 2).sum())
    squares *= 4.0 ** (_WEIGHT_BITS - _SQUARE_BITS)
    rows = min(total * total / squares, columns.shape[1])
    units = np.floor(per_cell * (rows * UNIT / total) + 0.5)
    return columns[:, first], units / UNIT


def _cells_of(columns: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number the cells that occur; return a row of each, and the cell of every row."""
    place = np.zeros(columns.shape[1], dtype=np.int64)
    for codes in columns:
        # Numbers of cells that occur stay below the number of rows.
        _, first, place = np.unique(
            place * (int(codes.max()) + 1) + codes, return_index=True, return_inverse=True
        )
    return first, place


def _find_weights(data: Dataset) -> NDArray[np.int16]:
    gaps = data.gaps
    logs = np.zeros(data.codes.shape, dtype=np.int16)
    incomplete = np.flatnonzero(gaps.any(axis=1))
    nothing = np.zeros(data.n_rows, dtype=np.int64)
    # All columns as single predictors at once; a second one is tried for few.
    alone = _single_predictors(data, gaps[incomplete])
    for v, scores in zip(incomplete.tolist(), alone, strict=True):
        scores[v] = -math.inf
        if scores.max() > _bic(nothing, gaps[v]):
            logs[v] = _weights_of(data, v, gaps[v], int(np.argmax(scores)))
    return logs


def _single_predictors(data: Dataset, gaps: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Score every column as the only predictor of the gaps of every incomplete column."""
    found = np.empty((len(gaps), data.n_variables))
    for u, codes in enumerate(data.codes):
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order].astype(np.int64), prepend=-1))
        rows = np.diff(np.append(starts, data.n_rows))
        missing = np.add.reduceat(gaps[:, order], starts, axis=1, dtype=np.int64)
        found[:, u] = _fit(missing, rows) - 0.5 * math.log(data.n_rows) * len(rows)
    return found


def _weights_of(data: Dataset, v: int, gap: NDArray[np.bool_], first: int) -> NDArray[np.int16]:
    """Weight the rows of one column by what predicts its gaps, a second column if it helps."""
    place = data.codes[first].astype(np.int64)
    best = _bic(place, gap)
    for u in range(data.n_variables):
        if u in (v, first):
            continue
        both = data.codes[first].astype(np.int64) * (int(data.arities[u]) + 1) + data.codes[u]
        found = _bic(both, gap)
        if found > best:
            best, place = found, both
    rows = np.bincount(place)
    observed = np.bincount(place, ~gap)
    # One row more of each kind, so that no probability is 0.
    probability = (observed + 1) / (rows + 2)
    overall = 1 - gap.mean()
    logs = np.round(_LOG_UNIT * np.log2(overall / probability[place]))
    cut: NDArray[np.int16] = np.clip(logs, -_MOST_LOG, _MOST_LOG).astype(np.int16)
    return cut


def _bic(place: NDArray[np.int64], gap: NDArray[np.bool_]) -> float:
    """Score how well the cell that a row is in predicts a gap."""
    rows = np.bincount(place)
    missing = np.bincount(place[gap], minlength=len(rows))
    penalty = 0.5 * math.log(len(place)) * np.count_nonzero(rows)
    return float(_fit(missing, rows)) - penalty


def _fit(missing: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log-likelihood of gaps, given how many of the rows of every kind have one."""
    present = rows - missing
    parts = x_log_x(missing) + x_log_x(present) - x_log_x(rows)
    found: NDArray[np.float64] = parts.sum(axis=-1)
    return found
