"""The distinct values of a column, and the value of every row as a code."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Distinct(NamedTuple):
    """The possible values of a column in order, and the code of every row.

    The code after the last value represents a missing value.
    """

    values: Sequence[Any] | NDArray[Any]
    codes: NDArray[Any]


def distinct_values(column: pl.Series) -> Distinct:
    """Find the distinct values of a column; times become text."""
    if column.dtype.is_temporal():
        column = _as_texts(column)
    dtype = column.dtype
    values: Any
    if dtype == pl.String:
        values = sorted(column.drop_nulls().unique().to_list(), key=natural_key)
        codes = column.cast(pl.Enum(values)).to_physical()
    elif isinstance(dtype, pl.Enum):
        values, codes = dtype.categories.to_list(), column.to_physical()
    elif dtype == pl.Boolean:
        values, codes = (False, True), column.cast(pl.UInt8)
    elif dtype == pl.Null:
        values, codes = (), column.cast(pl.UInt8)
    else:
        values, present = np.unique(column.drop_nulls().to_numpy(), return_inverse=True)
        everywhere = np.full(len(column), len(values))
        everywhere[column.is_not_null().to_numpy()] = present
        codes = pl.Series(everywhere)
    return Distinct(values, _small(codes, len(values)))


def are_whole(values: Any) -> bool:
    """Return whether numbers are all whole; infinite ones are not."""
    numbers = np.asarray(values)
    return bool((np.isfinite(numbers) & (np.floor(numbers) == numbers)).all())


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort numbers by value and before words; compare numbers inside words by value, too."""
    if NUMBER.fullmatch(text):
        return (0, float(text), text)
    parts = re.split(r"(\d+)", text)
    return (1, tuple((i % 2, _number(p) if i % 2 else p) for i, p in enumerate(parts)), text)


def _number(digits: str) -> float:
    # Python does not parse integers with thousands of digits.
    return int(digits) if len(digits) < 1000 else math.inf


def _as_texts(times: pl.Series) -> pl.Series:
    if times.dtype != pl.Duration:
        return times.cast(pl.String)
    texts = [None if value is None else str(value) for value in times.to_list()]
    return pl.Series(times.name, texts, dtype=pl.String)


def _small(codes: pl.Series, gap: int) -> NDArray[Any]:
    """Store codes in as few bytes as their number allows: all columns are held at once."""
    dtype = pl.UInt8 if gap < 2**8 else pl.UInt16 if gap < 2**16 else pl.UInt32
    return codes.cast(dtype).fill_null(gap).to_numpy()


def state_name(value: Any) -> str:
    """Return the name of a value as a state: 1.0 is "1", True is "true"."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def state_names(values: Iterable[Any] | NDArray[Any]) -> tuple[str, ...]:
    """Return the names of values as states."""
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    return tuple(map(state_name, plain))
