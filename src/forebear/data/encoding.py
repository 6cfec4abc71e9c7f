"""The coding of columns: which states a column has, and which row has which state."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from forebear._util.errors import DataError, Parameter
from forebear._util.text import counted, listing
from forebear.data.discretization import discretize_column
from forebear.data.reading import GAP_WAYS, MAX_STATES, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from forebear.data.reading import Missing

MAX_ROWS = 2**31 - 1
"""The most rows: counts have 32 bits."""

# An integer column is continuous if it has more distinct values than a category
# usually has (FEW), and these either hardly repeat (SHARE of the rows) or are
# too many for a table of counts (MANY). A column with the values 0 to 40 in a
# table of a thousand rows is still a category.
FEW, SHARE, MANY = 32, 0.05, 256

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def encode(
    frame: pl.DataFrame, options: ReadOptions
) -> tuple[NDArray[Any], tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Code every column; return the codes (variables by rows), the names and the states."""
    names = tuple(frame.columns)
    check_names(names)
    check_rows(frame.height)
    options.check_columns(names)
    columns = _without_missing(_normalized(frame), options.missing)
    coded = [_encode_column(column, options) for column in columns]
    continuous = [name for name, pair in zip(names, coded, strict=True) if pair is None]
    if continuous:
        look, them = ("looks", "it") if len(continuous) == 1 else ("look", "them")
        raise DataError(
            f"{len(continuous)} of {counted(len(names), 'column')} {look} continuous "
            f"({listing(continuous)}): pass ",
            Parameter("discretize", "quantile"),
            f" or drop {them}",
        )
    pairs = [pair for pair in coded if pair is not None]
    states = tuple(pair[1] for pair in pairs)
    check_states(names, states)
    codes = np.empty((len(names), len(columns[0])), dtype=code_type(states, gaps=True))
    for row, pair in zip(codes, pairs, strict=True):
        row[:] = pair[0]
    return codes, names, states


@dataclass(frozen=True)
class Column:
    """What a column of a raw table holds; ``n_states`` is None if it looks continuous."""

    name: str
    n_states: int | None
    n_missing: int


def describe(frame: pl.DataFrame) -> list[Column]:
    """Describe every column as ``encode`` would see it, without missing values."""
    columns = []
    for column in _normalized(frame):
        coded = _encode_present(column.drop_nulls(), ReadOptions())
        n_states = None if coded is None else len(coded[1])
        columns.append(Column(column.name, n_states, column.null_count()))
    return columns


def code_type(states: Iterable[Sequence[str]], *, gaps: bool = False) -> type[np.uint8 | np.uint16]:
    """Return the smallest type that holds the codes of these states, and one more for gaps."""
    return np.uint8 if max(map(len, states)) + gaps <= 256 else np.uint16


def state_name(value: Any) -> str:
    """Return the name of a value as a state: 1.0 is "1", True is "true"."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort numbers by value and before words; compare numbers inside words by value, too."""
    if NUMBER.fullmatch(text):
        return (0, float(text), text)
    parts = re.split(r"(\d+)", text)
    return (1, tuple((i % 2, _number(p) if i % 2 else p) for i, p in enumerate(parts)), text)


def _number(digits: str) -> float:
    # Python does not parse integers with thousands of digits.
    return int(digits) if len(digits) < 1000 else math.inf


def check_names(names: Sequence[str]) -> None:
    """Refuse a table without columns, or with two columns of the same name."""
    if not names:
        raise DataError("the table has no columns")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"several columns have the same name ({listing(twice)}): rename them")


def check_rows(n_rows: int) -> None:
    """Refuse a table without rows, or with more rows than can be counted in 32 bits."""
    if n_rows == 0:
        raise DataError("the table has no rows")
    if n_rows > MAX_ROWS:
        raise DataError(f"the table has {n_rows:,} rows, more than the limit of {MAX_ROWS:,}")


def check_states(names: Sequence[str], states: Sequence[Sequence[str]]) -> None:
    """Refuse columns without states, with too many, or with two of the same name."""
    for name, own in zip(names, states, strict=True):
        if not own:
            raise DataError(f"column {name!r} has no states")
        if len(own) > MAX_STATES:
            raise DataError(
                f"column {name!r} has {len(own):,} states, more than the limit of "
                f"{MAX_STATES:,}: it looks like an identifier, so drop it"
            )
        if len(set(own)) < len(own):
            twice = [state for state, count in Counter(own).items() if count > 1]
            raise DataError(f"column {name!r} has several states called {listing(twice)}")


def _normalized(frame: pl.DataFrame) -> list[pl.Series]:
    """Reduce the columns to a few types, with null as the only mark of a missing value."""
    return [_normalized_column(column) for column in frame.get_columns()]


def _normalized_column(column: pl.Series) -> pl.Series:
    dtype = column.dtype
    if dtype == pl.Categorical:
        # The categories of a Categorical are shared by several columns, so they declare nothing.
        return column.cast(pl.String)
    if dtype.is_decimal() or str(dtype) in ("Int128", "UInt128"):
        return column.cast(pl.Float64)
    if dtype.is_float():
        return column.fill_nan(None)
    if dtype.is_numeric() or dtype.is_temporal():
        return column
    if dtype in (pl.Enum, pl.Boolean, pl.String, pl.Null):
        return column
    raise DataError(
        f"column {column.name!r} has the type {dtype}, which has no discrete states: drop it"
    )


