"""ReadOptions: how a raw table is converted to a Dataset."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from forebear._util.checks import check_choice, check_parameter_names, check_whole
from forebear._util.errors import DataError, ForebearError, Parameter
from forebear._util.variable_names import did_you_mean
from forebear.data.discretization import Discretize, check_cuts, check_method
from forebear.data.set_mask import SetMask

Missing = Literal["error", "drop", "state", "available", "em"]

KEEP_MISSING = ("available", "em")
"""The methods that keep missing values in the table, and learn from incomplete rows."""

DEFAULT_MISSING: Missing = "em"
"""In most settings of benchmarks/results/missing.md, its networks are closest to those learned from
the complete table, by structure and by held-out likelihood."""

Kind = Literal["categorical", "ordered", "continuous"]
"""The kinds of columns that can be declared."""

DEFAULT_BINS = 5
MOST_LEARNED = 12
"""The largest number of learned intervals of a column: enough for the shape of most columns, and
few enough for tables of two such columns."""

MAX_STATES = int(np.iinfo(np.uint16).max)
"""The most states of a variable: codes have 16 bits."""

MAX_ROWS = int(np.iinfo(np.int32).max)
"""The most rows: counts have 32 bits."""

FILE_OPTIONS = ("header", "encoding", "decimal_comma", "comment", "sheet")
"""The options about files, which tables in memory do not have."""

MISSING_TOKENS = ("NA", "N/A", "NaN", "nan", "null", "NULL", "?", "*")
"""The fields of a text file that mean a missing value by default; an empty field always does."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ReadOptions:
    """How a raw table is converted to a ``Dataset``.

    A column is continuous if it holds dates, times, or numbers that are not all
    whole. A column of whole numbers is continuous if it has more than 32
    distinct values, and these are more than 256 or more than 5 % of the rows.
    ``categorical``, ``ordered`` and ``continuous`` override this.

    Parameters
    ----------
    missing
        How missing values are handled. ``"em"`` (default) and ``"available"`` use all rows:
        ``"em"`` completes the rows by structural expectation maximization, ``"available"`` scores
        every family on the rows where it is observed. ``"error"`` rejects missing values,
        ``"drop"`` drops incomplete rows, ``"state"`` adds a state "missing" to the columns with
        missing values.
    discretize
        How to discretize continuous columns. ``"quantile"``: intervals with
        about the same number of rows. ``"uniform"``: intervals of equal width.
        ``"learned"``: the number of intervals and the cuts are chosen by the
        dependence between the columns. Default None: continuous columns are
        rejected.
    bins
        Number of intervals per column; with ``discretize="learned"``, the
        largest number. Or a dictionary from columns to numbers of intervals or
        lists of cuts, in which the key None applies to all other columns.
        Columns in the dictionary are discretized even if they do not look
        continuous. Default None: 5, or up to 12 with ``discretize="learned"``.
    states
        The states of some columns, in order: a dictionary from columns to
        states, which need not all occur in the table. Default None: the states
        that the column declares (a pandas categorical, a Polars Enum, an Arrow
        dictionary), otherwise the values that occur.
    keep
        The columns to use, in addition to those in ``categorical``, ``ordered``
        and ``continuous``. Default None: all.
    drop
        Columns to leave out. Default: none.
    categorical
        Columns whose values are treated as states even if they look continuous. Default: none.
    ordered
        Columns whose states are ordered: a list of columns, which are ordered
        by their values, or a dictionary from columns to their states in order.
        If ``bins`` contains such a column, neighboring states are merged.
        Default: none.
    continuous
        Columns to discretize even if they do not look continuous. Default: none.
    weights
        A column with the number of rows that each row stands for; it is not a variable.
        With whole numbers, the result is that of a table in which each row is repeated that often.
        Other weights, as in surveys, are scaled to a mean of 1; they require the score "bdeu",
        "bds", "bic", "aic", "k2" or "ll". Default None: every row counts once.
    intervened
        For tables with experiments: a column that names the variables that were set by intervention
        in each row, separated by ";" if they are several, and empty if none was; it is not a
        variable. Or a mask, True where a value was set: an array of the shape of the table, or a
        data frame, whose columns are matched by name. The families of a variable are then scored
        and fitted on the rows in which it was not set. Default None: all values were observed.
    missing_tokens
        Values that are read as missing: a list, or a dictionary from columns to
        lists, in which the key None applies to all other columns. Empty fields
        are always missing. Default None: NA, N/A, NaN, nan, null, NULL, ? and *
        in text files, none in other tables.
    header
        Whether the first line of a text file holds the column names. Default
        None: decided from the content.
    encoding
        The encoding of a text file, such as "cp1252" or "utf-16". Default None:
        UTF-8, or UTF-16 if the file starts with its byte order mark.
    decimal_comma
        Whether numbers in a text file are written with a comma, as 1,5. Default
        None: decided from the content of each column.
    comment
        Prefix of comment lines in a text file, such as "#". Default None: lines
        that start with "#" are skipped before the header only.
    sheet
        The sheet of a workbook. Default None: the first.
    rows
        Read a random sample of this many rows, without replacement. The same table and the same
        number give the same rows. Default None: all rows.

    Raises
    ------
    ForebearError
        If a value is not allowed.

    Examples
    --------
    >>> from forebear import ReadOptions
    >>> ReadOptions(missing="drop", discretize="quantile", bins=3, drop=["id"])
    ReadOptions(missing='drop', discretize='quantile', bins=3, drop=['id'])
    """

    missing: Missing = DEFAULT_MISSING
    discretize: Discretize | None = None
    bins: int | Mapping[Any, int | Sequence[float]] | None = None
    states: Mapping[str, Sequence[Any]] | None = None
    keep: Sequence[str] | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    ordered: Sequence[str] | Mapping[str, Sequence[Any] | None] = ()
    continuous: Sequence[str] = ()
    weights: str | None = None
    intervened: Any = None
    missing_tokens: Sequence[str] | Mapping[Any, Sequence[str]] | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal_comma: bool | None = None
    comment: str | None = None
    sheet: str | None = None
    rows: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.intervened, str | None):
            object.__setattr__(self, "intervened", SetMask.of(self.intervened))
        check_choice(get_args(Missing), missing=self.missing)
        check_method(self.discretize)
        self._check_bins()
        for option in ("keep", "drop", "categorical", "ordered", "continuous"):
            value = getattr(self, option)
            if value is not None or option != "keep":
                _check(is_listed(value), option, "a list of columns", value)
        self._check_named_once()
        _check_of_columns("states", self.states)
        _check_of_columns("ordered", self.declared)
        for own in (*self.tokens_by_column.values(), _of_others(self.missing_tokens)):
            _check(is_listed(own) or own is None, "missing_tokens", "a list", own)
        for option in ("header", "decimal_comma"):
            value = getattr(self, option)
            _check(value is None or isinstance(value, bool), option, "True, False or None", value)
        for option in ("weights", "comment", "sheet", "encoding", "intervened"):
            value = getattr(self, option)
            usable = (
                value is None or isinstance(value, SetMask) or (isinstance(value, str) and value)
            )
            _check(usable, option, "text", value)
        if self.rows is not None:
            check_whole(1, MAX_ROWS, rows=self.rows)
            if isinstance(self.intervened, SetMask):
                raise ForebearError(
                    Parameter("rows"),
                    " reads a sample, whose rows a mask does not have: name a column in ",
                    Parameter("intervened"),
                )
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise ForebearError(
                Parameter("encoding"),
                f" {self.encoding!r} is not a known encoding: use for example utf-8, cp1252, "
                "latin-1 or utf-16",
            )

    def __repr__(self) -> str:
        """Show the options that differ from their defaults."""
        given = [
            f"{field.name}={value!r}"
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        ]
        return f"ReadOptions({', '.join(given)})"

    @classmethod
    def from_schema(cls, path: Path | str, **changes: Any) -> ReadOptions:
        """Read the options from a schema file, as ``forebear info --schema`` writes it.

        Parameters
        ----------
        path
            A TOML file.
        **changes
            Options that replace those of the file. Settings of single columns
            are added to those of the file.

        Returns
        -------
        ReadOptions
            The options.

        Raises
        ------
        FileError
            If the file cannot be read or is not a schema file.
        """
        from forebear.data.schema import options_from_schema

        return options_from_schema(path, changes)

    def _check_bins(self) -> None:
        counts = [self.default_bins if self.bins is None else _of_others(self.bins)]
        for name, own in self.bins_by_column.items():
            if is_listed(own):
                check_cuts(name, own)
            else:
                counts.append(own)
                if self.discretize is None:
                    raise ForebearError(
                        Parameter("bins"),
                        " for single columns requires ",
                        Parameter("discretize", "quantile"),
                        " or ",
                        Parameter("discretize", "uniform"),
                    )
        for count in counts:
            if count is not None:
                check_whole(2, MAX_STATES, bins=count)

    def _check_named_once(self) -> None:
        """Reject a column that is named by two options, except by ``keep`` and a kind."""
        options: dict[str, str] = {}
        for option in ("categorical", "ordered", "continuous", "drop", "keep"):
            for name in map(str, getattr(self, option) or ()):
                before = options.setdefault(name, option)
                if before != option and (option != "keep" or before == "drop"):
                    raise _named_twice(name, before, option)
        for name in self.bins_by_column:
            if options.get(name) == "categorical":
                raise _named_twice(name, "bins", "categorical")
        for option in ("categorical", "ordered", "continuous", "drop", "states", "bins"):
            given = self.bins_by_column if option == "bins" else getattr(self, option)
            for name, own in self._about_rows.items():
                if name in (given or ()):
                    raise _named_twice(name, own, option)
        if self.weights is not None and self.weights == self.intervened:
            raise _named_twice(self.weights, "weights", "intervened")

    @property
    def _about_rows(self) -> dict[str, str]:
        """The columns that are about the rows and not variables, with their options."""
        given = {"weights": self.weights, "intervened": self.intervened}
        return {name: option for option, name in given.items() if isinstance(name, str)}

    @property
    def bins_by_column(self) -> Mapping[str, int | Sequence[float]]:
        """The number of intervals or the cuts of the columns that have their own setting."""
        return _of_columns(self.bins)

    @property
    def default_bins(self) -> int:
        """The number of bins of every other column."""
        usual = MOST_LEARNED if self.discretize == "learned" else DEFAULT_BINS
        given = _of_others(self.bins)
        return usual if given is None else int(given)

    @property
    def tokens_by_column(self) -> Mapping[str, Sequence[str]]:
        """The missing-value tokens of the columns that have their own."""
        return _of_columns(self.missing_tokens)

    @property
    def default_tokens(self) -> Sequence[str] | None:
        """The missing-value tokens of all other columns, or None if not set."""
        given = _of_others(self.missing_tokens)
        return None if given is None else tuple(map(str, given))

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """The kinds that are set for single columns."""
        kinds: dict[str, Kind] = dict.fromkeys(self.bins_by_column, "continuous")
        for kind in get_args(Kind):
            kinds.update(dict.fromkeys(map(str, getattr(self, kind)), kind))
        return kinds

    @cached_property
    def declared(self) -> Mapping[str, Sequence[Any]]:
        """The states that are declared for single columns."""
        listed = self.ordered if isinstance(self.ordered, Mapping) else {}
        return {**(self.states or {}), **{n: own for n, own in listed.items() if own is not None}}

    @property
    def _columns_by_option(self) -> dict[str, Iterable[Any]]:
        """The columns that each option names."""
        return {
            "states": self.states or {},
            "bins": self.bins_by_column,
            "missing_tokens": self.tokens_by_column,
            **{option: (name,) for name, option in self._about_rows.items()},
            **{n: getattr(self, n) or () for n in ("keep", "drop", *get_args(Kind))},
        }

    @property
    def named_columns(self) -> set[str]:
        """The columns that options name."""
        return {str(name) for own in self._columns_by_option.values() for name in own}

    def select(self, names: Sequence[str]) -> list[str]:
        """Return the columns to read, in the order of the table; reject unknown names.

        The columns that are about the rows, such as the weights, are among them.
        """
        known = set(names)
        for option, columns in self._columns_by_option.items():
            for name in columns:
                if name not in known:
                    hint = did_you_mean(str(name), names)
                    raise DataError(Parameter(option), f": there is no column {str(name)!r}{hint}")
        kept = known if self.keep is None else {*self.keep, *self.kinds}
        about_rows = self._about_rows.keys()
        left = {name for name in kept if name not in set(self.drop)} - about_rows
        if names and not left:
            raise DataError(
                "no columns are left: change ", Parameter("keep"), " or ", Parameter("drop")
            )
        return [name for name in names if name in left or name in about_rows]

    def check_no_file(self) -> None:
        """Reject options about files for a table that is in memory."""
        for name in FILE_OPTIONS:
            if getattr(self, name) is not None:
                what = "a workbook" if name == "sheet" else "text files"
                raise DataError(Parameter(name), f" is for {what}: this table is in memory")


