"""Discretization of continuous columns: where to cut, and the names of the intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear._util.checks import check_choice
from forebear._util.errors import DataError, ForebearError, Parameter
from forebear.data.formats.texttypes import TextRules, typed_column
from forebear.data.raw_table import Column

Discretize = Literal["quantile", "uniform", "learned"]


def check_method(method: object) -> None:
    """Reject an unknown method; None means none."""
    if method is not None:
        check_choice(get_args(Discretize), discretize=method)


def check_cuts(name: str, cuts: Any) -> None:
    """Reject cuts of a column that are not ascending, finite numbers."""
    try:
        numbers = np.array(list(cuts), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([np.nan])
    if not (len(numbers) and np.isfinite(numbers).all() and (np.diff(numbers) > 0).all()):
        raise ForebearError(
            Parameter("bins"),
            f" of column {name!r} must be a number of intervals or a list of ascending cuts, "
            f"got {list(cuts)!r}",
        )


def discretize_column(
    column: Column, method: Discretize | None, bins: int | Sequence[float]
) -> tuple[NDArray[np.intp], tuple[str, ...], tuple[float, ...] | None]:
    """Cut a column into intervals.

    Return the interval of every distinct value, their names and the cuts.

    ``bins`` is the largest number of intervals, or the cuts. Intervals are open
    below and closed above. A column with many zeros therefore keeps them in an
    interval of their own. Quantile intervals are never empty: where ties make
    two cuts equal, the intervals between them are merged.
    """
    numbers = finite_numbers(column)
    if not isinstance(bins, int | np.integer):
        cuts = np.array(list(bins), dtype=np.float64)
    elif len(numbers) == 0:
        return np.empty(0, dtype=np.intp), (), None
    else:
        cuts = cut_points(numbers, method or "quantile", int(bins), column.counts[:-1])
    if column.dtype.is_temporal():
        cuts = np.unique(np.floor(cuts))
    places = np.searchsorted(cuts, numbers, side="left")
    return places, interval_names(cuts, column.dtype), tuple(cuts.tolist())


def merge_states(
    places: NDArray[Any],
    states: tuple[str, ...],
    counts: NDArray[np.int64],
    method: Discretize,
    bins: int,
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Merge neighbors of an order of states, until there are at most ``bins``.

    ``places`` are the states of the distinct values, ``counts`` their rows. Return the new place of
    every state, and the names of the merged states.
    """
    if len(states) <= bins or not counts.any():
        return np.arange(len(states)), states
    method = "quantile" if method == "learned" else method
    present = counts > 0
    numbers = places[present].astype(np.float64)
    cuts = np.unique(np.floor(cut_points(numbers, method, bins, counts[present])))
    firsts = [0, *(int(cut) + 1 for cut in cuts)]
    merged = tuple(
        states[first] if end - first == 1 else f"{states[first]}_to_{states[end - 1]}"
        for first, end in zip(firsts, [*firsts[1:], len(states)], strict=True)
    )
    return np.searchsorted(cuts, np.arange(len(states)), side="left"), merged


def finite_numbers(column: Column) -> NDArray[np.float64]:
    """Return the distinct values as ``as_numbers`` does, and reject infinite ones."""
    numbers = as_numbers(column.values)
    if np.isinf(numbers).any():
        raise DataError(
            f"column {column.name!r} has infinite values: replace them, name it in ",
            Parameter("drop"),
            ", or use ",
            Parameter("missing_tokens"),
        )
    return numbers


def as_numbers(values: pl.Series) -> NDArray[np.float64]:
    """Convert a numeric or temporal column to floats; null is NaN, times are in their unit."""
    if values.dtype in (pl.Datetime, pl.Duration):
        # Nanoseconds since 1970 do not fit in a float's 53 bits; microseconds do.
        values = values.dt.cast_time_unit("us")
    return values.to_physical().cast(pl.Float64).to_numpy()


