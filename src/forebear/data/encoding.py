"""A frame's columns as small integer codes: which states there are, and which row has which."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from forebear._util.errors import DataError
from forebear._util.text import listing
from forebear.data.discretization import Discretize, check_method, discretize_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

Missing = Literal["error", "drop", "state"]

MAX_STATES = 65_535
MAX_ROWS = 2**31 - 1
DEFAULT_BINS = 5

# An integer column is continuous when it has more distinct values than a
# category has (FEW), and they either hardly repeat (SHARE of the rows) or are
# more than any table of counts could use (MANY). Codes such as 0..40 of a
# table with a thousand rows stay categories.
FEW, SHARE, MANY = 32, 0.05, 256

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Options:
    """How a raw table becomes codes; see ``Dataset.from_frame``."""

    missing: Missing = "error"
    discretize: Discretize | None = None
    bins: int | Mapping[str, int] = DEFAULT_BINS
    states: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.missing not in get_args(Missing):
            raise DataError(f'missing must be "error", "drop" or "state", got {self.missing!r}')
        check_method(self.discretize)
        counts = [self.bins] if isinstance(self.bins, int) else self.bins.values()
        for count in counts:
            if count < 2:
                raise DataError(f"bins must be at least 2, got {count}")
        if self.bins_of and self.discretize is None:
            raise DataError('bins of single columns need discretize="quantile" or "uniform"')

    @property
    def bins_of(self) -> Mapping[str, int]:
        """The numbers of bins that were given for single columns."""
        return {} if isinstance(self.bins, int) else self.bins

    @property
    def default_bins(self) -> int:
        """The number of bins of every other column."""
        return self.bins if isinstance(self.bins, int) else DEFAULT_BINS

    def check_columns(self, names: Iterable[str]) -> None:
        """Refuse options about columns that the table does not have."""
        known = set(names)
        for option, columns in (("states", self.states), ("bins", self.bins_of)):
            unknown = [name for name in columns if name not in known]
            if unknown:
                raise DataError(f"{option} names columns the table lacks: {listing(unknown)}")


def encode(
    frame: pl.DataFrame, options: Options
) -> tuple[NDArray[Any], tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Code every column: the codes (variables by rows), the names and the states."""
    names = tuple(frame.columns)
    check_names(names)
    check_rows(frame.height)
    options.check_columns(names)
    columns = _without_missing(_normalized(frame), options.missing)
    coded = [_encode_column(column, options) for column in columns]
    continuous = [name for name, pair in zip(names, coded, strict=True) if pair is None]
    if continuous:
        what = "looks" if len(continuous) == 1 else "look"
        raise DataError(
            f"{len(continuous)} of {_count(names, 'column')} {what} continuous "
            f'({listing(continuous)}): pass discretize="quantile" or drop them'
        )
    pairs = [pair for pair in coded if pair is not None]
    states = tuple(pair[1] for pair in pairs)
    check_states(names, states)
    codes = np.empty((len(names), len(columns[0])), dtype=code_type(states))
    for row, pair in zip(codes, pairs, strict=True):
        row[:] = pair[0]
    return codes, names, states


@dataclass(frozen=True)
class Column:
    """What a column of a raw table holds; ``n_states`` is None where it looks continuous."""

    name: str
    n_states: int | None
    n_missing: int


def describe(frame: pl.DataFrame) -> list[Column]:
    """Look at every column as ``encode`` would see it, missing values left out."""
    columns = []
    for column in _normalized(frame):
        coded = _encode_present(column.drop_nulls(), Options())
        n_states = None if coded is None else len(coded[1])
        columns.append(Column(column.name, n_states, column.null_count()))
    return columns


def code_type(states: Iterable[Sequence[str]]) -> type[np.uint8 | np.uint16]:
    """The smallest type that holds the codes of these states."""
    return np.uint8 if max(map(len, states)) <= 256 else np.uint16


def state_name(value: Any) -> str:
    """What a value is called as a state: whole numbers without a point, booleans in small."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort numbers by value and before words, and words with numbers in them by both."""
    if NUMBER.fullmatch(text):
        return (0, float(text), text)
    parts = re.split(r"(\d+)", text)
    return (1, tuple((i % 2, _number(p) if i % 2 else p) for i, p in enumerate(parts)), text)


def _number(digits: str) -> float:
    # Python reads no whole numbers of thousands of digits; such texts are sorted as texts.
    return int(digits) if len(digits) < 1000 else math.inf


def check_names(names: Sequence[str]) -> None:
    """Every column needs a name of its own."""
    if not names:
        raise DataError("the table has no columns")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"several columns have the same name: {listing(twice)}")


