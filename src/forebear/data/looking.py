"""A look at a raw table, or at a Dataset: what each column is before anything is done with it."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from forebear._util.errors import ForebearWarning
from forebear.data.distinct import are_whole, distinct_values, state_names
from forebear.data.encoding import (
    check_names,
    check_rows,
    looks_continuous,
    normalized,
)
from forebear.data.summary import Look, TableSummary
from forebear.data.suspicions import Suspect

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.data.distinct import Distinct
    from forebear.data.reading import ReadOptions

_INTERVAL = re.compile(r"(up_to|from|above)_.+")
_WHOLE = re.compile(r"[+-]?\d+")


def look_at(frame: pl.DataFrame, options: ReadOptions) -> TableSummary:
    """Summarise a raw table as ``encode`` would see it, before gaps and numbers are dealt with."""
    check_names(frame.columns)
    check_rows(frame.height)
    columns = normalized(frame, options)
    found = distinct_values(columns)
    looks = [_look(*pair, options) for pair in zip(columns, found, strict=True)]
    return TableSummary.of(looks, frame.height)


def look_at_dataset(data: Dataset) -> TableSummary:
    """Summarise a coded table."""
    there = ~data.gaps if data.has_missing else np.ones(data.codes.shape, dtype=bool)
    looks = [
        Look(
            name,
            "categorical",
            _values_of(states),
            states,
            codes if own.all() else codes[own],
            None if own.all() else own,
        )
        for name, states, codes, own in zip(data.names, data.states, data.codes, there, strict=True)
    ]
    return TableSummary.of(looks, data.n_rows)


def repeat_suspicions(table: Dataset, source: Any) -> None:
    """Warn of what is suspicious about a table that was just read from its source.

    A Dataset was made earlier, and its maker could look at it. Reading already
    warns of constant columns.
    """
    if source is table:
        return
    for message in table.summary().warnings(but=Suspect.CONSTANT):
        # Level 4 is the caller of learn, score_parent_sets, ..., behind their check of parameters.
        warnings.warn(ForebearWarning(message), stacklevel=4)


def _look(column: pl.Series, distinct: Distinct, options: ReadOptions) -> Look:
    said = options.kinds.get(column.name)
    declared = options.declared.get(column.name)
    kind: str = said or ("continuous" if looks_continuous(column, distinct) else "categorical")
    codes = distinct.codes
    if kind == "continuous" and declared is None and len(distinct.values):
        # The smallest and the largest: all others would only take time.
        states = state_names([distinct.values[0], distinct.values[-1]])
    else:
        states = state_names(distinct.values)
    if declared is not None:
        kind = said or "categorical"
        named = state_names(declared)
        places = {state: i for i, state in enumerate(named)}
        # Values that are not declared are shown too: reading will refuse them.
        wanted = (*named, *(state for state in states if state not in places))
        places = {state: i for i, state in enumerate(wanted)}
        codes = np.array([places[state] for state in states], dtype=np.int64)[codes]
        states = wanted
    return Look(column.name, kind, _type_of(column, distinct), states, codes, distinct.present)


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
    return "whole numbers" if all(_WHOLE.fullmatch(state) for state in states) else "text"
