"""The encoding of columns: the states of a column, and the state of every row as a code."""

from __future__ import annotations

import warnings
from collections import Counter
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from forebear._util.errors import DataError, ForebearWarning, Parameter
from forebear._util.text import counted, listing
from forebear.data.discretization import discretize_column, finite_numbers, merge_states
from forebear.data.distinct import Distinct, are_whole, distinct_values, state_names
from forebear.data.learned_cuts import Continuous, Discrete, learn_cuts
from forebear.data.read_options import MAX_ROWS, MAX_STATES, ReadOptions, is_listed
from forebear.data.row_weights import count_rows, weighted_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from forebear.data.row_weights import RowWeights

# An integer column is continuous if it has more distinct values than a category
# usually has (FEW), and these either hardly repeat (SHARE of the rows) or are
# too many for a table of counts (MANY). A column with the values 0 to 40 in a
# table of a thousand rows is still a category.
FEW, SHARE, MANY = 32, 0.05, 256


class Coded(NamedTuple):
    """The states of a column, and the code of every row.

    The code after the last state represents a missing value.
    """

    codes: NDArray[Any]
    states: tuple[str, ...]
    cut_from: Distinct | None = None
    """The values before they were cut into intervals, if they were."""


class Encoded(NamedTuple):
    """A coded table: codes (variables by rows), names and states."""

    codes: NDArray[Any]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    cut: dict[str, Distinct]
    """The values of the columns that were cut into intervals, before that."""
    weights: RowWeights | None = None

    @property
    def row_weights(self) -> dict[str, Any]:
        """The fields of a Dataset about weights."""
        if self.weights is None:
            return {}
        return {"copies": self.weights.copies, "weights": self.weights.units}


def encode(frame: pl.DataFrame, options: ReadOptions) -> Encoded:
    """Code every column."""
    check_names(frame.columns)
    check_rows(frame.height)
    frame, weights = weighted_rows(frame, options)
    columns = normalized(frame, options)
    names = tuple(column.name for column in columns)
    if options.missing == "error":
        _check_complete(columns)
    elif options.missing == "drop":
        columns, weights = _complete_rows(columns, weights)
    in_order = zip(columns, code_columns(columns, options, weights), strict=True)
    coded = {column.name: one for column, one in in_order}
    found = {name: one for name, one in coded.items() if one is not None}
    if len(found) < len(coded):
        raise _look_continuous([name for name in names if name not in found], len(names))
    states = [one.states for one in found.values()]
    if options.missing == "state":
        gaps = [column.null_count() > 0 for column in columns]
        states = [
            (*own, unused_name("missing", own)) if gap else own
            for own, gap in zip(states, gaps, strict=True)
        ]
    if empty := [name for name, own in zip(names, states, strict=True) if not own]:
        has, it = ("has", "it") if len(empty) == 1 else ("have", "them")
        raise DataError(
            f"{counted(len(empty), 'column')} {has} no values ({listing(empty)}): name {it} in ",
            Parameter("drop"),
        )
    check_states(names, states)
    codes = np.empty((len(names), len(columns[0])), dtype=code_type(states, missing=True))
    for row, one in zip(codes, found.values(), strict=True):
        row[:] = one.codes
    cut = {name: one.cut_from for name, one in found.items() if one.cut_from is not None}
    return Encoded(codes, names, tuple(states), cut, weights)


def code_columns(
    columns: Sequence[pl.Series], options: ReadOptions, weights: RowWeights | None = None
) -> list[Coded | None]:
    """Code every column; None if it is continuous and not to be cut."""
    found = [distinct_values(column) for column in columns]
    coded = [_code(*pair, options, weights) for pair in zip(columns, found, strict=True)]
    if options.discretize != "learned" or None not in coded:
        return coded
    cuts = learned_cuts(columns, coded, options, weights)
    return [
        one or Coded(*discretize_column(column, None, cuts[column.name]), distinct)
        for column, one, distinct in zip(columns, coded, found, strict=True)
    ]


def learned_cuts(
    columns: Sequence[pl.Series],
    coded: Sequence[Coded | None],
    options: ReadOptions,
    weights: RowWeights | None = None,
) -> dict[str, list[float]]:
    """Learn where to cut the columns that are not coded yet, by name."""
    if weights is not None and weights.counts is None:
        raise DataError(
            Parameter("discretize", "learned"),
            " counts whole rows, but the weights are not whole numbers: pass ",
            Parameter("discretize", "quantile"),
        )
    times = 1 if weights is None else weights.units
    parts: list[Continuous | Discrete] = []
    for column, one in zip(columns, coded, strict=True):
        if one is not None:
            arity = len(one.states) + (column.null_count() > 0)
            parts.append(Discrete(np.repeat(one.codes.astype(np.int64), times), arity))
        else:
            # Cuts that are given are not learnt, so this is a number.
            most: Any = options.bins_by_column.get(column.name, options.default_bins)
            parts.append(Continuous(np.repeat(finite_numbers(column), times), int(most)))
    return {columns[v].name: cuts.tolist() for v, cuts in learn_cuts(parts).items()}


