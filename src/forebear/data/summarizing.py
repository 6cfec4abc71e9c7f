"""summarize_table(): what a table holds, before anything is decided about its columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.data.dataset import Dataset, as_dataset
from forebear.data.examples import resolve_example
from forebear.data.formats.table import read_table
from forebear.data.frames import is_frame, polars_from_array, polars_from_frame
from forebear.data.looking import look_at
from forebear.data.reading import as_read_options

if TYPE_CHECKING:
    from typing import Unpack

    from forebear.data.reading import ReadKeywords, ReadOptions
    from forebear.data.summary import TableSummary


def summarize_table(
    data: Any, read: ReadOptions | None = None, **options: Unpack[ReadKeywords]
) -> TableSummary:
    """Say what every column of a table holds, and what is suspicious about it.

    Unlike ``as_dataset``, this refuses no column: continuous columns and gaps are shown as they
    are. ``forebear info`` shows the same.

    Parameters
    ----------
    data
        A path, a data frame (pandas, Polars, pyarrow), an array of rows by columns, or a Dataset.
    read
        How to read it. Default None: as the keyword arguments say.
    **options
        The fields of ``ReadOptions`` one by one, or ``schema``, a file that has them.

    Returns
    -------
    TableSummary
        One line per column.

    Raises
    ------
    DataError
        If this is not a table, or if it is a Dataset and options are given.
    FileError
        If a file cannot be read.

    Examples
    --------
    >>> import polars as pl
    >>> from forebear import summarize_table
    >>> table = pl.DataFrame({"weight": [61.5, 70.25, None], "smokes": ["no", "yes", "no"]})
    >>> print(summarize_table(table))
    3 rows, 2 columns
    weight  continuous, numbers  61.5 to 70.25, 2 values  33.3% missing
    smokes  categorical          no 2, yes 1
    2 of 3 rows (66.7%) are complete
    1 row lacks weight
    """
    how = as_read_options(read, options)
    if isinstance(data, (str, Path)):
        return look_at(read_table(resolve_example(data), how), how)
    if isinstance(data, Dataset) or not (is_frame(data) or isinstance(data, np.ndarray)):
        return as_dataset(data, read, **options).summary()
    how.check_no_file()
    array = isinstance(data, np.ndarray)
    return look_at(polars_from_array(data, None) if array else polars_from_frame(data), how)
