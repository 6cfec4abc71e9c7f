"""Coding: how the values of a table became states, so that the same is done with other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear._util.checks import check_choice
from forebear._util.errors import DataError, Parameter
from forebear._util.text import counted, listing
from forebear.data.discretization import as_numbers, check_cuts, cuts_of, finite_numbers
from forebear.data.distinct import state_names
from forebear.data.formats.texttypes import TextRules, typed_column
from forebear.data.raw_table import Column
from forebear.data.read_options import FILE_OPTIONS, MISSING_TOKENS, ReadOptions
from forebear.data.set_mask import SetMask

Unseen: TypeAlias = Literal["error", "missing"]
"""What is done with values that are none of the states of a network."""

_TIMES: dict[str, Any] = {
    "date": pl.Date,
    "datetime": pl.Datetime("us"),
    "time": pl.Time,
    "duration": pl.Duration("us"),
}

_OPTIONS = ("missing", "drop", "weights", "intervened", "missing_tokens", "rows", *FILE_OPTIONS)
"""The options of a table that are not replaced by the codings of its columns."""


def check_unseen(unseen: object) -> None:
    """Reject another value of the parameter ``unseen``."""
    check_choice(get_args(Unseen), unseen=unseen)


@dataclass(frozen=True)
class ColumnCoding:
    """How the values of one column became states.

    Parameters
    ----------
    states
        The states, in the order of their codes.
    cuts
        The exact edges of the intervals, where the states are intervals. Default None.
    kind
        What is cut: "number", "date", "datetime", "time" or "duration". Default "number".
    merged
        The code of every original state, where neighboring states were merged. Default None.
    missing_tokens
        Values that are read as missing unless they are states.
    missing_state
        Whether the last state represents missing values. Default False.
    ordered
        Whether the user described the states as ordered. Default False.
    """

    states: tuple[str, ...]
    cuts: tuple[float, ...] | None = None
    kind: str = "number"
    merged: Mapping[str, int] | None = None
    missing_tokens: tuple[str, ...] = MISSING_TOKENS
    missing_state: bool = False
    ordered: bool = False

    def __post_init__(self) -> None:
        check_choice(("number", *_TIMES), kind=self.kind)
        if self.cuts:
            check_cuts("?", self.cuts)
        n_intervals = len(self.states) - self.missing_state
        if self.cuts is not None and len(self.cuts) + 1 != n_intervals:
            raise DataError("the number of cuts does not fit the number of states")
        if self.merged and not all(0 <= k < n_intervals for k in self.merged.values()):
            raise DataError("values were merged to states that do not exist")

    @property
    def has_order(self) -> bool:
        """Whether all states are ordered: intervals, or states that the user called ordered."""
        return (self.ordered or self.cuts is not None) and not self.missing_state

    @property
    def tokens(self) -> list[str]:
        """The values that are read as missing."""
        return [token for token in self.missing_tokens if token not in self.states]

    def places(self, column: Column) -> NDArray[np.intp]:
        """Return the code of every distinct value of a column; -1 for a value without a state."""
        dtype = column.dtype
        if self.cuts is not None and (dtype.is_numeric() or dtype.is_temporal()):
            return self._intervals(column)  # names would take long
        index = {**(self.merged or {}), **{state: k for k, state in enumerate(self.states)}}
        names = state_names(column.labels)
        places = np.array([index.get(name, -1) for name in names], dtype=np.intp)
        if self.cuts is None:
            return places
        return np.where(places < 0, self._intervals(column), places)

    def _intervals(self, column: Column) -> NDArray[np.intp]:
        """Return the interval of every distinct value; -1 for values of another kind."""
        values, cuts = column.values, np.array(self.cuts, dtype=np.float64)
        if values.dtype == pl.String and self.kind != "number":
            values = typed_column(values, TextRules(()))  # dates as text
        own = kind_of(values.dtype)
        if own == self.kind == "number":
            # Also numbers that were read as text, because the column has other values as well.
            if values.dtype.is_numeric():
                numbers = finite_numbers(column)
            else:
                numbers = as_numbers(values.cast(pl.String).cast(pl.Float64, strict=False))
        elif own == self.kind or {own, self.kind} == {"date", "datetime"}:
            numbers = as_numbers(values.cast(_TIMES[self.kind]))
        else:
            return np.full(len(values), -1, dtype=np.intp)
        return np.where(np.isnan(numbers), -1, np.searchsorted(cuts, numbers, side="left"))

    def known(self, column: Column, unseen: Unseen) -> Column:
        """Reject values that are none of the states, or replace them by missing values."""
        unknown = (self.places(column) < 0) & (column.counts[:-1] > 0)
        if not unknown.any():
            return column
        if unseen == "error":
            row = int(np.argmax(np.append(unknown, False)[column.codes]))
            first = state_names(column.labels)[int(column.codes[row])]
            raise DataError(
                f"column {column.name!r} has the value {first!r}, which is none of its states in "
                f"the network ({listing(self.states)}): pass ",
                Parameter("unseen", "missing"),
                " to treat such values as missing",
            )
        return column.with_values(column.values.set(pl.Series(unknown), None))

    def to_fields(self) -> dict[str, Any]:
        """Return plain values; default values are left out."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "states"}
        usual = type(self)(self.states)
        changed = {n: v for n, v in given.items() if v != getattr(usual, n)}
        plain = {n: list(v) if isinstance(v, tuple) else v for n, v in changed.items()}
        return {"states": list(self.states), **plain}

    @classmethod
    def of_fields(cls, given: Mapping[str, Any]) -> Self:
        """Return a coding of plain values, which are checked."""
        own = dict(given)
        for name in ("states", "missing_tokens"):
            _check_texts(name, own.get(name, []))
        tuples: dict[str, Any] = {n: tuple(v) for n, v in own.items() if isinstance(v, list)}
        if own.get("merged") is not None:
            tuples["merged"] = {str(value): int(k) for value, k in own["merged"].items()}
        return cls(**{**own, **tuples})