def check_rows(n_rows: int) -> None:
    """There is something to learn from, and rows can be counted in 32 bits."""
    if n_rows == 0:
        raise DataError("the table has no rows")
    if n_rows > MAX_ROWS:
        raise DataError(f"the table has {n_rows:,} rows, and {MAX_ROWS:,} are the most")


def check_states(names: Sequence[str], states: Sequence[Sequence[str]]) -> None:
    """Every column has states, each with a name of its own, and not absurdly many."""
    for name, own in zip(names, states, strict=True):
        if not own:
            raise DataError(f"column {name!r} has no states")
        if len(own) > MAX_STATES:
            raise DataError(
                f"column {name!r} has {len(own):,} states, more than {MAX_STATES:,}: "
                "it looks like an identifier, drop it"
            )
        if len(set(own)) < len(own):
            twice = [state for state, count in Counter(own).items() if count > 1]
            raise DataError(f"column {name!r} has several states called {listing(twice)}")


def _normalized(frame: pl.DataFrame) -> list[pl.Series]:
    """The columns with few types to tell apart, and null the only sign of a missing value."""
    return [_normalized_column(column) for column in frame.get_columns()]


def _normalized_column(column: pl.Series) -> pl.Series:
    dtype = column.dtype
    if dtype == pl.Categorical:
        # A Categorical shares its list of categories with other columns: it declares none.
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
    """Apply the rule for missing values; with "state" they stay, to be coded later."""
    holed = [column for column in columns if column.null_count()]
    if missing == "state" or not holed:
        return columns
    if missing == "error":
        what = "has" if len(holed) == 1 else "have"
        counts = [f"{column.name}: {column.null_count()}" for column in holed]
        raise DataError(
            f"{len(holed)} of {_count(columns, 'column')} {what} missing values "
            f'({listing(counts)}): pass missing="drop" to leave those rows out, '
            'or missing="state" to make missing a state of its own'
        )
    whole = np.ones(len(columns[0]), dtype=bool)
    for column in holed:
        whole &= column.is_not_null().to_numpy()
    if not whole.any():
        raise DataError(
            'every row has a missing value, so missing="drop" leaves none: '
            'pass missing="state", or drop the columns with most missing values'
        )
    keep = pl.Series(whole)
    return [column.filter(keep) for column in columns]


def _encode_column(
    column: pl.Series, options: Options
) -> tuple[NDArray[Any], tuple[str, ...]] | None:
    """The codes and the states of a column; None if it is continuous and must not be."""
    n_missing = column.null_count()
    present = column.drop_nulls() if n_missing else column
    coded = _encode_present(present, options)
    if coded is None or not n_missing:
        return coded
    codes, states = coded
    everywhere = np.full(len(column), len(states), dtype=np.int64)
    everywhere[column.is_not_null().to_numpy()] = codes
    return everywhere, (*states, _unused_name("missing", states))


def _encode_present(
    present: pl.Series, options: Options
) -> tuple[NDArray[Any], tuple[str, ...]] | None:
    """Code a column without nulls."""
    name = present.name
    declared = options.states.get(name)
    method, bins = options.discretize, options.bins_of.get(name)
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
    """Code a column by the states that the caller listed."""
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
            f"which is not one of its declared states ({listing(declared)})"
        )
    return placed, tuple(declared)


def _distinct(present: pl.Series) -> tuple[Sequence[Any], NDArray[Any]]:
    """The possible values of a column in the order of their codes, and the codes."""
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
    """``np.unique`` with the inverse, by counting where the integers lie close together."""
    if numbers.dtype.kind in "iu" and len(numbers):
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < max(1024, 4 * len(numbers)) and high < 2**63:
            shifted = numbers.astype(np.int64) - low
            seen = np.bincount(shifted) > 0
            return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[shifted]
    return np.unique(numbers, return_inverse=True)


def _looks_continuous(dtype: pl.DataType, values: Sequence[Any], n_present: int) -> bool:
    """Whether numbers measure something rather than name a category."""
    if not dtype.is_numeric():
        return False
    if dtype.is_float() and not all(value.is_integer() for value in values):
        return True
    n_distinct = len(values)
    return n_distinct > FEW and (n_distinct > SHARE * n_present or n_distinct > MANY)


def _check_ordered(column: pl.Series) -> None:
    if not (column.dtype.is_numeric() or column.dtype.is_temporal()):
        raise DataError(f"bins names column {column.name!r}, which holds no numbers to cut")


def _unused_name(name: str, taken: Sequence[str]) -> str:
    candidate, i = name, 1
    while candidate in taken:
        i += 1
        candidate = f"{name}_{i}"
    return candidate


def _count(items: Sequence[Any], noun: str) -> str:
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"
