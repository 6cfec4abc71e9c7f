"""The distinct values of columns, and which row has which; many columns at once."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from forebear.data.blocks import blocks_of, code_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

# Whole numbers within a range of this size are counted in a table instead of sorted.
_SPAN = 1024


class Distinct(NamedTuple):
    """The possible values of a column in order, and the codes of those that are present."""

    values: Sequence[Any] | NDArray[Any]
    codes: NDArray[Any]
    present: NDArray[np.bool_] | None = None
    """Which rows have a value, if some have none."""


def distinct_values(columns: Sequence[pl.Series]) -> list[Distinct]:
    """Find the distinct values of every column; times become text."""
    columns = [_as_texts(c) if c.dtype.is_temporal() else c for c in columns]
    texts = [c for c in columns if c.dtype == pl.String]
    whole = [c for c in columns if _is_plain_whole(c)]
    of_texts = (found for block in blocks_of(texts) for found in _of_texts(block))
    of_whole = (found for block in blocks_of(whole) for found in _of_whole(block))
    return [
        next(of_texts)
        if column.dtype == pl.String
        else next(of_whole)
        if _is_plain_whole(column)
        else _of_one(column)
        for column in columns
    ]


def are_whole(values: Any) -> bool:
    """Tell whether numbers are all whole; infinite ones are not."""
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


def _is_plain_whole(column: pl.Series) -> bool:
    return column.dtype.is_integer() and column.dtype != pl.UInt64 and not column.null_count()


def _of_texts(columns: Sequence[pl.Series]) -> Iterator[Distinct]:
    found, codes = code_texts(columns)
    texts = found.to_list()
    order = sorted(range(len(texts)), key=lambda i: natural_key(texts[i]))
    rank = np.empty(len(texts) + 1, dtype=np.int64)
    rank[order] = np.arange(len(texts))
    rank[-1] = -1
    for row in codes:
        ranks, present = rank[row], None
        if ranks.min(initial=0) < 0:
            present = ranks >= 0
            ranks = ranks[present]
        places, own = _distinct_places(ranks, len(texts))
        values = [texts[order[place]] for place in places.tolist()]
        yield Distinct(values, _small(own, len(places)), present)


def _distinct_places(ranks: NDArray[np.int64], most: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Do as ``np.unique`` with the inverse, for numbers below ``most``."""
    if most > 4 * len(ranks):
        return np.unique(ranks, return_inverse=True)
    seen = np.bincount(ranks, minlength=most) > 0
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[ranks]


def _of_whole(columns: Sequence[pl.Series]) -> Iterator[Distinct]:
    """Count whole numbers that lie close together, all columns of a block at once."""
    if len(columns[0]) == 0:
        yield from (Distinct((), np.empty(0, np.uint8)) for _ in columns)
        return
    block = np.empty((len(columns), len(columns[0])), dtype=np.int64)
    for row, column in zip(block, columns, strict=True):
        row[:] = column.to_numpy()
    low, high = block.min(axis=1), block.max(axis=1)
    # As floats, because the difference of two integers may not fit into one.
    close = high.astype(float) - low.astype(float) < _SPAN
    width = int((high - low)[close].max(initial=0)) + 1
    shifted = block[close] - low[close, None]
    places = np.arange(len(shifted))[:, None]
    counts = np.bincount((shifted + width * places).ravel(), minlength=width * len(shifted))
    seen = counts.reshape(len(shifted), width) > 0
    rank = (np.cumsum(seen, axis=1) - 1).astype(np.uint16)
    at = np.cumsum(close) - 1
    for i, column in enumerate(columns):
        if close[i]:
            values = np.flatnonzero(seen[at[i]]) + low[i]
            yield Distinct(values, _small(rank[at[i]][shifted[at[i]]], len(values)))
        else:
            yield _of_one(column)


def _of_one(column: pl.Series) -> Distinct:
    """Find the distinct values of one column of any type but text."""
    dtype = column.dtype
    there = column.is_not_null().to_numpy() if column.null_count() else None
    present = column if there is None else column.drop_nulls()
    if isinstance(dtype, pl.Enum):
        return Distinct(dtype.categories.to_list(), present.to_physical().to_numpy(), there)
    if dtype == pl.Boolean:
        return Distinct((False, True), present.cast(pl.UInt8).to_numpy(), there)
    if dtype == pl.Null:
        return Distinct((), np.empty(0, dtype=np.uint8), there)
    values, codes = np.unique(present.to_numpy(), return_inverse=True)
    return Distinct(values, _small(codes, len(values)), there)


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