def looks_continuous(
    column: pl.Series, distinct: Distinct, weights: RowWeights | None = None
) -> bool:
    """Return whether values are measurements rather than names of categories."""
    dtype = column.dtype
    if dtype.is_temporal():
        return True
    if not dtype.is_numeric():
        return False
    if dtype.is_float() and not are_whole(distinct.values):
        return True
    n_distinct, n_present = len(distinct.values), count_rows(column.is_not_null(), weights)
    return n_distinct > FEW and (n_distinct > SHARE * n_present or n_distinct > MANY)


def code_type(
    states: Iterable[Sequence[str]], *, missing: bool = False
) -> type[np.uint8 | np.uint16]:
    """Return the smallest type that holds the codes of states, and one more for missing values."""
    return np.uint8 if max(map(len, states)) + missing <= 256 else np.uint16


def check_names(names: Sequence[str]) -> None:
    """Reject a table without columns, or with two columns of the same name."""
    if not names:
        raise DataError("the table has no columns")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"several columns have the same name ({listing(twice)}): rename them")


def check_rows(n_rows: int) -> None:
    """Reject a table without rows, or with more rows than can be counted in 32 bits."""
    if n_rows == 0:
        raise DataError("the table has no rows")
    if n_rows > MAX_ROWS:
        raise DataError(f"the table has {n_rows:,} rows, more than the limit of {MAX_ROWS:,}")


def check_states(names: Sequence[str], states: Sequence[Sequence[str]]) -> None:
    """Reject columns without states, with too many, or with two of the same name."""
    for name, own in zip(names, states, strict=True):
        if not own:
            raise DataError(f"column {name!r} has no states")
        if len(own) > MAX_STATES:
            raise DataError(
                f"column {name!r} has {len(own):,} states, more than the limit of "
                f"{MAX_STATES:,}: it looks like an identifier, so name it in ",
                Parameter("drop"),
            )
        check_distinct(name, own)


def check_distinct(name: str, states: Sequence[str]) -> None:
    """Reject a column with two states of the same name."""
    if len(set(states)) < len(states):
        twice = [state for state, count in Counter(states).items() if count > 1]
        raise DataError(f"column {name!r} has several states called {listing(twice)}")


def without_states(name: str, dtype: object) -> DataError:
    """Return the error about a column of a type such as lists."""
    return DataError(
        f"column {name!r} has the type {dtype}, which has no discrete states: name it in ",
        Parameter("drop"),
    )


def normalized(frame: pl.DataFrame, options: ReadOptions) -> list[pl.Series]:
    """Reduce the columns to use to a few types, with null as the only mark of a missing value."""
    columns = [frame[name] for name in options.select(frame.columns)]
    own, default = options.tokens_by_column, options.default_tokens or ()
    return [mask_tokens(_normalized(c), own.get(c.name, default)) for c in columns]


def mask_tokens(column: pl.Series, tokens: Sequence[str]) -> pl.Series:
    """Make the values that mean a missing value null."""
    if not tokens or column.dtype == pl.Boolean:
        return column
    if isinstance(column.dtype, pl.Enum):
        left = [state for state in column.dtype.categories if state not in set(tokens)]
        texts = column.cast(pl.String)
        return texts.set(~texts.is_in(left), None).cast(pl.Enum(left))
    if column.dtype == pl.String:
        found = column.is_in(list(tokens))
    elif column.dtype.is_numeric():
        numbers = pl.Series(list(tokens), dtype=pl.String).cast(pl.Float64, strict=False)
        found = column.cast(pl.Float64).is_in(numbers.drop_nulls().to_list())
    else:
        return column
    return column.set(found, None) if found.any() else column


def _normalized(column: pl.Series) -> pl.Series:
    dtype = column.dtype
    if dtype == pl.Categorical:
        # The categories of a Categorical are shared by several columns, so they declare nothing.
        return column.cast(pl.String)
    if str(dtype) in ("Int128", "UInt128"):
        short = column.cast(pl.Int64, strict=False)
        # As floats, different numbers beyond 64 bits could become the same state.
        return short if short.null_count() == column.null_count() else column.cast(pl.String)
    if dtype.is_decimal():
        numbers = column.cast(pl.Float64)
        return numbers if numbers.n_unique() == column.n_unique() else column.cast(pl.String)
    if dtype.is_float():
        return column.fill_nan(None)
    if dtype.is_numeric() or dtype.is_temporal():
        return column
    if dtype in (pl.Enum, pl.Boolean, pl.String, pl.Null):
        return column
    raise without_states(column.name, dtype)


