"""What the report's bar charts count."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.result import Result


class Bar(NamedTuple):
    """One bar: what is counted, and how many variables are."""

    label: str
    variables: int


def rank_bars(result: Result) -> list[Bar]:
    """Count the variables by the rank of their parent set, in bins that double: 1, 2, 3-4, 5-8."""
    bins = Counter((choice.rank - 1).bit_length() for choice in result.choices)
    return [Bar(_bin_label(k), bins[k]) for k in range(max(bins, default=-1) + 1)]


def degree_bars(relatives: Sequence[Sequence[int]]) -> list[Bar]:
    """Count the variables by how many parents, or children, they have.

    Far numbers that few have are put together in bins that double.
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


_MOST_SINGLE = 15
_FIRST_BIN = 8


def _bin_label(k: int) -> str:
    """Name the ranks whose predecessor has ``k`` binary digits."""
    low, high = (1, 1) if k == 0 else (2 ** (k - 1) + 1, 2**k)
    return str(high) if low == high else f"{low:,}–{high:,}"
