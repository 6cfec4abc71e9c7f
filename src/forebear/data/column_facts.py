"""ColumnFacts: what is known of a column before it is judged or summarized."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from forebear.data.distinct import are_whole, distinct_values, state_names
from forebear.data.encoding import (
    check_names,
    check_rows,
    looks_continuous,
    normalized,
)
from forebear.data.row_weights import weighted_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.data.distinct import Distinct
    from forebear.data.read_options import ReadOptions
    from forebear.data.row_weights import RowWeights

_INTERVAL = re.compile(r"(up_to|from|above)_.+")
WHOLE_NUMBER = re.compile(r"[+-]?\d+")


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
        Why the numbers looked like an identifier before they were cut into intervals, if they did.
    weights
        How often each row counts. Default None: once.
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
    def continuous(self) -> bool:
        """Whether the values are measurements."""
        return self.kind == "continuous"

    @cached_property
    def whole(self) -> bool:
        """Whether all values are whole numbers, of as many digits as Python reads."""
        return self.values == "whole numbers" and max(map(len, self.states), default=0) <= 20

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows of every value."""
        found = np.bincount(self.codes, self.weights, minlength=self.n_values + 1)
        return found[:-1].astype(np.int64)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes) if self.weights is None else int(self.weights.sum())

    @property
    def n_present(self) -> int:
        """The number of rows that have a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        gaps: NDArray[np.bool_] = self.codes == self.n_values
        return gaps

    @cached_property
    def n_seen(self) -> int:
        """The number of distinct values that occur."""
        return int((self.counts > 0).sum())

    @property
    def seen(self) -> list[str]:
        """The states that occur."""
        return [state for state, count in zip(self.states, self.counts, strict=True) if count]


def facts_of_frame(frame: pl.DataFrame, options: ReadOptions) -> list[ColumnFacts]:
    """Describe the columns of a raw table as ``encode`` would see them."""
    check_names(frame.columns)
    check_rows(frame.height)
    frame, weights = weighted_rows(frame, options)
    return [_facts(column, options, weights) for column in normalized(frame, options)]


def facts_of_dataset(data: Dataset, identifiers: Mapping[str, str]) -> list[ColumnFacts]:
    """Describe the columns of a coded table; ``identifiers`` are recognized already."""
    # Real weights do not say how many rows there are.
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


def _facts(column: pl.Series, options: ReadOptions, weights: RowWeights | None) -> ColumnFacts:
    distinct = distinct_values(column)
    kind: str | None = options.kinds.get(column.name)
    declared = options.declared.get(column.name)
    codes, n_values = distinct.codes, len(distinct.values)
    if declared is None:
        numeric = looks_continuous(column, distinct, weights)
        kind = kind or ("continuous" if numeric else "categorical")
        states = ends_of(distinct.values) if kind == "continuous" else state_names(distinct.values)
    else:
        kind = "ordered" if kind == "ordered" else "categorical"
        own = state_names(distinct.values)
        # Values that are not declared are shown too: reading will refuse them.
        states = tuple(dict.fromkeys([*state_names(declared), *own]))
        n_values, places = len(states), {state: i for i, state in enumerate(states)}
        codes = np.array([*(places[state] for state in own), n_values])[codes]
    of_rows = None if weights is None else weights.counts
    values = _type_of(column, distinct)
    return ColumnFacts(column.name, kind, values, states, codes, n_values, weights=of_rows)


def ends_of(values: Any) -> tuple[str, ...]:
    """Return the smallest and the largest value: the names of all would take time."""
    return state_names([values[0], values[-1]]) if len(values) else ()


def _type_of(column: pl.Series, distinct: Distinct) -> str:
    dtype = column.dtype
    if not len(distinct.values):
        return "nothing"
    if dtype.is_temporal():
        return "dates" if dtype in (pl.Date, pl.Datetime) else "times"
    if dtype == pl.Boolean:
        return "boolean"
    if isinstance(dtype, pl.Enum):
        return "states"
    if dtype.is_numeric():
        return "whole numbers" if are_whole(distinct.values) else "numbers"
    return "text"


def _values_of(states: tuple[str, ...]) -> str:
    if all(_INTERVAL.fullmatch(state) for state in states if state != "missing"):
        return "intervals"
    if set(states) <= {"false", "true"}:
        return "boolean"
    return "whole numbers" if all(WHOLE_NUMBER.fullmatch(state) for state in states) else "text"