_make = check_parameter_names(ReadOptions)


def is_listed(value: object) -> bool:
    """Return whether a value is a list, a dictionary or a similar collection, but not text."""
    return hasattr(value, "__iter__") and not isinstance(value, str | bytes)


def _check(allowed: object, option: str, expected: str, value: object) -> None:
    if not allowed:
        raise ForebearError(Parameter(option), f" must be {expected}, got {value!r}")


def _check_of_columns(option: str, states: Any) -> None:
    """Reject states that are not a dictionary from column to a list."""
    if not isinstance(states or {}, Mapping):
        kind = type(states).__name__
        raise ForebearError(
            Parameter(option), f" must be a dictionary from column to states, got {kind}"
        )
    for column, own in (states or {}).items():
        if not is_listed(own):
            raise ForebearError(
                Parameter(option), f" of column {str(column)!r} must be a list, got {own!r}"
            )


def _is_encoding(name: str) -> bool:
    try:
        # Python's codecs also translate bytes to bytes, such as base64.
        return getattr(codecs.lookup(name), "_is_text_encoding", True)
    except LookupError:
        return False


def _of_columns(value: Any) -> dict[str, Any]:
    """Return the settings of single columns in an option."""
    given = value if isinstance(value, Mapping) else {}
    return {str(name): own for name, own in given.items() if name is not None}


def _of_others(value: Any) -> Any:
    """Return the setting of all other columns in an option, or None."""
    return value.get(None) if isinstance(value, Mapping) else value


def _named_twice(column: str, one: str, other: str) -> ForebearError:
    return ForebearError(
        f"column {column!r} is named in ",
        Parameter(one),
        " and in ",
        Parameter(other),
        ": name it in one of them only",
    )


def as_read_options(read: ReadOptions | None, options: dict[str, Any]) -> ReadOptions:
    """Return the options, passed as an object or as keyword arguments."""
    if read is None:
        changes = {name: value for name, value in options.items() if name != "schema"}
        if "schema" not in options:
            return _make(**changes)
        return ReadOptions.from_schema(options["schema"], **changes)
    if not isinstance(read, ReadOptions):
        raise ForebearError(
            Parameter("read"), f" must be a ReadOptions object, got {type(read).__name__}"
        )
    if options:
        raise ForebearError(
            Parameter("read"),
            " and single options cannot be combined: pass ",
            Parameter(next(iter(options))),
            " to ReadOptions",
        )
    return read
