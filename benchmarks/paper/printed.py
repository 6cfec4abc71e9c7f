"""The numbers that the paper prints: its tables, and the scores of Appendix A.

Guo and Constantinou, "Parallel Sampling for Efficient High-dimensional Bayesian
Network Structure Learning". The numbers are in ``numbers/``, as printed.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

SETTINGS = ((10, 10), (20, 5), (25, 4), (33, 3), (50, 2), (80, 2))
"""The settings tried: sampling rate p in percent, and number of samples m."""

HOURS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
"""The times at which scores are given."""

ALONE = "MINOBS"
BEST = "best"
"""What is compared: MINOBS, the chains S1, S2, ... of PS-MINOBS, and the best of these."""


class Who(NamedTuple):
    """A row of Appendix A: a chain, and the rate of its sample in percent (0: no sample)."""

    rate: int
    chain: str


Courses = dict[Who, tuple[float, ...]]
"""Scores or gains at each of ``HOURS``."""


@dataclass(frozen=True)
class Case:
    """A data set of Table 6."""

    name: str
    variables: int
    rows: int
    kept: int
    lost_digit: bool = False

    @property
    def max_parents(self) -> int:
        """The largest parent set: 3 below 500 variables, 2 otherwise (section 4)."""
        return 3 if self.variables < 500 else 2


@cache
def tables() -> dict[str, Any]:
    """Read the numbers of Tables 2 to 6."""
    loaded: dict[str, Any] = json.loads(_text("tables.json"))
    return loaded


@cache
def cases() -> dict[str, Case]:
    """The nine data sets, in the order of the paper."""
    # Printed ten times too small: see benchmarks/results/paper.md.
    lost = ("pumsb-star-test",)
    return {
        row["data"]: Case(
            row["data"], row["variables"], row["rows"], row["kept"], row["data"] in lost
        )
        for row in tables()["table6"]
    }


@cache
def scores(data: str) -> Courses:
    """Return the scores of Appendix A at each of ``HOURS``, with the best chain of every setting.

    Scores that the paper prints ten times too small are corrected.
    """
    factor = 10 if cases()[data].lost_digit else 1
    found: Courses = {}
    for row in csv.reader(_text("scores.csv").splitlines()[1:]):
        if row[0] == data:
            printed = tuple(factor * float(score) for score in row[3:])
            found[Who(int(row[1] or 0), row[2])] = printed
    return with_best(found)


def with_best(courses: Courses) -> Courses:
    """Add the best chain of every setting at every time, which PS-MINOBS would return."""
    rates = sorted({who.rate for who in courses if who.rate})
    best = {
        Who(rate, BEST): tuple(
            max(at)
            for at in zip(*(s for who, s in courses.items() if who.rate == rate), strict=True)
        )
        for rate in rates
    }
    return courses | best


def deltas(courses: Courses) -> Courses:
    """Return the gains over MINOBS at the same time, in per mille (equation 14)."""
    base = courses[Who(0, ALONE)]
    return {
        who: tuple(1000 * (s - own) / s for s, own in zip(base, course, strict=True))
        for who, course in courses.items()
        if who.rate
    }


def _text(name: str) -> str:
    return (Path(__file__).parent / "numbers" / name).read_text(encoding="utf-8")