def _without_missing(columns: list[pl.Series], missing: Missing) -> list[pl.Series]:
    """Apply the rule for missing values; where they stay, they are coded later."""
    incomplete = [column for column in columns if column.null_count()]
    if missing == "state" or missing in GAP_WAYS or not incomplete:
        return columns
    if missing == "error":
        have = "has" if len(incomplete) == 1 else "have"
        counts = [f"{column.name}: {column.null_count():,}" for column in incomplete]
        raise DataError(
            f"{len(incomplete)} of {counted(len(columns), 'column')} {have} missing values "
            f"({listing(counts)}): pass ",
            Parameter("missing", "em"),
            " to learn from all rows, ",
            Parameter("missing", "drop"),
            " to leave out those rows, or ",
            Parameter("missing", "state"),
            " to make missing values a state of their own",
        )
    complete = np.ones(len(columns[0]), dtype=bool)
    for column in incomplete:
        complete &= column.is_not_null().to_numpy()
    if not complete.any():
        raise DataError(
            "every row has a missing value, so ",
            Parameter("missing", "drop"),
            " leaves no rows: pass ",
            Parameter("missing", "state"),
            ", or drop the columns with the most missing values",
        )
    keep = pl.Series(complete)
    return [column.filter(keep) for column in columns]


def _encode_column(
    column: pl.Series, options: ReadOptions
) -> tuple[NDArray[Any], tuple[str, ...]] | None:
    """Return the codes and the states of a column; None if it is continuous and not to be cut."""
    n_missing = column.null_count()
    present = column.drop_nulls() if n_missing else column
    coded = _encode_present(present, options)
    if coded is None or not n_missing:
        return coded
    codes, states = coded
    everywhere = np.full(len(column), len(states), dtype=np.int64)
    everywhere[column.is_not_null().to_numpy()] = codes
    if options.missing in GAP_WAYS:
        return everywhere, states
    return everywhere, (*states, _unused_name("missing", states))


def _encode_present(
    present: pl.Series, options: ReadOptions
) -> tuple[NDArray[Any], tuple[str, ...]] | None:
    """Code a column without nulls; None if it is continuous and not to be cut."""
    name = present.name
    declared = (options.states or {}).get(name)
    method, bins = options.discretize, options.bins_by_column.get(name)
    if declared is not None:
        return _encode_declared(present, [state_name(state) for state in declared])
    if method is not None and bins is not None:
        _check_ordered(present)
        return discretize_column(present, method, bins)
    if present.dtype.is_temporal():
        looks_continuous = True
    else:
        values, codes = _distinct(present)
        looks_continuous = _looks_continuous(present.dtype, values, len(present))
    if not looks_continuous:
        return codes, tuple(map(state_name, values))
    return None if method is None else discretize_column(present, method, options.default_bins)


def _encode_declared(
    present: pl.Series, declared: Sequence[str]
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Code a column by the states that the caller declared."""
    if present.dtype.is_temporal():
        present = present.cast(pl.String)
    values, codes = _distinct(present)
    place = {state: i for i, state in enumerate(declared)}
    places = np.array([place.get(state_name(value), -1) for value in values], dtype=np.int64)
    placed = places[codes]
    if (placed < 0).any():
        first = values[int(codes[np.argmax(placed < 0)])]
        raise DataError(
            f"column {present.name!r} has the value {state_name(first)!r}, "
            f"which is not one of the states declared for it ({listing(declared)})"
        )
    return placed, tuple(declared)


def _distinct(present: pl.Series) -> tuple[Sequence[Any], NDArray[Any]]:
    """Return the possible values of a column in the order of their codes, and the codes."""
    dtype = present.dtype
    if isinstance(dtype, pl.Enum):
        return dtype.categories.to_list(), present.to_physical().to_numpy()
    if dtype == pl.Boolean:
        return (False, True), present.cast(pl.UInt8).to_numpy()
    if dtype == pl.String:
        texts = sorted(present.unique().to_list(), key=natural_key)
        return texts, present.cast(pl.Enum(texts)).to_physical().to_numpy()
    if dtype == pl.Null:
        return (), np.empty(0, dtype=np.int64)
    numbers = present.to_numpy()
    values, codes = _distinct_numbers(numbers)
    return values.tolist(), codes


def _distinct_numbers(numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Do as ``np.unique`` with the inverse, but faster where integers lie close together."""
    if numbers.dtype.kind in "iu" and len(numbers):
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < max(1024, 4 * len(numbers)) and high < 2**63:
            shifted = numbers.astype(np.int64) - low
            seen = np.bincount(shifted) > 0
            return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[shifted]
    return np.unique(numbers, return_inverse=True)


def _looks_continuous(dtype: pl.DataType, values: Sequence[Any], n_present: int) -> bool:
    """Tell whether numbers are measurements rather than names of categories."""
    if not dtype.is_numeric():
        return False
    if dtype.is_float() and not all(value.is_integer() for value in values):
        return True
    n_distinct = len(values)
    return n_distinct > FEW and (n_distinct > SHARE * n_present or n_distinct > MANY)


def _check_ordered(column: pl.Series) -> None:
    if not (column.dtype.is_numeric() or column.dtype.is_temporal()):
        raise DataError(
            Parameter("bins"), f" names column {column.name!r}, which has no numbers to cut"
        )


def _unused_name(name: str, taken: Sequence[str]) -> str:
    candidate, i = name, 1
    while candidate in taken:
        i += 1
        candidate = f"{name}_{i}"
    return candidate
