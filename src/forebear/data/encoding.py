"""The encoding of columns: the states of a column, and the state of every row as a code."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear._util.errors import DataError, ForebearWarning, Parameter
from forebear._util.text import counted, listing
from forebear.data.coding import Coding, ColumnCoding, Unseen, check_missing_states, kind_of
from forebear.data.discretization import discretize_column, finite_numbers, merge_states
from forebear.data.distinct import are_whole, state_names
from forebear.data.learned_cuts import Continuous, Discrete, learn_cuts
from forebear.data.normalization import normalized
from forebear.data.raw_table import Column, RawTable, small_type, take_rows, translated
from forebear.data.read_options import MAX_ROWS, MAX_STATES, MISSING_TOKENS, ReadOptions, is_listed
from forebear.data.row_weights import RowWeights, weighted_table

# An integer column is continuous if it has more distinct values than a category
# usually has (FEW), and these either hardly repeat (SHARE of the rows) or are
# too many for a table of counts (MANY). A column with the values 0 to 40 in a
# table of a thousand rows is still a category.
FEW, SHARE, MANY = 32, 0.05, 256


class Coded(NamedTuple):
    """The states of a column, and the state of every distinct value.

    The number after the last state represents a missing value.
    """

    places: NDArray[Any]
    states: tuple[str, ...]
    cuts: tuple[float, ...] | None = None
    """The edges of the intervals, if the states are intervals of the values."""
    merged: dict[str, int] | None = None
    """The place of every original state, if states were merged."""


class Encoded(NamedTuple):
    """A coded table: codes (variables by rows), names and states."""

    codes: NDArray[Any]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    cut: list[Column]
    """The discretized columns, before discretization."""
    coding: Coding
    weights: RowWeights | None = None
    intervened: NDArray[np.bool_] | None = None

    @property
    def about_rows(self) -> dict[str, Any]:
        """The fields of a Dataset about weights and interventions."""
        fields: dict[str, Any] = {"intervened": self.intervened}
        if self.weights is not None:
            fields |= {"copies": self.weights.copies, "weights": self.weights.units}
        return fields


def encode(
    table: RawTable,
    options: ReadOptions,
    coding: Mapping[str, ColumnCoding] | None = None,
    unseen: Unseen = "error",
) -> Encoded:
    """Code every column; those in ``coding`` as it was done with another table."""
    check_rows(table.n_rows)
    given = coding or {}
    table = weighted_table(table, options)
    columns = [
        given[column.name].known(column, unseen) if column.name in given else column
        for column in normalized(table, options, given)
    ]
    names = tuple(column.name for column in columns)
    if options.missing == "error":
        _check_complete(columns)
    elif options.missing == "drop":
        columns = _complete_rows(columns)
    coded = code_columns(columns, options, given)
    found = [one for one in coded if one is not None]
    if len(found) < len(coded):
        continuous = [c.name for c, one in zip(columns, coded, strict=True) if one is None]
        raise _look_continuous(continuous, len(names))
    codings = [
        given.get(column.name) or _coding_of(column, one, options)
        for column, one in zip(columns, found, strict=True)
    ]
    states = [own.states for own in codings]
    _check_values(names, states)
    check_states(names, states)
    cut = [column for column, one in zip(columns, found, strict=True) if one.cuts is not None]
    weights = columns[0].weights
    if options.missing == "state" and unseen == "error":
        check_missing_states(columns, codings)
    intervened = _mask_of(columns)
    has_states = options.missing == "state"
    missing = [len(own.states) - (own.missing_state and has_states) for own in codings]
    codes = _final_codes(table, columns, found, missing)
    own_coding = Coding(dict(zip(names, codings, strict=True)), options)
    return Encoded(codes, names, tuple(states), cut, own_coding, weights, intervened)


def _mask_of(columns: Sequence[Column]) -> NDArray[np.bool_] | None:
    """Return which values were set, variables by rows; None if none was."""
    if all(column.was_set is None for column in columns):
        return None
    mask = np.zeros((len(columns), len(columns[0].rows)), np.bool_)
    for own, column in zip(mask, columns, strict=True):
        own[:] = False if column.was_set is None else column.was_set
    return mask


def _coding_of(column: Column, coded: Coded, options: ReadOptions) -> ColumnCoding:
    """Return how a column was coded, for other rows."""
    usual = MISSING_TOKENS if options.default_tokens is None else options.default_tokens
    tokens = options.tokens_by_column.get(column.name, usual)
    is_state = options.missing == "state" and column.n_missing > 0
    return ColumnCoding(
        (*coded.states, unused_name("missing", coded.states)) if is_state else coded.states,
        coded.cuts,
        "number" if coded.cuts is None else kind_of(column.dtype),
        coded.merged,
        tuple(map(str, tokens)),
        is_state,
        options.kinds.get(column.name) == "ordered",
    )


def _check_values(names: Sequence[str], states: Sequence[Sequence[str]]) -> None:
    """Reject columns without values."""
    if empty := [name for name, own in zip(names, states, strict=True) if not own]:
        has, it = ("has", "it") if len(empty) == 1 else ("have", "them")
        raise DataError(
            f"{counted(len(empty), 'column')} {has} no values ({listing(empty)}): name {it} in ",
            Parameter("drop"),
        )


def _final_codes(
    table: RawTable, columns: list[Column], coded: list[Coded], missing: Sequence[int]
) -> NDArray[Any]:
    """Return the codes of all rows; release each column, because both need much memory."""
    n_rows = len(columns[0].rows)
    most = max(max(missing), max(len(one.states) for one in coded))
    codes = np.empty((len(columns), n_rows), dtype=small_type(most + 1))
    table.columns.clear()
    columns.reverse()
    for row, one, place in zip(codes, coded, missing, strict=True):
        column = columns.pop()
        translated(column.rows, np.append(one.places, place)[column.places], row)
    return codes


def code_columns(
    columns: Sequence[Column],
    options: ReadOptions,
    coding: Mapping[str, ColumnCoding] | None = None,
) -> list[Coded | None]:
    """Code every column; None if it is continuous and not discretized yet."""
    given = coding or {}
    coded = [
        Coded(own.places(column), own.states)
        if (own := given.get(column.name)) is not None
        else _code(column, options)
        for column in columns
    ]
    if options.discretize != "learned" or None not in coded:
        return coded
    cuts = learned_cuts(columns, coded, options)
    return [
        one or Coded(*discretize_column(column, None, cuts[column.name]))
        for column, one in zip(columns, coded, strict=True)
    ]


def learned_cuts(
    columns: Sequence[Column], coded: Sequence[Coded | None], options: ReadOptions
) -> dict[str, list[float]]:
    """Learn where to cut the columns that are not coded yet, by name."""
    weights = columns[0].weights
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
            codes = np.append(one.places, len(one.states))[column.codes]
            arity = len(one.states) + (column.n_missing > 0)
            parts.append(Discrete(np.repeat(codes.astype(np.int64), times), arity))
        else:
            # Cuts that are given are not learned, so this is a number.
            most: Any = options.bins_by_column.get(column.name, options.default_bins)
            numbers = np.append(finite_numbers(column), np.nan)[column.codes]
            parts.append(Continuous(np.repeat(numbers, times), int(most)))
    return {columns[v].name: cuts.tolist() for v, cuts in learn_cuts(parts).items()}


def looks_continuous(column: Column) -> bool:
    """Return whether values are measurements rather than names of categories."""
    dtype = column.dtype
    if dtype.is_temporal():
        return True
    if not dtype.is_numeric():
        return False
    if dtype.is_float() and not are_whole(column.labels):
        return True
    n_distinct = len(column.values)
    return n_distinct > FEW and (n_distinct > SHARE * column.n_present or n_distinct > MANY)


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


def _check_complete(columns: list[Column]) -> None:
    """Reject missing values."""
    incomplete = [column for column in columns if column.n_missing]
    if not incomplete:
        return
    have = "has" if len(incomplete) == 1 else "have"
    counts = [f"{column.name}: {column.n_missing:,}" for column in incomplete]
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
    """Return the error about continuous columns without a method to discretize them."""
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


def _complete_rows(columns: list[Column]) -> list[Column]:
    """Leave out the rows with missing values, with a warning."""
    n_rows = len(columns[0].rows)
    complete = np.ones(n_rows, dtype=np.bool_)
    for column in columns:
        if column.n_missing:
            complete &= (column.places < len(column.values))[column.rows]
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
        return columns
    n_kept, n_dropped = columns[0].count(complete), columns[0].count(~complete)
    n_rows = n_kept + n_dropped
    warnings.warn(
        ForebearWarning(
            Parameter("missing", "drop"),
            f" left out {n_dropped:,} of {counted(n_rows, 'row')} ({n_dropped / n_rows:.1%})",
        ),
        # The caller of from_frame, from_array or read.
        stacklevel=5,
    )
    return take_rows(columns, complete)


def _code(column: Column, options: ReadOptions) -> Coded | None:
    """Code a column; None if it is continuous and not discretized yet."""
    name = column.name
    kind = options.kinds.get(name)
    method, bins = options.discretize, options.bins_by_column.get(name)
    coded = None
    if (declared := options.declared.get(name)) is not None:
        coded = _code_declared(column, state_names(declared))
    elif kind in ("categorical", "ordered") or not (
        kind == "continuous" or looks_continuous(column)
    ):
        coded = Coded(np.arange(len(column.values)), state_names(column.labels))
    if coded is not None:
        if kind == "ordered" and method is not None and isinstance(bins, Integral):
            new, merged = merge_states(*coded[:2], column.counts[:-1], method, int(bins))
            of_state = dict(zip(coded.states, new.tolist(), strict=True))
            # Declared values without a state have no rows.
            return Coded(np.append(new, 0)[coded.places], merged, None, of_state)
        return coded
    _check_cuttable(column, bins)
    if method in (None, "learned") and not is_listed(bins):
        return None
    own = options.default_bins if bins is None else bins
    return Coded(*discretize_column(column, method, own))


def _code_declared(column: Column, declared: tuple[str, ...]) -> Coded:
    """Code a column by the states that the caller declared."""
    place = {state: i for i, state in enumerate(declared)}
    values = state_names(column.labels)
    places = np.array([place.get(value, -1) for value in values], dtype=np.intp)
    unknown = np.append((places < 0) & (column.counts[:-1] > 0), False)
    if unknown.any():
        first = values[int(column.codes[np.argmax(unknown[column.codes])])]
        raise DataError(
            f"column {column.name!r} has the value {first!r}, "
            f"which is not one of the states declared for it ({listing(declared)})"
        )
    return Coded(np.where(places < 0, len(declared), places), declared)


def _check_cuttable(column: Column, bins: object) -> None:
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
