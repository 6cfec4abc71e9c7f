"""The values of a table as states of a network that is given; what is missing is not observed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import DataError, ForebearError, Parameter
from forebear._util.text import listing
from forebear.data.columns import codes_as
from forebear.data.dataset import Dataset, not_a_table
from forebear.data.discretization import cuts_of
from forebear.data.encoding import encode
from forebear.data.examples import resolve_example
from forebear.data.formats.table import read_table
from forebear.data.frames import is_frame, polars_from_array, polars_from_frame
from forebear.data.reading import as_read_options

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from forebear.data.reading import ReadOptions


def observed_codes(
    data: Any,
    names: Sequence[str],
    states: Sequence[tuple[str, ...]],
    read: ReadOptions | None = None,
) -> NDArray[np.int32]:
    """Code a table by the states of given variables.

    Parameters
    ----------
    data
        A path, a data frame, an array or a Dataset.
    names
        The variables. The table may lack some, and may have other columns.
    states
        The states of every variable. Where they are intervals, numbers are put into them.
    read
        How to read the table. Default None: missing values are gaps.

    Returns
    -------
    numpy.ndarray
        Variables by rows: the codes; -1 where nothing is observed.

    Raises
    ------
    DataError
        If the table has none of the variables, or a value that is none of the states.
    """
    if isinstance(data, Dataset):
        if read is not None:
            raise DataError(
                Parameter("read"), " has no effect on a Dataset, which is coded already"
            )
        return _placed(data, names, states, cut={})
    how = as_read_options(read, {})
    if how.missing == "drop":
        raise ForebearError(
            Parameter("missing", "drop"),
            " would leave out rows: leave it out, since gaps are allowed here",
        )
    frame = _frame_of(data, how)
    of_name = dict(zip(names, states, strict=True))
    kept = [name for name in how.select(frame.columns) if name in of_name]
    _check_any(kept, frame.columns, names)
    said = {*how.kinds, *how.declared}
    free = {name: of_name[name] for name in kept if name not in said}
    cut = {
        name: cuts for name, own in free.items() if (cuts := _cuts(frame[name], own)) is not None
    }
    named = {name: own for name, own in free.items() if name not in cut}
    codes, columns, found = encode(frame, _options(how, kept, cut, named))
    return _placed(Dataset(codes, columns, found, how.missing), names, states, cut)


def _frame_of(data: Any, how: ReadOptions) -> pl.DataFrame:
    if isinstance(data, str | Path):
        return read_table(resolve_example(data), how)
    how.check_no_file()
    if isinstance(data, np.ndarray):
        return polars_from_array(data, None)
    if is_frame(data):
        return polars_from_frame(data)
    raise not_a_table(data)


def _cuts(column: pl.Series, states: tuple[str, ...]) -> NDArray[np.float64] | None:
    return cuts_of(states) if column.dtype.is_numeric() else None


def _options(
    how: ReadOptions,
    kept: list[str],
    cut: dict[str, NDArray[np.float64]],
    named: dict[str, tuple[str, ...]],
) -> ReadOptions:
    """Add to the options what the network says about columns, where they say nothing."""
    bins: Any = {None: how.default_bins, **how.bins_by_column, **cut} if cut else how.bins
    if how.missing == "state":  # the network may have this state, too
        return replace(how, keep=kept, bins=bins, categorical=[*how.categorical, *named])
    return replace(how, keep=kept, bins=bins, states={**(how.states or {}), **named})


def _placed(
    table: Dataset,
    names: Sequence[str],
    states: Sequence[tuple[str, ...]],
    cut: Collection[str],
) -> NDArray[np.int32]:
    """Return the codes of all variables, in their order; -1 where nothing is observed."""
    places = {name: column for column, name in enumerate(table.names)}
    _check_any([name for name in names if name in places], table.names, names)
    found = np.full((len(names), table.n_rows), -1, dtype=np.int32)
    for row, name, own in zip(found, names, states, strict=True):
        if name in places:
            column = places[name]
            # Cut at the edges of the states, so that they are in the same order.
            codes = table.codes[column] if name in cut else codes_as(table, column, own)
            row[:] = np.where(codes == len(own), -1, codes.astype(np.int32))
    return found


def _check_any(kept: Sequence[str], columns: Sequence[str], names: Sequence[str]) -> None:
    if not kept:
        raise DataError(
            f"the table has no variable of the network: its columns are {listing(columns)}, the "
            f"variables {listing(names)}"
        )
