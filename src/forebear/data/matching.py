"""Convert the values of a table to states of a given network; missing values are not observed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear._util.errors import DataError, ForebearError, Parameter
from forebear._util.text import listing
from forebear.data.columns import codes_as
from forebear.data.dataset import Dataset
from forebear.data.discretization import cuts_of
from forebear.data.encoding import encode
from forebear.data.formats.table import load_table
from forebear.data.read_options import as_read_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.data.read_options import ReadOptions


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
    states: Sequence[tuple[str, ...]],
    read: ReadOptions | None = None,
) -> Observed:
    """Code a table by the states of given variables.

    Parameters
    ----------
    data
        A path, a data frame, an array or a Dataset.
    names
        The variables. The table may lack some, and may have other columns.
    states
        The states of every variable. If they are intervals, numbers are assigned to them.
    read
        How to read the table. Default None: missing values are not observed. The column of the
        weights is left out.

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
        raise ForebearError(Parameter("rows"), " would leave out rows, and all are evaluated here")
    if read is not None and read.weights is not None:  # every row is predicted once
        read = replace(read, weights=None, drop=[*read.drop, read.weights])
    table, ignored = _matched(data, names, states, read)
    places = {name: column for column, name in enumerate(table.names)}
    codes = np.full((len(names), table.n_stored), -1, dtype=np.int32)
    for row, name, own in zip(codes, names, states, strict=True):
        if name in places:
            found = codes_as(table, places[name], own)
            row[:] = np.where(found == len(own), -1, found.astype(np.int32))
    return Observed(codes, [name for name in names if name not in places], ignored)


def rows_as(
    data: Any,
    names: Sequence[str],
    states: Sequence[tuple[str, ...]],
    read: ReadOptions | None = None,
) -> Dataset:
    """Read rows to evaluate: as ``as_dataset`` does, but with the states of given variables.

    A few rows need not have all states, so there is no warning about a column with one state.
    """
    return _matched(data, names, states, read)[0]


def _matched(
    data: Any, names: Sequence[str], states: Sequence[tuple[str, ...]], read: ReadOptions | None
) -> tuple[Dataset, list[str]]:
    """Read the columns that are variables; also return the names of all others."""
    of_name = dict(zip(names, states, strict=True))
    if isinstance(data, Dataset):
        if read is not None:
            raise DataError(
                Parameter("read"), " has no effect on a Dataset, which is coded already"
            )
        _check_any([name for name in data.names if name in of_name], data.names, names)
        return data, [name for name in data.names if name not in of_name]
    how = as_read_options(read, {})
    raw = load_table(data, how)
    kept = [name for name in raw.names if name in of_name]
    _check_any(kept, raw.names, names)
    ignored = [name for name in raw.names if name not in of_name and name != how.weights]
    raw = raw.select([*kept, *([] if how.weights is None else [how.weights])])
    types = {column.name: column.dtype for column in raw.columns}
    free = {n: of_name[n] for n in kept if n not in how.kinds and n not in how.declared}
    cut = {
        name: cuts
        for name, own in free.items()
        if types[name].is_numeric() and (cuts := cuts_of(own)) is not None
    }
    # Dates are discretized by the options, not by the names of the intervals.
    named = {
        name: own for name, own in free.items() if name not in cut and not types[name].is_temporal()
    }
    encoded = encode(raw, _options(how, cut, named))
    # Cut at the edges of the states, so that they are in the same order; their names are rounded.
    own_states = [
        of_name[name] if name in cut else own
        for name, own in zip(encoded.names, encoded.states, strict=True)
    ]
    table = Dataset(
        encoded.codes, encoded.names, tuple(own_states), how.missing, **encoded.row_weights
    )
    return table, ignored


def _options(
    how: ReadOptions,
    cut: dict[str, NDArray[np.float64]],
    named: dict[str, tuple[str, ...]],
) -> ReadOptions:
    """Add the states of the network to the options, for columns that the options do not name."""
    bins: Any = {None: how.default_bins, **how.bins_by_column, **cut} if cut else how.bins
    if how.missing == "state":  # the network may have this state, too
        return replace(how, bins=bins, categorical=[*how.categorical, *named])
    return replace(how, bins=bins, states={**(how.states or {}), **named})


def _check_any(kept: Sequence[str], columns: Sequence[str], names: Sequence[str]) -> None:
    if not kept:
        raise DataError(
            f"the table has none of the variables of the network: its columns are "
            f"{listing(columns)}, the variables are {listing(names)}"
        )