@dataclass(frozen=True)
class Coding:
    """How a table was coded, so that other rows get the same codes.

    ``Dataset.coding``, ``Network.coding`` and the file of a ``Result`` hold it.

    Parameters
    ----------
    columns
        How each column was coded, by name.
    options
        The options of the table: how missing values are handled, the columns of the weights and of
        the interventions, and those about text files. Default: ``ReadOptions()``.
    """

    columns: Mapping[str, ColumnCoding]
    options: ReadOptions = field(default_factory=ReadOptions)

    def __post_init__(self) -> None:
        kept = {name: getattr(self.options, name) for name in _OPTIONS}
        if isinstance(kept["missing_tokens"], Mapping):  # the columns have their own
            kept["missing_tokens"] = self.options.default_tokens
        if isinstance(kept["intervened"], SetMask):  # it is about the rows of that table
            kept["intervened"] = None
        object.__setattr__(self, "options", ReadOptions(**kept))

    def for_network(self, names: Sequence[str], states: Sequence[tuple[str, ...]]) -> Coding:
        """Return the coding of these variables; those with other states are coded by state name."""
        columns = {
            name: own
            if (own := self.columns.get(name)) is not None and own.states == tuple(these)
            else coding_of_states(these)
            for name, these in zip(names, states, strict=True)
        }
        return replace(self, columns=columns)

    def to_fields(self) -> dict[str, Any]:
        """Return plain values for a file."""
        usual = ReadOptions()
        given = {name: getattr(self.options, name) for name in _OPTIONS}
        return {
            "options": {n: _plain(v) for n, v in given.items() if v != getattr(usual, n)},
            "columns": {name: own.to_fields() for name, own in self.columns.items()},
        }

    @classmethod
    def of_fields(cls, given: Mapping[str, Any]) -> Self:
        """Return a coding of the plain values of a file, which are checked."""
        columns = {str(name): ColumnCoding.of_fields(v) for name, v in given["columns"].items()}
        for name in ("drop", "missing_tokens"):
            _check_texts(name, given["options"].get(name, []))
        return cls(columns, ReadOptions(**given["options"]))


def coding_of_states(states: Sequence[str]) -> ColumnCoding:
    """Return the coding that the names of states imply: numbers are put into intervals."""
    is_state = len(states) > 1 and states[-1] == "missing"
    found = cuts_of(states[:-1] if is_state else states)
    if found is None:
        return ColumnCoding(tuple(states), missing_tokens=(), missing_state=is_state)
    kind, cuts = kind_of(found[0]), tuple(found[1].tolist())
    return ColumnCoding(tuple(states), cuts, kind, missing_tokens=(), missing_state=is_state)


def check_missing_states(columns: Sequence[Column], codings: Sequence[ColumnCoding]) -> None:
    """Reject missing values in columns that have no state for them."""
    without = [
        column.name
        for column, own in zip(columns, codings, strict=True)
        if column.n_missing and not own.missing_state
    ]
    if without:
        raise DataError(
            f"{counted(len(without), 'column has', 'columns have')} missing values "
            f"({listing(without)}), but the network has no state for them: pass ",
            Parameter("unseen", "missing"),
            " to treat them as not observed",
        )


def kind_of(dtype: pl.DataType) -> str:
    """Return what the cuts of a column of this type are."""
    return dtype.base_type().__name__.lower() if dtype.is_temporal() else "number"


def _check_texts(name: str, value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise DataError(f"{name} must be a list of texts")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
