"""Discretization of continuous columns: where to cut, and the names of the intervals."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from forebear._util.checks import check_choice
from forebear._util.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Discretize = Literal["quantile", "uniform"]

# Whole numbers from this size on are written in scientific notation.
_LONGEST_WHOLE = 1e15


def check_method(method: object) -> None:
    """Refuse an unknown method; None means none."""
    if method is not None:
        check_choice(get_args(Discretize), discretize=method)


def discretize_column(
    values: pl.Series, method: Discretize, bins: int
) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Cut a column without nulls into at most ``bins`` intervals; return codes and names.

    Intervals are open below and closed above, except the first, which also
    contains the smallest value. A column with many zeros therefore keeps them
    in an interval of their own. Quantile intervals are never empty: where ties
    make two cuts equal, the intervals between them are merged.
    """
    numbers = as_numbers(values)
    if not np.isfinite(numbers).all():
        raise DataError(f"column {values.name!r} has infinite values: replace or drop them")
    if len(numbers) == 0:
        return np.empty(0, dtype=np.intp), ()
    cuts = cut_points(numbers, method, bins)
    if values.dtype.is_temporal():
        cuts = np.unique(np.floor(cuts))
    edges = np.concatenate([[numbers.min()], cuts, [numbers.max()]])
    return np.searchsorted(cuts, numbers, side="left"), interval_names(edges, values.dtype)


def as_numbers(values: pl.Series) -> NDArray[np.float64]:
    """Convert a numeric or temporal column to floats; times are in their physical unit."""
    if values.dtype == pl.Datetime:
        # Nanoseconds since 1970 do not fit in a float's 53 bits; microseconds do.
        values = values.dt.cast_time_unit("us")
    return values.to_physical().cast(pl.Float64).to_numpy()


def cut_points(numbers: NDArray[np.float64], method: Discretize, bins: int) -> NDArray[np.float64]:
    """Return the inner edges, ascending and distinct, each below the largest value."""
    shares = np.linspace(0, 1, bins + 1)[1:-1]
    low, high = numbers.min(), numbers.max()
    if method == "quantile":
        # The cuts are observed values, so that no interval is empty.
        cuts = np.quantile(numbers, shares, method="inverted_cdf")
    else:
        # Not low + share * (high - low), because the difference may overflow.
        cuts = low * (1 - shares) + high * shares
    cuts = np.unique(cuts)
    inner: NDArray[np.float64] = cuts[(cuts >= low) & (cuts < high)]
    return inner


def interval_names(edges: NDArray[np.float64], dtype: pl.DataType) -> tuple[str, ...]:
    """Name the intervals between edges: ``[0, 0.5]``, ``(0.5, 1.2]``."""
    texts = _time_texts(edges, dtype) if dtype.is_temporal() else _number_texts(edges)
    pairs = pairwise(texts)
    return tuple(f"{'(' if i else '['}{low}, {high}]" for i, (low, high) in enumerate(pairs))


def _number_texts(edges: NDArray[np.float64]) -> Sequence[str]:
    """Write the edges with as few digits as keep them distinct."""
    n_distinct = len(np.unique(edges))
    for digits in range(4, 18):
        texts = [_number_text(float(edge), digits) for edge in edges]
        if len(set(texts)) == n_distinct:
            break
    return texts


def _number_text(number: float, digits: int) -> str:
    if number.is_integer() and abs(number) < _LONGEST_WHOLE:
        return str(int(number))
    return f"{number:.{digits}g}"


def _time_texts(edges: NDArray[np.float64], dtype: pl.DataType) -> Sequence[str]:
    """Write the edges as dates and times."""
    whole: pl.Series = pl.Series(edges.astype(np.int64))
    if dtype == pl.Duration:
        return [str(value) for value in whole.cast(dtype).to_list()]
    unit: Any = pl.Datetime("us") if dtype == pl.Datetime else dtype
    return (
        whole.cast(pl.Int32 if dtype == pl.Date else pl.Int64).cast(unit).cast(pl.String).to_list()
    )
