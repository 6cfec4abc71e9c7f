"""summarize_table(): describe the columns of a table before it is converted to a Dataset."""

from __future__ import annotations

import warnings
from typing import Any

from forebear._util.errors import ForebearWarning
from forebear.data.column_facts import facts_of_table
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.formats.table import load_table
from forebear.data.raw_table import RawTable
from forebear.data.read_options import ReadOptions, as_read_options
from forebear.data.table_summary import TableSummary


def summarize_table(data: Any, read: ReadOptions | None = None, **options: Any) -> TableSummary:
    """Summarize what every column of a table holds, and what is suspicious about it.

    Unlike ``as_dataset``, this accepts every column: continuous columns and missing values are
    described as they are. ``forebear info`` shows the same.

    Parameters
    ----------
    data
        A path, a data frame (pandas, Polars, pyarrow), an array of rows by columns, or a Dataset.
    read
        How to read the table. Default None: use the keyword arguments.
    **options
        Fields of ``ReadOptions``, or ``schema``, the path of a schema file.

    Returns
    -------
    TableSummary
        One line per column.

    Raises
    ------
    DataError
        If ``data`` is not a table, or if it is a Dataset and options are passed.
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
    if isinstance(data, Dataset):
        return as_dataset(data, read, **options).summary()
    how = as_read_options(read, options)
    return summarize_raw_table(load_table(data, how), how)


def summarize_raw_table(table: RawTable, options: ReadOptions) -> TableSummary:
    """Summarize a table as it would be coded, before missing values and numbers are handled."""
    return TableSummary.of(facts_of_table(table, options))


def warn_of_suspicions(table: Dataset, source: Any) -> None:
    """Warn of what is suspicious about a table that was just read from its source.

    A Dataset gives no warning: it was created earlier, and could be inspected then.
    """
    if source is table:
        return
    for message in table.summary().warnings():
        # Level 4 is the caller of learn, score_parent_sets, ..., behind their check of parameters.
        warnings.warn(ForebearWarning(message), stacklevel=4)
