"""Normalization of raw columns: few types, and no values that mean a missing value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from forebear._util.errors import DataError, Parameter
from forebear.data.coding import ColumnCoding
from forebear.data.raw_table import Column, RawTable
from forebear.data.read_options import ReadOptions


def normalized(
    table: RawTable, options: ReadOptions, coding: Mapping[str, ColumnCoding] | None = None
) -> list[Column]:
    """Reduce the columns to a few types, without the values that mean a missing value."""
    own = {name: one.tokens for name, one in (coding or {}).items()} | dict(
        options.tokens_by_column
    )
    default = options.default_tokens or ()
    return [
        column.with_values(mask_tokens(_normalized(column.values), own.get(column.name, default)))
        for column in table.columns
    ]


def mask_tokens(values: pl.Series, tokens: Sequence[str]) -> pl.Series:
    """Make the values that mean a missing value null."""
    if not tokens or values.dtype == pl.Boolean:
        return values
    if isinstance(values.dtype, pl.Enum):
        left = [state for state in values.dtype.categories if state not in set(tokens)]
        if len(left) == len(values.dtype.categories):
            return values
        texts = values.cast(pl.String)
        return texts.set(~texts.is_in(left), None).cast(pl.Enum(left))
    if values.dtype == pl.String:
        found = values.is_in(list(tokens))
    elif values.dtype.is_numeric():
        numbers = pl.Series(list(tokens), dtype=pl.String).cast(pl.Float64, strict=False)
        found = values.cast(pl.Float64).is_in(numbers.drop_nulls().to_list())
    else:
        return values
    return values.set(found, None) if found.any() else values


def _normalized(values: pl.Series) -> pl.Series:
    dtype = values.dtype
    if str(dtype) in ("Int128", "UInt128"):
        short = values.cast(pl.Int64, strict=False)
        # As floats, different numbers beyond 64 bits could become the same state.
        return values.cast(pl.String) if short.null_count() else short
    if dtype.is_decimal():
        numbers = values.cast(pl.Float64)
        return numbers if numbers.n_unique() == len(values) else values.cast(pl.String)
    return values


def check_type(name: str, dtype: pl.DataType) -> None:
    """Reject a column of a type such as lists."""
    simple = dtype.is_numeric() or dtype.is_temporal()
    if not simple and dtype not in (pl.Categorical, pl.Enum, pl.Boolean, pl.String, pl.Null):
        raise without_states(name, dtype)


def without_states(name: str, dtype: object) -> DataError:
    """Return the error about a column of a type such as lists."""
    return DataError(
        f"column {name!r} has the type {dtype}, which has no discrete states: name it in ",
        Parameter("drop"),
    )
