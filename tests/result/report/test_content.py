"""What the charts count, and what the scripts get."""

from __future__ import annotations

from dataclasses import replace

from results import result_of

from forebear import Network
from forebear.result import Choice
from forebear.result.report.content import degree_bars, rank_bars


def test_what_the_charts_count() -> None:
    result = result_of(Network(tuple("abcdefghi"), ((),) * 9))
    ranks = (1, 1, 2, 3, 4, 5, 8, 9, 17)
    result = replace(result, choices=tuple(Choice(rank, 99, 0.0) for rank in ranks))
    assert rank_bars(result) == [
        *[("1", 2), ("2", 1), ("3–4", 2), ("5–8", 2), ("9–16", 1), ("17–32", 1)]
    ]
    assert degree_bars([(), (0,), (0, 1, 2)]) == [("0", 1), ("1", 1), ("2", 0), ("3", 1)]
    far = degree_bars([(0,) * k for k in (0, 7, 15, 16, 31, 40)])
    assert [bar for bar in far if bar.variables] == [
        *[("0", 1), ("7", 1), ("15", 1), ("16–31", 2), ("32–63", 1)]
    ]
