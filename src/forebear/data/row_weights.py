"""Row weights: how many rows each row of a table stands for.

Whole numbers are counts: a row with the weight 3 is the same as three equal rows. Other weights, as
in surveys, are scaled so that they add up to the number of rows, and rounded to fractions of a row.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear._util.errors import DataError, Parameter
from forebear.data.raw_table import Column, RawTable, take_rows
from forebear.data.read_options import MAX_ROWS, ReadOptions

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset

REAL_COPIES = 1000
"""Real weights are rounded to this part of a row. A weight of average size keeps three digits, and
two million rows can still be counted in 32 bits."""


class RowWeights(NamedTuple):
    """The weights of the rows of a table, in units of 1 / ``copies`` rows."""

    units: NDArray[np.int64]
    copies: int = 1

    def of(self, rows: NDArray[np.bool_]) -> RowWeights:
        """Return the weights of some rows; real weights are scaled again."""
        units = self.units[rows]
        return RowWeights(units) if self.copies == 1 else _scaled(units.astype(np.float64))

    @property
    def counts(self) -> NDArray[np.int64] | None:
        """How often each row counts; None if the weights are not whole numbers."""
        return self.units if self.copies == 1 else None


def check_weights(weights: Any, n_rows: int) -> NDArray[np.int64]:
    """Return whole weights as an array; reject anything else."""
    array = np.asarray(weights)
    if array.ndim != 1 or len(array) != n_rows:
        raise DataError(
            Parameter("weights"),
            f" must have one value per row, {n_rows:,}, got the shape {array.shape}",
        )
    if array.dtype.kind not in "iu":
        raise DataError(Parameter("weights"), f" must be integers, got {array.dtype}")
    if (array < 0).any():
        raise DataError(Parameter("weights"), f" must not be negative, got {array.min()}")
    if (array > MAX_ROWS).any():
        raise _too_many(int(array.max()))
    return array.astype(np.int64)


def weighted_table(table: RawTable, options: ReadOptions) -> RawTable:
    """Give the columns their weights, if the options name a column of them.

    That column is left out, and so are rows of weight 0.
    """
    if options.weights is None:
        return table
    weights = next(column for column in table.columns if column.name == options.weights)
    others = [column for column in table.columns if column is not weights]
    numbers = _as_numbers(weights)
    is_counted = numbers > 0
    if not is_counted.any():
        raise DataError(f"every weight in column {weights.name!r} is zero, so no rows are left")
    if not is_counted.all():
        others, numbers = take_rows(others, is_counted), numbers[is_counted]
    if (numbers != np.floor(numbers)).any():
        found = _scaled(numbers)
    elif numbers.sum() > MAX_ROWS:
        raise _too_many(numbers.sum())
    else:
        found = RowWeights(numbers.astype(np.int64))
    return RawTable([replace(column, weights=found) for column in others], len(numbers))


def _as_numbers(column: Column) -> NDArray[np.float64]:
    """Return the weights of all rows; reject what is not a weight."""
    texts = column.values.cast(pl.String)
    if column.n_missing:
        wrong = np.append(np.zeros(len(texts), np.bool_), True)
        raise _not_a_weight(column, wrong, "no weight")
    if not column.dtype.is_numeric():
        not_numbers = texts.cast(pl.Float64, strict=False).is_null().to_numpy()
        wrong = not_numbers if not_numbers.any() else ~not_numbers
        raise _not_a_weight(column, wrong, "{}, which is not a number")
    numbers = column.values.cast(pl.Float64).to_numpy()
    wrong = np.isinf(numbers) | (numbers < 0)
    if wrong.any():
        raise _not_a_weight(column, wrong, "the weight {}")
    every: NDArray[np.float64] = numbers[column.codes]
    return every


def _not_a_weight(column: Column, wrong: NDArray[np.bool_], found: str) -> DataError:
    """Return the error about the first row that has one of the wrong values."""
    row = int(np.argmax(wrong[column.codes]))
    value = [*column.values.cast(pl.String), ""][int(column.codes[row])]
    return DataError(
        f"row {row + 1:,} of column {column.name!r} has {found.format(value)}: weights "
        "must be finite numbers, not below 0"
    )


def _scaled(numbers: NDArray[np.float64]) -> RowWeights:
    """Scale real weights so that they add up to the number of rows, and round them."""
    n_rows = len(numbers)
    copies = min(REAL_COPIES, MAX_ROWS // n_rows)
    shares = numbers / numbers.max()  # the sum of large weights may overflow
    exact = shares * (n_rows * copies / shares.sum())
    units = np.floor(exact).astype(np.int64)
    # The largest remainders are rounded up, so that the sum is exact.
    units[np.argsort(units - exact, kind="stable")[: n_rows * copies - int(units.sum())]] += 1
    common = gcd(copies, int(np.gcd.reduce(units)))
    return RowWeights(units // common, copies // common)


def _too_many(n_rows: float) -> DataError:
    return DataError(
        f"the weights stand for {n_rows:,.10g} rows, more than the limit of {MAX_ROWS:,}: divide "
        "them by a number"
    )


def reject_real_weights(data: Dataset, why: str, advice: str = "") -> None:
    """Reject real weights where whole rows are needed."""
    if data.has_real_weights:
        raise DataError(
            f"{why}, but the weights are not whole numbers: {advice}round them, or leave out ",
            Parameter("weights"),
        )
