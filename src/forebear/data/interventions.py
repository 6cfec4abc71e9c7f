"""Interventions: which variables were set in each row of a table, and not observed.

A column of the table names them, or a mask of the shape of the table states them. How a
value was set does not depend on the parents of its variable, so the families of a variable are
scored and fitted on the rows in which it was not set (Cooper and Yoo, 1999).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import DataError, Parameter
from forebear._util.text import counted
from forebear._util.variable_names import did_you_mean
from forebear.data.distinct import state_names
from forebear.data.normalization import mask_tokens
from forebear.data.raw_table import Column, RawTable
from forebear.data.read_options import ReadOptions
from forebear.data.set_mask import SetMask

SEPARATOR = ";"
"""Separates the names in a field that names several variables."""


def with_interventions(table: RawTable, options: ReadOptions) -> RawTable:
    """Record in every column in which rows it was set; leave out the column that names them."""
    given = options.intervened
    if given is None:
        return table
    if isinstance(given, SetMask):
        others = [column for column in table.columns if column.name != options.weights]
        masks = _masks_of(given, [column.name for column in others], table.n_rows, options)
    else:
        own = next(column for column in table.columns if column.name == given)
        others = [column for column in table.columns if column is not own]
        masks = _named_in(own, [column.name for column in others], options)
    columns = [replace(c, was_set=masks.get(c.name)) for c in table.columns if c.name != given]
    return replace(table, columns=columns)


def _named_in(
    column: Column, names: Sequence[str], options: ReadOptions
) -> dict[str, NDArray[np.bool_]]:
    """Return the rows whose field names each variable; an empty field names none."""
    tokens = options.tokens_by_column.get(column.name, options.default_tokens or ())
    column = column.with_values(mask_tokens(column.values, tokens))
    named: dict[str, list[int]] = {}
    for place, field in enumerate(state_names(column.labels)):
        for name in split_names(field, names):
            if name not in {*names, *options.drop}:
                row = int(np.argmax(column.codes == place))
                raise DataError(
                    f"row {row + 1:,} of column {column.name!r} names {name!r}, which is no "
                    f"variable of the table{did_you_mean(name, names)} (leave the field empty if "
                    f"no variable was set, and separate several names by {SEPARATOR!r})"
                )
            named.setdefault(name, []).append(place)
    return {name: np.isin(column.codes, places) for name, places in named.items()}


def split_names(field: str, names: Iterable[str]) -> list[str]:
    """Return the names in a field: one, or several that are separated."""
    if field in names:
        return [field]
    return [name for part in field.split(SEPARATOR) if (name := part.strip())]


def _masks_of(
    mask: SetMask, names: Sequence[str], n_rows: int, options: ReadOptions
) -> dict[str, NDArray[np.bool_]]:
    """Return the rows in which each variable was set by a mask, whose columns may have names."""
    if mask.names is None and mask.values.shape != (n_rows, len(names)):
        raise DataError(
            Parameter("intervened"),
            f" must have the shape of the table, {counted(n_rows, 'row')} by "
            f"{counted(len(names), 'column')} in use, got {mask.values.shape}: pass a data frame "
            "to match columns by name",
        )
    if len(mask.values) != n_rows:
        raise DataError(
            Parameter("intervened"),
            f" has {counted(len(mask.values), 'row')}, but the table has {n_rows:,}",
        )
    for name in mask.names or ():
        if name not in {*names, *options.drop}:
            raise DataError(
                Parameter("intervened"), f": there is no column {name!r}{did_you_mean(name, names)}"
            )
    columns = zip(names if mask.names is None else mask.names, mask.values.T, strict=True)
    return {name: np.ascontiguousarray(own) for name, own in columns if own.any()}


def joined_names(names: Sequence[str], intervened: NDArray[np.bool_]) -> list[str | None]:
    """Return a field per row with the names of the variables that were set; None if none was."""
    were_set = [name for name, rows in zip(names, intervened, strict=True) if rows.any()]
    if unusable := [name for name in were_set if SEPARATOR in name]:
        raise DataError(
            f"a column cannot name {unusable[0]!r} among several variables, because its name "
            f"contains {SEPARATOR!r}: rename it"
        )
    sets, numbers = np.unique(intervened, axis=1, return_inverse=True)
    fields = [SEPARATOR.join(n for n, own in zip(names, one, strict=True) if own) for one in sets.T]
    return [fields[number] or None for number in numbers.ravel()]
