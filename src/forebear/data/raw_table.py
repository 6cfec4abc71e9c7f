"""RawTable: the columns of a table, each as its distinct values and a code per row.

A table is read in batches, and its columns are coded as they arrive. Everything that follows, such
as missing values and discretization, is decided by the distinct values and their counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear.data.distinct import sorted_values, value_labels

if TYPE_CHECKING:
    from forebear.data.row_weights import RowWeights

# Rows that are translated or counted at once: NumPy makes indices of eight bytes of them.
_PIECE = 1 << 16
# Up to this many codes are counted by comparing them: 2,000,000 rows with 2, 11 and 40 codes took
# 0.4, 1.4 and 5.0 ms, and 2.5 ms by np.bincount.
_COMPARED = 16
# Up to this many values are looked up in a dictionary of Python. For more, a join is faster and
# needs less memory; it takes 0.5 ms even for a few.
_FEW = 10_000


def small_type(n_codes: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that holds the codes 0 to ``n_codes - 1``."""
    return np.uint8 if n_codes <= 1 << 8 else np.uint16 if n_codes <= 1 << 16 else np.uint32


def translated(
    codes: NDArray[Any], places: NDArray[Any], out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Replace every code by its entry in ``places``."""
    if out is None:
        out = np.empty(len(codes), dtype=small_type(int(places.max(initial=0)) + 1))
    small = places.astype(out.dtype)
    for start in range(0, len(codes), _PIECE):
        piece = slice(start, start + _PIECE)
        small.take(codes[piece], out=out[piece], mode="clip")  # all codes are valid
    return out


def count_codes(
    codes: NDArray[Any], n_codes: int, weights: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Count the rows of every code, each as often as its weight."""
    counts = np.zeros(n_codes, dtype=np.int64)
    for start in range(0, len(codes), _PIECE):
        piece = slice(start, start + _PIECE)
        if weights is None and n_codes <= _COMPARED:
            counts += [np.count_nonzero(codes[piece] == code) for code in range(n_codes)]
        else:
            own = None if weights is None else weights[piece]
            counts += np.bincount(codes[piece], own, n_codes).astype(np.int64)
    return counts


def ranked(values: pl.Series) -> tuple[pl.Series, NDArray[np.intp]]:
    """Return the distinct values in the order of states, and the place of each value among them.

    The place of null is after the last of them.
    """
    if not _has_numpy_type(values):
        distinct = sorted_values(values)
        return distinct, _positions(values, distinct)
    numbers, inverse = np.unique(values.drop_nulls().to_numpy(), return_inverse=True)
    if values.null_count():
        places = np.full(len(values), len(numbers))
        places[values.is_not_null().to_numpy()] = inverse
        inverse = places
    return pl.Series(numbers, dtype=values.dtype), inverse


def _has_numpy_type(values: pl.Series) -> bool:
    dtype = values.dtype
    return dtype.is_numeric() and not dtype.is_decimal() and not str(dtype).endswith("128")


def _positions(values: pl.Series, among: pl.Series) -> NDArray[np.intp]:
    """Return where each value is among others; after the last of them for null."""
    if len(among) <= _FEW:
        places = {key: place for place, key in enumerate(_keys(among))}
        places[None] = len(among)
        return np.array([places[key] for key in _keys(values)], dtype=np.intp)
    indexed = among.alias("value").to_frame().with_row_index("place")
    joined = values.alias("value").to_frame().join(indexed, "value", "left", maintain_order="left")
    return joined["place"].fill_null(len(among)).to_numpy().astype(np.intp)


def _keys(values: pl.Series) -> list[Any]:
    """Return values to look up: times as numbers, because Python cannot represent all of them."""
    return (values.to_physical() if values.dtype.is_temporal() else values).to_list()


@dataclass(frozen=True, eq=False)
class Column:
    """The distinct values of a column, in the order of its states, and a code per row.

    Attributes
    ----------
    name
        The name of the column.
    values
        The values; those of an Enum or a boolean need not all occur.
    rows
        A code per row, as it was read.
    places
        The index of the value of every such code; the number of values if it is missing.
    weights
        The weights of the rows, or None if every row counts once.
    was_set
        The rows in which the column was set by intervention, or None if it never was.
    """

    name: str
    values: pl.Series
    rows: NDArray[Any]
    places: NDArray[Any]
    weights: RowWeights | None = None
    was_set: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, name: str, values: pl.Series, rows: NDArray[Any]) -> Column:
        """Make a column of codes for values that may repeat or be null, in any order.

        NaN and the code after the last value are missing values, too.
        """
        if values.dtype.is_float():
            values = values.fill_nan(None)
        distinct, places = ranked(values)
        return cls(name, distinct, rows, np.append(places, len(distinct)))

    @classmethod
    def of_series(cls, series: pl.Series) -> Column:
        """Code a column of a frame in memory."""
        builder = ColumnBuilder()
        rows = builder.add(series)
        return cls.of(series.name, builder.values, rows)

    @property
    def dtype(self) -> pl.DataType:
        """The type of the values."""
        return self.values.dtype

    @property
    def labels(self) -> Any:
        """The values as numbers or texts."""
        return value_labels(self.values)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The rows of every value, then those where it is missing, by their weights."""
        return self._count(None if self.weights is None else self.weights.units)

    def _count(self, units: NDArray[np.int64] | None) -> NDArray[np.int64]:
        by_code = count_codes(self.rows, len(self.places), units)
        summed = np.zeros(len(self.values) + 1, dtype=np.int64)
        np.add.at(summed, self.places, by_code)
        return summed

    @cached_property
    def _row_counts(self) -> NDArray[np.int64]:
        # Real weights do not determine the number of rows.
        real = self.weights is not None and self.weights.counts is None
        return self._count(None) if real else self.counts

    @property
    def n_missing(self) -> int:
        """The number of rows without a value."""
        return int(self._row_counts[-1])

    @property
    def n_present(self) -> int:
        """The number of rows with a value."""
        return int(self._row_counts[:-1].sum())

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """Count some of the rows."""
        counts = None if self.weights is None else self.weights.counts
        return int(chosen.sum() if counts is None else counts[chosen].sum())

    @cached_property
    def codes(self) -> NDArray[Any]:
        """The index of the value of every row. Missing values have the number of values instead."""
        return translated(self.rows, self.places)

    def with_values(self, values: pl.Series) -> Column:
        """Replace every value by another one, which may be null or occur several times."""
        if values is self.values:
            return self
        column = Column.of(self.name, values, self.rows)
        places = column.places[self.places]
        return replace(column, places=places, weights=self.weights, was_set=self.was_set)

    def without_unused(self) -> Column:
        """Leave out values that no row has, unless they are declared."""
        if isinstance(self.dtype, pl.Enum) or self.counts[:-1].all():
            return self
        return self.with_values(self.values.set(pl.Series(self.counts[:-1] == 0), None))

    def take(self, chosen: NDArray[np.bool_], weights: RowWeights | None = None) -> Column:
        """Return some of the rows, with their weights."""
        was_set = None if self.was_set is None else self.was_set[chosen]
        taken = replace(self, rows=self.rows[chosen], weights=weights, was_set=was_set)
        return taken.without_unused()


def take_rows(columns: Sequence[Column], chosen: NDArray[np.bool_]) -> list[Column]:
    """Return some of the rows of all columns."""
    weights = columns[0].weights
    kept = None if weights is None else weights.of(chosen)
    return [column.take(chosen, kept) for column in columns]


class ColumnBuilder:
    """The values of a column that arrives in batches of rows."""

    def __init__(self) -> None:
        self._chunks: list[pl.Series] = []
        self._n_codes = 0
        self._places: dict[Any, int] = {}
        self._declared = False

    @property
    def values(self) -> pl.Series:
        """The value of every code: null for missing values, and some values more than once."""
        if not self._chunks:
            return pl.Series([], dtype=pl.Null)
        frames = [chunk.alias("value").to_frame() for chunk in self._chunks]
        values = pl.concat(frames, how="vertical_relaxed").to_series()
        return values.cast(pl.Enum(values.drop_nulls())) if self._declared else values

    def add(self, series: pl.Series) -> NDArray[Any]:
        """Return the codes of some rows."""
        if isinstance(series.dtype, pl.Enum):
            self._declared = True
        elif series.dtype == pl.Categorical:
            # Several columns share its categories, so these are not the states of the column.
            series = series.cast(pl.String)
        elif series.dtype.is_float():
            series = series.fill_nan(None)
        local, rows = _local_codes(series)
        places = self._codes_of(local)
        if series.null_count():
            places = np.append(places, self._codes_of(pl.Series([None], dtype=local.dtype)))
        return translated(rows, places)

    def _codes_of(self, values: pl.Series) -> NDArray[np.intp]:
        """Return the codes of distinct values; new ones are added."""
        if len(values) > _FEW and not self._declared:
            # Values that occur in other batches, too, get several codes, which are merged later.
            self._chunks.append(values)
            self._n_codes += len(values)
            return np.arange(self._n_codes - len(values), self._n_codes)
        keys = _keys(values)
        is_new = [key not in self._places for key in keys]
        if any(is_new):
            fresh = values.filter(pl.Series(is_new))
            self._places |= {key: self._n_codes + i for i, key in enumerate(_keys(fresh))}
            self._n_codes += len(fresh)
            self._chunks.append(fresh)
        return np.array([self._places[key] for key in keys], dtype=np.intp)


def _local_codes(series: pl.Series) -> tuple[pl.Series, NDArray[Any]]:
    """Return distinct values, and the place of every row among them; null is after the last."""
    if _has_numpy_type(series):
        return ranked(series)
    if isinstance(series.dtype, pl.Enum):
        local, rows = series.dtype.categories, series.to_physical()
    else:
        local = series.drop_nulls().unique(maintain_order=True)
        if series.dtype == pl.String:
            rows = series.cast(pl.Enum(local)).to_physical()
        elif series.dtype == pl.Boolean:
            rows = (series != local[0] if len(local) else series).cast(pl.UInt8)
        else:
            return local, _positions(series, local)
    return local, (rows.fill_null(len(local)) if rows.null_count() else rows).to_numpy()


@dataclass(frozen=True, eq=False)
class RawTable:
    """The columns of a table that are in use."""

    columns: list[Column]
    n_rows: int

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def select(self, names: Sequence[str]) -> RawTable:
        """Return some of the columns."""
        chosen = set(names)
        return replace(self, columns=[c for c in self.columns if c.name in chosen])
