"""Weights of incomplete rows: the inverse of the probability that a value is observed.

Where gaps depend on the values of other columns, rows without gaps are no fair sample. A row of a
rare kind then counts more (inverse probability weighting; HC-aIPW of Liu and Constantinou, 2022).
For every column with gaps, the columns that predict its gaps best are found by BIC. The weight of a
row for that column is P(observed) / P(observed | those columns), and for a family the product over
its members. A gap in a predicting column is one more state, so that no row is lost to it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear.scoring.counting import contingency

if TYPE_CHECKING:
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

_MOST_PREDICTORS = 2
"""Columns that predict the gaps of a column. With more, few rows share a probability."""

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
    if data not in _known:
        _known[data] = _find_weights(data)
    return _known[data]


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
    cells, place = np.unique(columns, axis=1, return_inverse=True)
    per_cell = np.bincount(place.ravel(), weights, minlength=cells.shape[1])
    total = float(weights.sum())
    squares = float(((weights >> (_WEIGHT_BITS - _SQUARE_BITS)) ** 2).sum())
    squares *= 4.0 ** (_WEIGHT_BITS - _SQUARE_BITS)
    rows = min(total * total / squares, columns.shape[1])
    units = np.floor(per_cell * (rows * UNIT / total) + 0.5)
    return cells, units / UNIT


def _find_weights(data: Dataset) -> NDArray[np.int16]:
    gaps = data.gaps
    logs = np.zeros(data.codes.shape, dtype=np.int16)
    for v in np.flatnonzero(gaps.any(axis=1)):
        logs[v] = _weights_of(data, int(v), gaps[v])
    return logs


def _weights_of(data: Dataset, v: int, gap: NDArray[np.bool_]) -> NDArray[np.int16]:
    """Weight the rows of one column by the columns that predict its gaps, chosen greedily."""
    chosen: list[int] = []
    best = _bic(data, gap, chosen)
    while len(chosen) < _MOST_PREDICTORS:
        others = [u for u in range(data.n_variables) if u != v and u not in chosen]
        scores = [_bic(data, gap, [*chosen, u]) for u in others]
        if not scores or max(scores) <= best:
            break
        best = max(scores)
        chosen.append(others[int(np.argmax(scores))])
    if not chosen:
        return np.zeros(data.n_rows, dtype=np.int16)
    arities = [int(data.arities[u]) + 1 for u in chosen]
    place = np.zeros(data.n_rows, dtype=np.int64)
    for u, arity in zip(chosen, arities, strict=True):
        place = place * arity + data.codes[u]
    cells = math.prod(arities)
    rows = np.bincount(place, minlength=cells)
    observed = np.bincount(place, ~gap, minlength=cells)
    # One row more of each kind, so that no probability is 0.
    probability = (observed + 1) / (rows + 2)
    overall = 1 - gap.mean()
    logs = np.round(_LOG_UNIT * np.log2(overall / probability[place]))
    cut: NDArray[np.int16] = np.clip(logs, -_MOST_LOG, _MOST_LOG).astype(np.int16)
    return cut


def _bic(data: Dataset, gap: NDArray[np.bool_], predictors: list[int]) -> float:
    """Score columns as predictors of gaps."""
    from scipy.special import xlogy  # it would double the time of the import

    arities = [int(data.arities[u]) + 1 for u in predictors]
    columns = [data.codes[u].astype(np.int64) for u in predictors]
    counts = contingency([*columns, gap.astype(np.int64)], arities, 2)
    fit = float(xlogy(counts, counts).sum() - xlogy(per := counts.sum(axis=1), per).sum())
    return fit - 0.5 * math.log(data.n_rows) * len(counts)
