"""Row weights: how many rows each row of a table stands for.

Whole numbers are counts: a row with the weight 3 is the same as three equal rows. Other weights, as
in surveys, are scaled so that they add up to the number of rows, and rounded to fractions of a row.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import polars as pl

from forebear._util.errors import DataError, Parameter
from forebear.data.read_options import MAX_ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset

REAL_COPIES = 1000
"""Real weights are rounded to this part of a row. A weight of average size keeps three digits, and
two million rows can still be counted in 32 bits."""


class RowWeights(NamedTuple):
    """The weights of the rows of a table, in units of 1 / ``copies`` rows."""

    units: NDArray[np.int64]
    copies: int = 1

    def of(self, rows: NDArray[np.bool_]) -> RowWeights:
        """Return the weights of some rows."""
        return self._replace(units=self.units[rows])

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


def split_weights(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, RowWeights]:
    """Return the rows that count, and their weights, which are in a column of this name."""
    numbers = _as_numbers(frame[name])
    counted = numbers > 0
    if not counted.any():
        raise DataError(f"every weight in column {name!r} is zero, so no rows are left")
    if not counted.all():
        frame, numbers = frame.filter(pl.Series(counted)), numbers[counted]
    if (numbers != np.floor(numbers)).any():
        return frame, _scaled(numbers)
    if numbers.sum() > MAX_ROWS:
        raise _too_many(numbers.sum())
    return frame, RowWeights(numbers.astype(np.int64))


def _as_numbers(column: pl.Series) -> NDArray[np.float64]:
    """Return the weights of all rows; reject what is not a weight."""
    if not column.dtype.is_numeric():
        _reject(column, column.is_not_null(), "which is not a number")
    column = column.cast(pl.Float64).fill_nan(None)
    for wrong, why in (
        (column.is_null(), "a missing value"),
        (column.is_infinite().fill_null(False), "which is infinite"),
        (column < 0, "which is negative"),
    ):
        if wrong.any():
            _reject(column, wrong, why)
    return column.to_numpy()


def _reject(column: pl.Series, wrong: pl.Series, why: str) -> NoReturn:
    """Raise the error about the first wrong value."""
    row = int(wrong.arg_max() or 0)
    value = column[row]
    found = why if value is None else f"{value!r}, {why}"
    raise DataError(
        f"row {row + 1:,} of column {column.name!r} has {found}: weights must be numbers of at "
        "least 0"
    )


def _scaled(numbers: NDArray[np.float64]) -> RowWeights:
    """Scale real weights so that they add up to the number of rows, and round them."""
    n_rows = len(numbers)
    # Rounding up to one unit per row adds at most as many units as there are rows.
    copies = min(REAL_COPIES, MAX_ROWS // n_rows - 1)
    if copies < 1:
        raise _too_many(2 * n_rows)
    shares = numbers / numbers.max()  # the sum of large weights may overflow
    units = np.maximum(1, np.rint(shares * (n_rows * copies / shares.sum()))).astype(np.int64)
    common = gcd(copies, int(np.gcd.reduce(units)))
    return RowWeights(units // common, copies // common)


def _too_many(n_rows: float) -> DataError:
    return DataError(
        f"the weights stand for {n_rows:,.10g} rows, more than the limit of {MAX_ROWS:,}: divide "
        "them by a number"
    )


def refuse_real_weights(data: Dataset, why: str) -> None:
    """Reject real weights where whole rows are needed."""
    if data.has_real_weights:
        raise DataError(
            f"{why}, but ",
            Parameter("weights"),
            " are not whole numbers: round them, or leave them out",
        )
