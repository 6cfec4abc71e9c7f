"""ReadOptions: how a raw table becomes a Dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from forebear._util.checks import check_choice, check_whole, known_parameters
from forebear._util.errors import DataError, ForebearError, Parameter
from forebear._util.text import listing
from forebear.data.discretization import Discretize, check_method

if TYPE_CHECKING:
    from collections.abc import Iterable

Missing = Literal["error", "drop", "state", "available", "weighted", "em"]

GAP_WAYS = ("available", "weighted", "em")
"""The ways that keep gaps in the table, and learn from rows with gaps."""

DEFAULT_MISSING: Missing = "em"
"""Of all ways it comes closest to the complete table, by structure and by held-out likelihood, in
most settings of benchmarks/results/missing.md."""

DEFAULT_BINS = 5

MAX_STATES = 65_535
"""The most states of a variable: codes have 16 bits."""


class ReadKeywords(TypedDict, total=False):
    """The fields of ``ReadOptions`` as keyword arguments."""

    missing: Missing
    discretize: Discretize | None
    bins: int | Mapping[str, int]
    states: Mapping[str, Sequence[Any]] | None
    header: bool | None


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a raw table becomes a ``Dataset``.

    A column is continuous if it holds dates or times, numbers that are not all
    whole, or whole numbers with more than 32 distinct values that are also more
    than 256 or more than 5 % of the rows.

    Parameters
    ----------
    missing
        What to do with missing values. Three ways learn from all rows: ``"em"``
        completes the rows by structural expectation maximisation,
        ``"available"`` scores every family on the rows where it is observed,
        ``"weighted"`` also weights these rows by the inverse of their
        probability of being observed. ``"error"`` refuses missing values,
        ``"drop"`` leaves out their rows, ``"state"`` adds a state called
        "missing" to the columns that have them. Default ``"em"``.
    discretize
        How to cut continuous columns into intervals: ``"quantile"`` gives
        intervals with about as many rows each, ``"uniform"`` gives intervals of
        equal width. Default None: continuous columns are refused.
    bins
        Number of intervals per column, or a dictionary from column to number.
        Columns in the dictionary are cut even if they do not look continuous;
        the others get the default. Default 5.
    states
        The states of some columns, in order: a dictionary from column to
        states. They may include states that no row has. Default None: the
        states that the column declares (a pandas categorical, a Polars Enum, an
        Arrow dictionary), otherwise the values that occur.
    header
        Whether the first line of a text file holds the column names. Default
        None: decided from the content.

    Raises
    ------
    ForebearError
        If a value is not allowed.

    Examples
    --------
    >>> from forebear import ReadOptions
    >>> ReadOptions(missing="drop", discretize="quantile", bins=3)
    ReadOptions(missing='drop', discretize='quantile', bins=3, states=None, header=None)
    """

    missing: Missing = DEFAULT_MISSING
    discretize: Discretize | None = None
    bins: int | Mapping[str, int] = DEFAULT_BINS
    states: Mapping[str, Sequence[Any]] | None = None
    header: bool | None = None

    def __post_init__(self) -> None:
        check_choice(get_args(Missing), missing=self.missing)
        check_method(self.discretize)
        for count in [self.bins] if not isinstance(self.bins, Mapping) else self.bins.values():
            check_whole(2, MAX_STATES, bins=count)
        if self.bins_by_column and self.discretize is None:
            raise ForebearError(
                Parameter("bins"),
                " for single columns needs ",
                Parameter("discretize", "quantile"),
                " or ",
                Parameter("discretize", "uniform"),
            )
        _check_declared(self.states)
        if not (self.header is None or isinstance(self.header, bool)):
            raise ForebearError(
                Parameter("header"), f" must be True, False or None, got {self.header!r}"
            )

    @property
    def bins_by_column(self) -> Mapping[str, int]:
        """The numbers of bins that are given for single columns."""
        return self.bins if isinstance(self.bins, Mapping) else {}

    @property
    def default_bins(self) -> int:
        """The number of bins of every other column."""
        return int(self.bins) if isinstance(self.bins, Integral) else DEFAULT_BINS

    def check_columns(self, names: Iterable[str]) -> None:
        """Refuse options about columns that the table does not have."""
        known = set(names)
        for option, columns in (("states", self.states or {}), ("bins", self.bins_by_column)):
            unknown = [str(name) for name in columns if name not in known]
            if unknown:
                raise DataError(
                    Parameter(option), f" names columns that the table lacks: {listing(unknown)}"
                )

    def check_no_header(self) -> None:
        """Refuse a header for a table that is not a text file."""
        if self.header is not None:
            raise DataError(
                Parameter("header"), " is for text files: frames and arrays have no header line"
            )


_make = known_parameters(ReadOptions)


def as_read_options(read: ReadOptions | None, options: ReadKeywords) -> ReadOptions:
    """Return the options, given as an object or one by one."""
    if read is None:
        return _make(**options)
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


def _check_declared(states: object) -> None:
    if states is None:
        return
    if not isinstance(states, Mapping):
        raise ForebearError(
            Parameter("states"),
            f" must be a dictionary from column to states, got {type(states).__name__}",
        )
    for column, own in states.items():
        if isinstance(own, str) or not hasattr(own, "__iter__"):
            raise ForebearError(
                Parameter("states"), f" of column {str(column)!r} must be a list, got {own!r}"
            )
