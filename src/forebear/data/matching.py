"""Code raw tables as the table of a network was coded, and match their columns by name."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import DataError, ForebearError, ForebearWarning, Parameter
from forebear._util.text import listing
from forebear.data.coding import Coding, Unseen, check_unseen
from forebear.data.columns import codes_as, find_columns
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.encoding import encode
from forebear.data.formats.table import load_table, usable_options
from forebear.data.interventions import with_interventions
from forebear.data.read_options import KEEP_MISSING, Missing, ReadOptions, as_read_options


class Observed(NamedTuple):
    """The observed states of given variables in a table."""

    codes: NDArray[np.int32]
    """Variables by rows; -1 where nothing is observed."""
    absent: list[str]
    """The variables that are not in the table."""
    ignored: list[str]
    """The columns of the table that are not variables, except those that the options leave out."""


def observed_codes(
    data: Any,
    names: Sequence[str],
    coding: Coding,
    read: ReadOptions | None = None,
    unseen: Unseen = "error",
) -> Observed:
    """Code a table by the states of given variables.

    Parameters
    ----------
    data
        A path, a data frame, an array or a Dataset.
    names
        The variables. The table may lack some, and may have other columns.
    coding
        How the columns of every variable are coded.
    read
        How to read the table. Default None: as the coding states; missing values are not observed.
        The columns of the weights and of the interventions are left out.
    unseen
        Whether a value that is none of the states is an error, or not observed.

    Returns
    -------
    Observed
        The codes, and the names that only one of the two has.

    Raises
    ------
    DataError
        If the table has none of the variables, or a value that is none of the states.
    """
    if read is not None and read.missing == "drop":
        raise ForebearError(
            Parameter("missing", "drop"),
            " would drop rows: leave it out, since missing values are allowed here",
        )
    if read is not None and read.rows is not None:
        raise ForebearError(Parameter("rows"), " cannot be used: all rows are evaluated")
    if read is not None:  # every row is predicted once, and from all of its values
        about_rows = [n for n in (read.weights, read.intervened) if isinstance(n, str)]
        read = replace(read, weights=None, intervened=None, drop=[*read.drop, *about_rows])
    table, ignored = _coded(data, coding, read, unseen, every=False)
    places = {name: column for column, name in enumerate(table.names)}
    codes = np.full((len(names), table.n_stored), -1, dtype=np.int32)
    for row, name in zip(codes, names, strict=True):
        if name in places:
            found = table.codes[places[name]].astype(np.int32)
            row[:] = np.where(found == len(coding.columns[name].states), -1, found)
    return Observed(codes, [name for name in names if name not in places], ignored)


def rows_as(
    data: Any, coding: Coding, read: ReadOptions | None = None, unseen: Unseen = "error"
) -> Dataset:
    """Read rows to evaluate, with the states of a coding; missing values are not observed."""
    return _coded(data, coding, read, unseen, every=True)[0]


def table_as(
    data: Any,
    coding: Coding | None,
    read: ReadOptions | None,
    unseen: Unseen = "error",
    *,
    experiments: bool = False,
) -> Dataset:
    """Read a table to count or score, with the options and the states of a coding.

    Without a coding, or with options of its own, it is read as ``as_dataset`` does. If the network
    is from a table with ``experiments``, a warning is issued if none are stated for a raw table.
    """
    check_unseen(unseen)
    if isinstance(data, Dataset):
        return as_dataset(data, read)
    given = read or (ReadOptions() if coding is None else coding.options)
    if experiments and given.intervened is None:
        warnings.warn(
            ForebearWarning(
                "the network was learned from a table with experiments, but all values of this "
                "table are treated as observed: pass the Dataset, or name what was set in ",
                Parameter("intervened"),
            ),
            stacklevel=4,
        )
    if coding is None or read is not None:
        return as_dataset(data, read)
    how = replace(usable_options(data, coding.options), drop=())
    return _encoded(data, coding, how, unseen, every=True)[0]


def _coded(
    data: Any, coding: Coding, read: ReadOptions | None, unseen: Unseen, *, every: bool
) -> tuple[Dataset, list[str]]:
    """Read the columns that are variables; also return the names of all others."""
    check_unseen(unseen)
    if isinstance(data, Dataset):
        if read is not None:
            raise DataError(
                Parameter("read"), " has no effect on a Dataset, which is coded already"
            )
        kept = [name for name in data.names if name in coding.columns]
        _check_names(kept, data.names, coding, every=every)
        return _translated(data, coding, unseen), [n for n in data.names if n not in kept]
    if read is not None:
        return _encoded(data, coding, as_read_options(read, {}), unseen, every=every)
    own = coding.options
    missing: Missing = "state" if own.missing == "state" else "available"
    how = replace(own, missing=missing, weights=None, intervened=None, rows=None, drop=())
    how = usable_options(data, how)
    stated = own.intervened if every else None  # in predictions, all values are evidence
    table, ignored = _encoded(data, coding, how, unseen, every=every, intervened=stated)
    about_rows = {own.weights, own.intervened}
    return table, [name for name in ignored if name not in {*about_rows, *own.drop}]


def _encoded(
    data: Any,
    coding: Coding,
    how: ReadOptions,
    unseen: Unseen,
    *,
    every: bool,
    intervened: str | None = None,
) -> tuple[Dataset, list[str]]:
    """Code a raw table; columns that the options describe are coded as these state.

    If the table has the column ``intervened``, it names the variables that were set.
    """
    raw = load_table(data, how)
    if intervened in raw.names:
        raw = with_interventions(raw, replace(how, intervened=intervened))
    kept = [name for name in raw.names if name in coding.columns]
    _check_names(kept, raw.names, coding, every=every)
    ignored = [name for name in raw.names if name not in coding.columns and name != how.weights]
    raw = raw.select([*kept, *([] if how.weights is None else [how.weights])])
    same = {n: coding.columns[n] for n in kept if n not in how.kinds and n not in how.declared}
    encoded = encode(raw, how, same, unseen)
    missing = how.missing if how.missing in KEEP_MISSING else "available"
    table = Dataset(*encoded[:3], missing, coding=coding, **encoded.about_rows)
    return _translated(table, coding, unseen), ignored


def _translated(table: Dataset, coding: Coding, unseen: Unseen) -> Dataset:
    """Select the columns that are variables, with exactly their states."""
    table = table.select([name for name in table.names if name in coding.columns])
    states = tuple(coding.columns[name].states for name in table.names)
    if states == table.states:
        return table
    codes = [codes_as(table, v, own, unseen) for v, own in enumerate(states)]
    missing = table.missing if table.missing in KEEP_MISSING else "available"
    return replace(table, codes=np.array(codes), states=states, missing=missing)


def _check_names(
    kept: Sequence[str], columns: Sequence[str], coding: Coding, *, every: bool
) -> None:
    """Reject a table without any variable, or without ``every`` variable."""
    if kept and every:
        find_columns(kept, list(coding.columns))
    if not kept:
        raise DataError(
            f"the table has none of the variables of the network: its columns are "
            f"{listing(columns)}, the variables are {listing(list(coding.columns))}"
        )
