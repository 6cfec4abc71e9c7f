"""The distinct values of a column, and which row has which."""

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
    """The possible values of a column in order, and the codes of those that are present."""

    values: Sequence[Any] | NDArray[Any]
    codes: NDArray[Any]
    present: NDArray[np.bool_] | None = None
    """Which rows have a value, if some have none."""


def distinct_values(column: pl.Series) -> Distinct:
    """Find the distinct values of a column; times become text."""
    if column.dtype.is_temporal():
        column = _as_texts(column)
    dtype = column.dtype
    there = column.is_not_null().to_numpy() if column.null_count() else None
    present = column if there is None else column.drop_nulls()
    if dtype == pl.String:
        texts = sorted(present.unique().to_list(), key=natural_key)
        codes = present.cast(pl.Enum(texts)).to_physical().to_numpy()
        return Distinct(texts, _small(codes, len(texts)), there)
    if isinstance(dtype, pl.Enum):
        return Distinct(dtype.categories.to_list(), present.to_physical().to_numpy(), there)
    if dtype == pl.Boolean:
        return Distinct((False, True), present.cast(pl.UInt8).to_numpy(), there)
    if dtype == pl.Null:
        return Distinct((), np.empty(0, dtype=np.uint8), there)
    values, codes = np.unique(present.to_numpy(), return_inverse=True)
    return Distinct(values, _small(codes, len(values)), there)


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


def _small(codes: NDArray[Any], n_values: int) -> NDArray[Any]:
    """Store codes in as few bytes as their number allows: all columns are held at once."""
    return codes.astype(
        np.uint8 if n_values <= 2**8 else np.uint16 if n_values <= 2**16 else np.uint32
    )


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