def _check_complete(columns: list[pl.Series]) -> None:
    """Reject missing values."""
    incomplete = [column for column in columns if column.null_count()]
    if not incomplete:
        return
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


def _look_continuous(continuous: Sequence[str], n_columns: int) -> DataError:
    """Return the error about columns that are continuous although no method cuts them."""
    look, them = ("looks", "it") if len(continuous) == 1 else ("look", "them")
    return DataError(
        f"{len(continuous)} of {counted(n_columns, 'column')} {look} continuous "
        f"({listing(continuous)}): pass ",
        Parameter("discretize", "quantile"),
        f", or name {them} in ",
        Parameter("drop"),
        " or ",
        Parameter("categorical"),
    )


def _complete_rows(
    columns: list[pl.Series], weights: RowWeights | None
) -> tuple[list[pl.Series], RowWeights | None]:
    """Leave out the rows with missing values, with a warning."""
    frame = pl.DataFrame(columns)
    complete = frame.select(pl.all_horizontal(pl.all().is_not_null())).to_series()
    if not complete.any():
        raise DataError(
            "every row has a missing value, so ",
            Parameter("missing", "drop"),
            " leaves no rows: pass ",
            Parameter("missing", "state"),
            ", or name the columns with the most missing values in ",
            Parameter("drop"),
        )
    if complete.all():
        return columns, weights
    left_out = count_rows(~complete, weights)
    n_rows = left_out + count_rows(complete, weights)
    warnings.warn(
        ForebearWarning(
            Parameter("missing", "drop"),
            f" left out {left_out:,} of {counted(n_rows, 'row')} ({left_out / n_rows:.1%})",
        ),
        # The caller of from_frame, from_array or read.
        stacklevel=5,
    )
    kept = None if weights is None else weights.of(complete.to_numpy())
    return frame.filter(complete).get_columns(), kept


def _code(
    column: pl.Series, distinct: Distinct, options: ReadOptions, weights: RowWeights | None
) -> Coded | None:
    """Code a column; None if it is continuous and not to be cut."""
    name = column.name
    kind = options.kinds.get(name)
    method, bins = options.discretize, options.bins_by_column.get(name)
    units = None if weights is None else weights.units
    coded = None
    if (declared := options.declared.get(name)) is not None:
        coded = _code_declared(name, distinct, state_names(declared))
    elif kind in ("categorical", "ordered") or not (
        kind == "continuous" or looks_continuous(column, distinct, weights)
    ):
        coded = Coded(distinct.codes, state_names(distinct.values))
    if coded is not None:
        if kind == "ordered" and method is not None and isinstance(bins, Integral):
            return Coded(*merge_states(coded.codes, coded.states, method, int(bins), units))
        return coded
    _check_cuttable(column, bins)
    if method in (None, "learned") and not is_listed(bins):
        return None
    own = options.default_bins if bins is None else bins
    return Coded(*discretize_column(column, method, own, units), distinct)


def _code_declared(name: str, distinct: Distinct, declared: tuple[str, ...]) -> Coded:
    """Code a column by the states that the caller declared."""
    place = {state: i for i, state in enumerate(declared)}
    values = state_names(distinct.values)
    places = np.array([*(place.get(value, -1) for value in values), len(declared)])
    placed = places[distinct.codes]
    if (placed < 0).any():
        first = values[int(distinct.codes[np.argmax(placed < 0)])]
        raise DataError(
            f"column {name!r} has the value {first!r}, "
            f"which is not one of the states declared for it ({listing(declared)})"
        )
    return Coded(placed, declared)


def _check_cuttable(column: pl.Series, bins: object) -> None:
    option = Parameter("continuous" if bins is None else "bins")
    if not (column.dtype.is_numeric() or column.dtype.is_temporal() or column.dtype == pl.Null):
        raise DataError(
            option, f" names column {column.name!r}, which has no numbers to discretize"
        )
    if column.dtype.is_temporal() and is_listed(bins):
        raise DataError(
            option,
            f" of column {column.name!r} must be a number of intervals: it holds dates or times",
        )


def unused_name(name: str, taken: Sequence[str]) -> str:
    """Return a name that is not taken: this one, or with a number after it."""
    candidate, i = name, 1
    while candidate in taken:
        i += 1
        candidate = f"{name}_{i}"
    return candidate
