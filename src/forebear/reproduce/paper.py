"""What the paper prints: its tables, and the scores of its Appendix A.

Guo and Constantinou, "Parallel Sampling for Efficient High-dimensional Bayesian
Network Structure Learning". The numbers are in ``numbers/``, as printed.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

SETTINGS = ((10, 10), (20, 5), (25, 4), (33, 3), (50, 2), (80, 2))
"""The hyperparameters tried: the sampling rate p in percent, and m, how many samples."""

HOURS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
"""When the scores were read."""

ALONE = "MINOBS"
BEST = "best"
"""Who is compared: MINOBS alone, the processes S1, S2, ... of PS-MINOBS, and the best of these."""


class Who(NamedTuple):
    """A row of Appendix A: a process, and the rate of its sample in percent (0: no sample)."""

    rate: int
    process: str


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
        """The in-degree: 3 below 500 variables, 2 from there on (section 4)."""
        return 3 if self.variables < 500 else 2


@cache
def tables() -> dict[str, Any]:
    """Read the numbers of Tables 2 to 6."""
    loaded: dict[str, Any] = json.loads(_text("tables.json"))
    return loaded


@cache
def cases() -> dict[str, Case]:
    """The nine data sets, in the order of the paper."""
    # Printed ten times too small: see docs/paper.md.
    lost = ("pumsb-star-test",)
    return {
        row["data"]: Case(
            row["data"], row["variables"], row["rows"], row["kept"], row["data"] in lost
        )
        for row in tables()["table6"]
    }


@cache
def scores(data: str) -> dict[Who, tuple[float, ...]]:
    """The scores of Appendix A at each of ``HOURS``; the best rows are made from the others.

    Where a digit was lost, it is put back.
    """
    factor = 10 if cases()[data].lost_digit else 1
    found: dict[Who, tuple[float, ...]] = {}
    for row in csv.reader(_text("scores.csv").splitlines()[1:]):
        if row[0] == data:
            printed = tuple(factor * float(score) for score in row[3:])
            found[Who(int(row[1] or 0), row[2])] = printed
    return with_best(found)


def with_best(courses: dict[Who, tuple[float, ...]]) -> dict[Who, tuple[float, ...]]:
    """Add the best process of every setting, at every time: what PS-MINOBS would return."""
    rates = sorted({who.rate for who in courses if who.rate})
    best = {
        Who(rate, BEST): tuple(
            max(at)
            for at in zip(*(s for who, s in courses.items() if who.rate == rate), strict=True)
        )
        for rate in rates
    }
    return courses | best


def deltas(courses: dict[Who, tuple[float, ...]]) -> dict[Who, tuple[float, ...]]:
    """Equation 14, in per mille: how much higher than MINOBS's at the same time a score is."""
    base = courses[Who(0, ALONE)]
    return {
        who: tuple(1000 * (s - own) / s for s, own in zip(base, course, strict=True))
        for who, course in courses.items()
        if who.rate
    }


def _text(name: str) -> str:
    return (files(__package__) / "numbers" / name).read_text(encoding="utf-8")
