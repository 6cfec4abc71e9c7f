"""Code a table that arrives in batches of rows, of one or several files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import polars as pl

from forebear._util.errors import FileError
from forebear.data.encoding import check_names
from forebear.data.normalization import check_type
from forebear.data.raw_table import Column, ColumnBuilder, RawTable
from forebear.data.read_options import ReadOptions
from forebear.data.row_parts import Part, RowParts

CheckTime = Callable[[float | None], None]
"""Ends reading by an exception if it takes too long. The argument is the share of the table that is
read, or None if that is unknown."""


def no_limit(share: float | None) -> None:
    """Do not limit the time for reading."""


class Batches(NamedTuple):
    """The rows of a file or a frame, in batches.

    The first batch, which may be empty, has all columns; the others have at least those to use.
    """

    source: str
    frames: Iterator[pl.DataFrame]
    n_rows: int | None = None
    """The number of rows, if it is known."""


def table_of_batches(
    sources: Iterable[Batches], n_sources: int, options: ReadOptions, check_time: CheckTime
) -> RawTable:
    """Code the batches of one or several sources, one after another."""
    table: _Builder | None = None
    for index, source in enumerate(sources):
        n_rows, is_first = 0, True
        for frame in source.frames:
            if n_rows:
                share = n_rows / source.n_rows if source.n_rows else None
                check_time(share if share is None else (index + share) / n_sources)
            if table is None:
                table = _Builder(source.source, frame, options)
            elif is_first:
                table.check(source.source, frame)
            table.add(frame)
            n_rows, is_first = n_rows + frame.height, False
    if table is None:
        raise FileError("there is no file to read")
    return table.finish()


class _Builder:
    """The columns of the rows that were read so far."""

    def __init__(self, source: str, frame: pl.DataFrame, options: ReadOptions) -> None:
        check_names(frame.columns)
        self.source, self.options = source, options
        schema = frame.schema
        self.schema = {name: schema[name] for name in options.select(frame.columns)}
        for name, dtype in self.schema.items():
            check_type(name, dtype)
        self.columns = {name: ColumnBuilder() for name in self.schema}
        self.parts = RowParts(len(self.columns), options.rows)
        self._n_read = 0

    def add(self, frame: pl.DataFrame) -> None:
        """Code some rows."""
        keys = self.parts.keys(self._n_read, frame.height)
        self._n_read += frame.height
        if keys is not None:
            kept = self.parts.may_be_kept(keys)
            frame, keys = frame.filter(pl.Series(kept)), keys[kept]
        codes = [builder.add(frame[name]) for name, builder in self.columns.items()]
        self.parts.add(Part.of(codes, keys))

    def check(self, source: str, frame: pl.DataFrame) -> None:
        """Reject another file with other columns, or with columns of other types."""
        schema = frame.schema
        for name in self.options.select(frame.columns):
            if name not in self.schema:
                raise FileError(
                    f"{source}: the file also has column {name!r}, unlike {self.source}"
                )
        for name, dtype in self.schema.items():
            if name not in schema:
                raise FileError(f"{source}: the file lacks column {name!r}, unlike {self.source}")
            own = schema[name]
            if _kind(own) != _kind(dtype) and pl.Null not in (own, dtype):
                raise FileError(
                    f"{source}: column {name!r} has the type {own}, but {dtype} in {self.source}: "
                    "convert it"
                )

    def finish(self) -> RawTable:
        """Return the table."""
        rows = self.parts.columns()
        columns = []
        for (name, builder), codes in zip(self.columns.items(), rows, strict=True):
            values = builder.values
            if values.dtype == pl.Null:
                values = values.cast(self.schema[name])
            columns.append(Column.of(name, values, codes).without_unused())
        return RawTable(columns, len(rows[0]))


def _kind(dtype: pl.DataType) -> str:
    """Return the kind of a type; values of types of one kind can be compared."""
    if dtype.is_numeric():
        return "number"
    text = isinstance(dtype, pl.String | pl.Categorical | pl.Enum)
    return "text" if text else str(dtype)
