"""Dataset: a table of discrete variables as small integer codes, with state names."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from forebear._util.errors import DataError, ForebearWarning, Parameter
from forebear._util.html import html_figure, html_table
from forebear._util.text import counted, listing, show_facts, show_range, show_share
from forebear.data.coded_table import CodedTable
from forebear.data.column_facts import facts_of_dataset
from forebear.data.encoding import check_names, encode
from forebear.data.formats.table import load_table
from forebear.data.frames import enum_series, is_frame
from forebear.data.interventions import joined_names
from forebear.data.raw_table import RawTable
from forebear.data.read_options import ReadOptions, as_read_options
from forebear.data.row_weights import reject_real_weights
from forebear.data.suspicions import cut_identifiers
from forebear.data.table_batches import CheckTime
from forebear.data.table_summary import TableSummary


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(CodedTable):
    """A table of discrete variables.

    Create it with ``as_dataset``, ``Dataset.read``, ``Dataset.from_frame`` or
    ``Dataset.from_array``, or directly from codes.

    Parameters
    ----------
    codes
        Integers, variables by rows: ``codes[v, row]`` is an index into ``states[v]``.
    names
        The name of every variable.
    states
        The states of every variable. States that do not occur count as well:
        they change scores such as BDeu.
    missing
        How missing values are handled. With "available" or "em", the code ``len(states[v])``, after
        the last state, represents a missing value.
    copies
        Number of completed rows per original row, in a table completed by ``"em"``. With real
        weights, the number of units of weight per row.
    weights
        Whole numbers: how many rows each row stands for, or units of 1 / ``copies`` rows. Rows of
        weight 0 are dropped. Default None: every row counts once.
    coding
        How raw values became codes, so that the same is done with other rows. Default None: the
        table was made from codes.
    intervened
        A mask of the shape of the codes: which values were set by intervention. The families of a
        variable are scored on the rows in which it was not set. Default None: none was set.

    Raises
    ------
    DataError
        If the parts do not fit together, a name occurs twice, or there are no rows.

    Examples
    --------
    >>> from forebear import Dataset
    >>> Dataset(codes=[[0, 1, 1], [0, 0, 1]], names=["rain", "wet"],
    ...         states=[["no", "yes"], ["no", "yes"]])
    Dataset with 3 rows and 2 variables
      variables: rain, wet
      states: 2 per variable
    """

    _identifiers: ClassVar[Mapping[str, str]] = {}
    """Why numbers looked like identifiers before they were cut into intervals."""

    @classmethod
    def from_frame(cls, frame: Any, read: ReadOptions | None = None, **options: Any) -> Self:
        """Create a dataset from a data frame.

        Columns that declare their states (a pandas categorical, a Polars Enum,
        an Arrow dictionary) keep them in that order, including states that do
        not occur. Booleans have the states "false" and "true". The states of
        other columns are the values that occur, in natural order.

        Parameters
        ----------
        frame
            A pandas, Polars or pyarrow table, or another type that narwhals supports.
        read
            How to read the table. Default None: use the keyword arguments.
        **options
            Fields of ``ReadOptions``, or ``schema``, the path of a schema file.

        Returns
        -------
        Dataset
            The coded table.

        Raises
        ------
        DataError
            If the table has missing values, continuous columns or other
            content that the options do not allow.

        Examples
        --------
        >>> import polars as pl
        >>> from forebear import Dataset
        >>> frame = pl.DataFrame({"rain": ["no", "yes", None], "wet": [0, 1, 1]})
        >>> Dataset.from_frame(frame, missing="state").states
        (('no', 'yes', 'missing'), ('0', '1'))
        """
        how = as_read_options(read, options)
        if isinstance(frame, np.ndarray) or not is_frame(frame):
            raise DataError(f"a data frame is expected, got {type(frame).__name__}")
        return cls._encoded(load_table(frame, how), how)

    @classmethod
    def from_array(
        cls,
        array: Any,
        names: Sequence[str] | None = None,
        read: ReadOptions | None = None,
        **options: Any,
    ) -> Self:
        """Create a dataset from a NumPy array.

        Parameters
        ----------
        array
            Two-dimensional: rows by columns. Or a structured array of records.
        names
            The names of the columns. Default None: the fields of records, or "0", "1", ...
        read
            How to read the table. Default None: use the keyword arguments.
        **options
            Fields of ``ReadOptions``, or ``schema``, the path of a schema file.

        Returns
        -------
        Dataset
            The coded table.

        Raises
        ------
        DataError
            As for ``from_frame``.

        Examples
        --------
        >>> import numpy as np
        >>> from forebear import Dataset
        >>> Dataset.from_array(np.array([[0, 5], [1, 7]]), ["rain", "wet"]).states
        (('0', '1'), ('5', '7'))
        """
        how = as_read_options(read, options)
        return cls._encoded(load_table(np.asanyarray(array), how, names), how)

    @classmethod
    def read(cls, path: Path | str, read: ReadOptions | None = None, **options: Any) -> Self:
        """Read a table from a file.

        Parameters
        ----------
        path
            The file. Its extension determines the format: ``.csv``, ``.tsv``, ``.txt``,
            ``.parquet``, ``.arrow``, ``.feather``, ``.ipc``, ``.xlsx``, ``.dat`` or ``.data``, each
            also with ``.gz``. "-" reads CSV from standard input. "example:orchard" and
            "example:survey" are tables that come with forebear.
        read
            How to read the table. Default None: use the keyword arguments.
        **options
            Fields of ``ReadOptions``, or ``schema``, the path of a schema file.

        Returns
        -------
        Dataset
            The coded table.

        Raises
        ------
        FileError
            If the file cannot be read, or its content does not fit its format.
        DataError
            As for ``from_frame``.

        Examples
        --------
        >>> from forebear import Dataset
        >>> from forebear.data.examples import example_path
        >>> Dataset.read(example_path("orchard"), missing="drop").n_rows
        2000
        """
        how = as_read_options(read, options)
        return cls._encoded(load_table(path, how), how)

    @classmethod
    def _encoded(cls, table: RawTable, options: ReadOptions) -> Self:
        encoded = encode(table, options)
        dataset = cls(*encoded[:3], options.missing, coding=encoded.coding, **encoded.about_rows)
        object.__setattr__(dataset, "_identifiers", cut_identifiers(encoded.cut))
        constant = [dataset.names[v] for v in np.flatnonzero(dataset.arities == 1)]
        if constant:
            columns = counted(len(constant), "column has", "columns have")
            # Level 3 is the caller of from_frame, from_array or read.
            warnings.warn(
                ForebearWarning(f"{columns} only one state ({listing(constant)})"), stacklevel=3
            )
        return dataset

    def to_frame(self, weights: str | None = None, intervened: str | None = None) -> pl.DataFrame:
        """Return the table as a Polars frame.

        Parameters
        ----------
        weights
            The name of a column for the weights. Default None: a row with a weight is repeated.
        intervened
            The name of a column for the names of the variables that were set in each row. Default
            None: this is left out.

        Returns
        -------
        polars.DataFrame
            One Enum column per variable, which keeps states that do not occur.

        Raises
        ------
        DataError
            If a column has one of these names, or if the weights are real and have no column.
        """
        if weights is None:
            reject_real_weights(self, "rows can be repeated a whole number of times only")
        table = self.expanded() if weights is None else self
        about_rows = []
        if weights is not None:
            own = np.ones(self.n_stored, np.int64) if self.weights is None else self.weights
            about_rows.append(pl.Series(weights, own if self.copies == 1 else own / self.copies))
        if intervened is not None:
            mask = table.intervened
            fields = [None] * table.n_stored if mask is None else joined_names(table.names, mask)
            about_rows.append(pl.Series(intervened, fields, dtype=pl.String))
        check_names([*self.names, *(column.name for column in about_rows)])
        return table._stored_frame().with_columns(about_rows)

    def _stored_frame(self) -> pl.DataFrame:
        codes = (
            np.where(self.is_missing, -1, self.codes.astype(np.int64)) if self.has_missing else None
        )
        columns = zip(self.names, self.codes if codes is None else codes, self.states, strict=True)
        return pl.DataFrame([enum_series(*column) for column in columns])

    def summary(self) -> TableSummary:
        """Summarize what every column holds, and what is suspicious about it.

        Returns
        -------
        TableSummary
            One line per column. ``forebear info`` shows the same for a file,
            including its continuous columns.

        Examples
        --------
        >>> from forebear import as_dataset
        >>> summary = as_dataset("example:orchard").summary()
        >>> summary.columns[0].content
        'harsh 425, mild 577, normal 998'
        """
        return TableSummary.of(facts_of_dataset(self, self._identifiers))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of names, states, codes and weights, independent of the source of the table."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.names, self.states)).encode())
        if self.has_missing or self.copies > 1:
            missing = self.missing if self.has_missing else None  # which has no effect otherwise
            digest.update(repr((missing, self.copies)).encode())
        for column in self.codes:  # a copy of all of them would take longer than the hash
            digest.update(column.astype(np.uint16).data)
        if self.weights is not None:
            digest.update(self.weights.data)
        if self.intervened is not None:
            digest.update(np.packbits(self.intervened).data)
        return digest.hexdigest()

    @property
    def _size(self) -> str:
        n_rows = self.n_stored if self.has_real_weights else self.n_rows
        return f"{counted(n_rows, 'row')} and {counted(self.n_variables, 'variable')}"

    @property
    def _states_shown(self) -> str:
        return show_range(int(self.arities.min()), int(self.arities.max()))

    @property
    def _set_shown(self) -> str:
        mask = np.zeros((1, 1), np.bool_) if self.intervened is None else self.intervened
        variables = counted(int(mask.any(axis=1).sum()), "variable")
        return f"{variables} in {counted(int(mask.any(axis=0).sum()), 'row')} (experiments)"

    def __repr__(self) -> str:
        """Show the size, the names and the numbers of states."""
        facts = [
            ("variables", listing(self.names)),
            ("states", f"{self._states_shown} per variable"),
        ]
        if self.weights is not None:
            low, high = self.weights.min() / self.copies, self.weights.max() / self.copies
            facts.append(
                ("stored", f"{counted(self.n_stored, 'row')}, weights {low:.4g} to {high:.4g}")
            )
        if self.has_missing:
            share = show_share(self.missing_share)
            facts.append(("missing", f"{share} of the values ({self.missing})"))
        if self.intervened is not None:
            facts.append(("set", f"{self._set_shown}"))
        return show_facts(f"Dataset with {self._size}", facts)

    def _repr_html_(self) -> str:
        """Show the size and the first rows in notebooks."""
        most_rows, most_columns = 5, 10
        columns = range(min(self.n_variables, most_columns))
        more = ["..."] if self.n_variables > most_columns else []
        rows = [
            [*((*self.states[v], "")[self.codes[v, row]] for v in columns), *more]
            for row in range(min(self.n_stored, most_rows))
        ]
        if self.n_stored > most_rows:
            rows.append(["..."] * (len(columns) + len(more)))
        caption = (
            f"<strong>Dataset</strong> · {self._size}, {self._states_shown} states per variable"
        )
        return html_figure(caption, html_table([*self.names[:most_columns], *more], rows))


def as_dataset(
    data: Any,
    read: ReadOptions | None = None,
    *,
    names: Sequence[str] | None = None,
    **options: Any,
) -> Dataset:
    """Convert a table of any supported type to a dataset.

    Parameters
    ----------
    data
        A path, a data frame (pandas, Polars, pyarrow, ...), a two-dimensional
        NumPy array or one of records, a list of dictionaries (one per row), a dictionary of lists
        (one per column), a file object (CSV unless its name has another extension), or a Dataset,
        which is returned as it is.
    read
        How to read the table. Default None: use the keyword arguments.
    names
        The names of the columns of an array. Default None: "0", "1", ...
    **options
        Fields of ``ReadOptions``, or ``schema``, the path of a schema file.

    Returns
    -------
    Dataset
        The coded table.

    Raises
    ------
    DataError
        If ``data`` is not a table, if the options do not fit it, or if it is a
        Dataset and options are passed.
    FileError
        If a file cannot be read.

    Examples
    --------
    >>> import polars as pl
    >>> from forebear import as_dataset
    >>> as_dataset(pl.DataFrame({"rain": ["no", "yes"], "wet": [True, False]}))
    Dataset with 2 rows and 2 variables
      variables: rain, wet
      states: 2 per variable
    """
    if names is not None and not isinstance(data, np.ndarray):
        raise DataError(Parameter("names"), " is for arrays: this table has names already")
    if isinstance(data, Dataset):
        _check_no_options(read, options)
        return data
    how = as_read_options(read, options)
    return Dataset._encoded(load_table(data, how, names), how)


def read_dataset(data: Any, read: ReadOptions | None, check_time: CheckTime) -> Dataset:
    """Convert a table as ``as_dataset`` does; ``check_time`` can end reading by an exception."""
    if isinstance(data, Dataset):
        return as_dataset(data, read)
    how = as_read_options(read, {})
    return Dataset._encoded(load_table(data, how, None, check_time), how)


def _check_no_options(read: ReadOptions | None, options: dict[str, Any]) -> None:
    """Reject options for a Dataset: it is coded already, so they would have no effect."""
    given = ["read"] * (read is not None) + list(options)
    if given:
        raise DataError(
            Parameter(given[0]),
            " has no effect on a Dataset, which is coded already: "
            "pass it to the function that creates the Dataset",
        )