def cut_points(
    numbers: NDArray[np.float64],
    method: Discretize,
    bins: int,
    counts: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Return the inner edges, ascending and distinct, each below the largest value.

    ``counts`` are the rows of every number; one each by default.
    """
    shares = np.linspace(0, 1, bins + 1)[1:-1]
    low, high = numbers.min(), numbers.max()
    if method == "quantile":
        # The cuts are observed values, so that no interval is empty: NumPy's "inverted_cdf".
        order = np.argsort(numbers, kind="stable")
        if counts is None or not counts.any():  # real weights may be rounded to 0
            counts = np.ones(len(numbers), np.int64)
        ends = np.cumsum(counts[order])
        rows = np.ceil(ends[-1] * shares - 1).clip(0)
        cuts = numbers[order][np.searchsorted(ends, rows, side="right")]
    else:
        # Not low + share * (high - low), because the difference may overflow.
        cuts = low * (1 - shares) + high * shares
    cuts = np.unique(cuts)
    inner: NDArray[np.float64] = cuts[(cuts >= low) & (cuts < high)]
    return inner


def interval_names(cuts: NDArray[np.float64], dtype: pl.DataType) -> tuple[str, ...]:
    """Name the intervals between cuts: ``up_to_0.5``, ``from_0.5_to_1.2``, ``above_1.2``.

    The names start with a letter and have only letters, digits, ``_``, ``-`` and
    ``.``, because BIF files of other programs allow nothing else.
    """
    if len(cuts) == 0:
        return ("any",)
    texts = _time_texts(cuts, dtype) if dtype.is_temporal() else number_texts(cuts)
    between = [f"from_{low}_to_{high}" for low, high in pairwise(texts)]
    return (f"up_to_{texts[0]}", *between, f"above_{texts[-1]}")


def cuts_of(states: Sequence[str]) -> tuple[pl.DataType, NDArray[np.float64]] | None:
    """Return the type and the cuts in the names of intervals, as ``interval_names`` makes them.

    None if the states are not intervals of numbers or dates. Numbers in names are rounded to a few
    digits, so these are the cuts that a reader of the names would use.
    """
    if len(states) < 2 or not states[0].startswith("up_to_"):
        return None
    texts = [states[0].removeprefix("up_to_")]
    texts += [state.rpartition("_to_")[2] for state in states[1:-1]]
    values = _values_of(texts)
    cuts = as_numbers(values)
    between = [f"from_{low}_to_{high}" for low, high in pairwise(texts)]
    named = (states[0], *between, f"above_{texts[-1]}")
    ascending = np.isfinite(cuts).all() and (np.diff(cuts) > 0).all()
    return (values.dtype, cuts) if ascending and tuple(states) == named else None


def _values_of(texts: Sequence[str]) -> pl.Series:
    """Return the numbers or dates that ``interval_names`` wrote; NaN where they are neither."""
    try:
        return pl.Series([float(text) for text in texts])
    except ValueError:
        pass
    midnight = " 00:00" if any(len(text) > 10 for text in texts) else ""
    times = [
        f"{text[:10]} {text[11:].replace('.', ':', 2)}" if text[10:] else text + midnight
        for text in texts
    ]
    values = typed_column(pl.Series(times), TextRules(()))
    return values if values.dtype.is_temporal() else pl.Series([math.nan])


def number_texts(numbers: NDArray[np.float64]) -> Sequence[str]:
    """Write numbers with as few digits as keep them distinct."""
    n_distinct = len(np.unique(numbers))
    for digits in range(4, 18):
        texts = [_number_text(float(number), digits) for number in numbers]
        if len(set(texts)) == n_distinct:
            break
    return texts


def _number_text(number: float, digits: int) -> str:
    if number.is_integer() and abs(number) < 1e15:  # larger ones in scientific notation
        return str(int(number))
    return f"{number:.{digits}g}".replace("e+", "e")


def _time_texts(cuts: NDArray[np.float64], dtype: pl.DataType) -> Sequence[str]:
    """Write the cuts as dates and times, with dots where clocks have colons."""
    whole: pl.Series = pl.Series(cuts.astype(np.int64))
    if dtype == pl.Duration:
        return [_plain(str(value)) for value in whole.cast(pl.Duration("us")).to_list()]
    unit: Any = pl.Datetime("us") if dtype == pl.Datetime else dtype
    texts = whole.cast(pl.Int32 if dtype == pl.Date else pl.Int64).cast(unit).cast(pl.String)
    return [_plain(text) for text in texts.to_list()]


def _plain(text: str) -> str:
    """Write a time without blanks, commas and colons; leave out fractions of 0."""
    text = text.removesuffix(".000000").removesuffix(" 00:00:00")
    return text.replace(", ", "_").replace(" ", "_").replace(":", ".")
