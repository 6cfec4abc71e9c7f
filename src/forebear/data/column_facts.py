"""ColumnFacts: the content of a column, for summaries and the search for suspicious columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear.data.distinct import are_whole, state_names
from forebear.data.encoding import check_rows, looks_continuous
from forebear.data.normalization import normalized
from forebear.data.raw_table import Column, RawTable, count_codes
from forebear.data.read_options import ReadOptions
from forebear.data.row_weights import weighted_table

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset

_INTERVAL = re.compile(r"(up_to|from|above)_.+")
_WHOLE = re.compile(r"[+-]?\d+")


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """A column during encoding.

    Attributes
    ----------
    name
        The name of the column.
    kind, values
        As in ``ColumnSummary``.
    states
        The states in order; of a continuous column the smallest and the largest value.
    codes
        The code of every row, in the order of the values.
    n_values
        The number of values; used as a code, it represents a missing value.
    identifier
        Why the numbers looked like an identifier before they were cut into intervals, or None.
    weights
        How often each row counts; None if all count once, or the weights are not whole.
    """

    name: str
    kind: str
    values: str
    states: Sequence[str]
    codes: NDArray[Any]
    n_values: int
    identifier: str | None = None
    weights: NDArray[np.int64] | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes) if self.weights is None else int(self.weights.sum())

    @property
    def continuous(self) -> bool:
        """Whether the values are measurements."""
        return self.kind == "continuous"

    @cached_property
    def whole(self) -> bool:
        """Whether all values are whole numbers that Python can parse."""
        return self.values == "whole numbers" and max(map(len, self.states), default=0) <= 20

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows of every value."""
        return count_codes(self.codes, self.n_values + 1, self.weights)[:-1]

    @property
    def n_present(self) -> int:
        """The number of rows that have a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        missing: NDArray[np.bool_] = self.codes == self.n_values
        return missing

    @cached_property
    def n_seen(self) -> int:
        """The number of distinct values that occur."""
        return int((self.counts > 0).sum())

    @property
    def seen(self) -> list[str]:
        """The states that occur."""
        return [state for state, count in zip(self.states, self.counts, strict=True) if count]


def facts_of_table(table: RawTable, options: ReadOptions) -> list[ColumnFacts]:
    """Describe the columns of a raw table as ``encode`` would code them."""
    check_rows(table.n_rows)
    columns = normalized(weighted_table(table, options), options)
    return [_facts(column, options) for column in columns]


def facts_of_dataset(data: Dataset, identifiers: Mapping[str, str]) -> list[ColumnFacts]:
    """Describe the columns of a coded table; ``identifiers`` are recognized already."""
    weights = None if data.has_real_weights else data.weights
    return [
        ColumnFacts(
            name,
            "categorical",
            _values_of(own),
            own,
            codes,
            len(own),
            identifiers.get(name),
            weights,
        )
        for name, own, codes in zip(data.names, data.states, data.codes, strict=True)
    ]


def _facts(column: Column, options: ReadOptions) -> ColumnFacts:
    kind: str | None = options.kinds.get(column.name)
    declared = options.declared.get(column.name)
    codes, n_values = column.codes, len(column.values)
    if declared is None:
        kind = kind or ("continuous" if looks_continuous(column) else "categorical")
        states = extreme_values(column) if kind == "continuous" else state_names(column.labels)
    else:
        kind = "ordered" if kind == "ordered" else "categorical"
        own = state_names(column.labels)
        # Values that are not declared are shown too, although reading rejects them.
        states = tuple(dict.fromkeys([*state_names(declared), *own]))
        n_values, places = len(states), {state: i for i, state in enumerate(states)}
        codes = np.array([*(places[state] for state in own), n_values])[codes]
    weights = None if column.weights is None else column.weights.counts
    values = _type_of(column)
    return ColumnFacts(column.name, kind, values, states, codes, n_values, weights=weights)


def extreme_values(column: Column) -> tuple[str, ...]:
    """Return the smallest and the largest value. Naming all values would take too long."""
    labels = column.labels
    return state_names([labels[0], labels[-1]]) if len(labels) else ()


def _type_of(column: Column) -> str:
    dtype = column.dtype
    if not len(column.values):
        return "nothing"
    if dtype.is_temporal():
        return "dates" if dtype in (pl.Date, pl.Datetime) else "times"
    if dtype == pl.Boolean:
        return "boolean"
    if isinstance(dtype, pl.Enum):
        return "states"
    if dtype.is_numeric():
        return "whole numbers" if are_whole(column.labels) else "numbers"
    return "text"


def _values_of(states: tuple[str, ...]) -> str:
    if all(_INTERVAL.fullmatch(state) for state in states if state != "missing"):
        return "intervals"
    if set(states) <= {"false", "true"}:
        return "boolean"
    return "whole numbers" if all(_WHOLE.fullmatch(state) for state in states) else "text"
