"""The distinct values of a column: their order, and their names as states."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def sorted_values(values: pl.Series) -> pl.Series:
    """Return the distinct values in the order of states; declared ones also if none has them."""
    dtype = values.dtype
    if isinstance(dtype, pl.Enum):
        return dtype.categories.cast(dtype)
    if dtype == pl.Boolean:
        return pl.Series([False, True])
    if dtype == pl.Null:
        return values.clear()
    distinct = values.drop_nulls().unique()
    if dtype.is_numeric():
        return distinct.sort()
    keys = [natural_key(text) for text in value_labels(distinct)]
    return distinct.gather(sorted(range(len(keys)), key=keys.__getitem__))


def value_labels(values: pl.Series) -> Any:
    """Return values as an array of numbers, or as a list of texts or booleans."""
    if values.dtype.is_numeric():
        return values.to_numpy()
    if values.dtype == pl.Duration:
        return list(map(str, values.to_list()))
    return (values.cast(pl.String) if values.dtype.is_temporal() else values).to_list()


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
