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
from forebear.data.summary import Look, TableSummary, facts_of
from forebear.data.suspicions import Suspect, find_numberings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.data.distinct import Distinct
    from forebear.data.reading import ReadOptions
    from forebear.data.suspicions import Suspicion

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


def look_at_dataset(data: Dataset, numberings: Mapping[str, Suspicion]) -> TableSummary:
    """Summarise a coded table; some of its columns were suspected before they were cut."""
    return TableSummary.of(_looks_of_dataset(data), data.n_rows, numberings)


def numberings_cut(data: Dataset, cut: Mapping[str, Distinct]) -> dict[str, Suspicion]:
    """Find columns that looked like identifiers or counts before they were cut into intervals."""
    whole = {name: own for name, own in cut.items() if len(own.values) and _are_whole(own)}
    if not whole:
        return {}
    looks = [
        look
        if look.name not in whole
        else Look(look.name, "continuous", "whole numbers", *_ends(whole[look.name]))
        for look in _looks_of_dataset(data)
    ]
    found = find_numberings([facts_of(look) for look in looks])
    return {name: suspicion for name, suspicion in found.items() if name in whole}


def _looks_of_dataset(data: Dataset) -> list[Look]:
    there = ~data.gaps if data.has_missing else np.ones(data.codes.shape, dtype=bool)
    return [
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


def _ends(
    distinct: Distinct,
) -> tuple[tuple[str, ...], NDArray[Any], NDArray[np.bool_] | None]:
    """Return the smallest and the largest value, and the codes: other names would take time."""
    ends = state_names([distinct.values[0], distinct.values[-1]]) if len(distinct.values) else ()
    return ends, distinct.codes, distinct.present


def _are_whole(distinct: Distinct) -> bool:
    # Times are texts here.
    return not isinstance(distinct.values[0], str) and are_whole(distinct.values)


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
    if kind == "continuous" and declared is None:
        states, _, _ = _ends(distinct)
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
