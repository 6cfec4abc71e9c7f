"""The counts in the bar charts of the report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.result import Result


_MOST_SINGLE = 15
"""Up to this degree, every number has a bar of its own."""

_FIRST_BIN = 8
"""Beyond, bins start here."""


class Bar(NamedTuple):
    """One bar: its label and its number of variables."""

    label: str
    variables: int


def rank_bars(result: Result) -> list[Bar]:
    """Count the variables by the rank of their parent set, in doubling bins: 1, 2, 3-4, 5-8."""
    bins = Counter((choice.rank - 1).bit_length() for choice in result.choices)
    return [Bar(_bin_label(k), bins[k]) for k in range(max(bins, default=-1) + 1)]


def degree_bars(relatives: Sequence[Sequence[int]]) -> list[Bar]:
    """Count the variables by their number of parents or children.

    Large numbers are grouped in doubling bins.
    """
    counts = Counter(map(len, relatives))
    most = max(counts, default=-1)
    if most <= _MOST_SINGLE:
        return [Bar(str(k), counts[k]) for k in range(most + 1)]
    bars = [Bar(str(k), counts[k]) for k in range(_FIRST_BIN)]
    low = _FIRST_BIN
    while low <= most:
        high = 2 * low - 1
        bars.append(Bar(f"{low}–{high}", sum(counts[k] for k in range(low, high + 1))))
        low = high + 1
    return bars


def _bin_label(k: int) -> str:
    """Label the bin of the ranks r for which r - 1 has ``k`` binary digits."""
    low, high = (1, 1) if k == 0 else (2 ** (k - 1) + 1, 2**k)
    return str(high) if low == high else f"{low:,}–{high:,}"
