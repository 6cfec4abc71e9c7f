"""What became slower between two runs of a benchmark?

    python benchmarks/instructions.py --json old.json     # before a change
    python benchmarks/instructions.py --json new.json     # after it
    python benchmarks/compare.py old.json new.json

The files are written by ``instructions.py``, ``scoring.py``, ``search.py`` and
``climb.py`` with --json. Counts of instructions hardly vary: 1 % more counts as
slower. Times vary: they count as slower if they are 10 % longer beyond their
spread. The exit code is 1 if something became slower.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

from common.measures import Measure, read_measures

LIMITS = {"instructions": 0.01, "seconds": 0.10}
"""The largest increase, as a share, that does not count as slower."""


class Verdict(NamedTuple):
    """How a measure changed."""

    name: str
    said: str
    ratio: float | None
    margin: float


def judge(old: Measure, new: Measure) -> Verdict:
    """Tell whether a measure became slower or faster by more than its margin."""
    if old.unit != new.unit:
        raise SystemExit(f"{old.name}: {old.unit} cannot be compared with {new.unit}")
    margin = LIMITS[old.unit] + max(old.spread, new.spread)
    ratio = new.value / old.value
    said = "SLOWER" if ratio > 1 + margin else "faster" if ratio < 1 / (1 + margin) else "same"
    return Verdict(old.name, said, ratio, margin)


def judge_all(old: dict[str, Measure], new: dict[str, Measure]) -> list[Verdict]:
    """Judge the measures in both files; report those in only one of them."""
    verdicts = [judge(measure, new[name]) for name, measure in old.items() if name in new]
    verdicts += [Verdict(name, "gone", None, 0.0) for name in old if name not in new]
    verdicts += [Verdict(name, "new", None, 0.0) for name in new if name not in old]
    return verdicts


def main(arguments: list[str] | None = None) -> int:
    """Print one line per measure; return 1 if something became slower."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("old")
    parser.add_argument("new")
    options = parser.parse_args(arguments)
    verdicts = judge_all(read_measures(options.old), read_measures(options.new))
    if not any(verdict.ratio for verdict in verdicts):
        raise SystemExit(f"{options.old} and {options.new} have no measure in common")
    width = max(len(verdict.name) for verdict in verdicts)
    for verdict in verdicts:
        change = (
            ""
            if verdict.ratio is None
            else f"{verdict.ratio - 1:+8.2%}  (margin {verdict.margin:.0%})"
        )
        print(f"{verdict.name:<{width}}  {verdict.said:<6}  {change}".rstrip())
    return int(any(verdict.said == "SLOWER" for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
