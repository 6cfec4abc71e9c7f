"""How tight the bound is: the gap to the best known score after 5, 60 and 300 seconds.

    python benchmarks/bound.py --data DIR
    python benchmarks/bound.py --data DIR --only audio-train --seconds 5 30

DIR holds the paper's data (audio-train.data, ...). Parent sets are scored once
and kept in --cache. The bound is told the best known score, as after a search.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from search import CASES, Case, parent_sets

from forebear import Watcher, find_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear import ParentSets


class Bounds(Watcher):
    """Keeps the bound after every round, with its time."""

    def __init__(self) -> None:
        self.started_at = time.perf_counter()
        self.steps: list[tuple[float, float]] = []

    def bounding(self, bound: float, score: float | None) -> None:
        """Keep the bound."""
        self.steps.append((time.perf_counter() - self.started_at, bound))


def gaps(case: Case, sets: ParentSets, seconds: Sequence[float], threads: int) -> None:
    """Print the gap, in percent of the best known score, at each time."""
    watcher = Bounds()
    found = find_bound(
        sets,
        score=case.best_known,
        time_limit=max(seconds),
        threads=threads,
        watcher=watcher,
    )
    print(f"\n{case.name}: best known {case.best_known:,.3f}, {len(sets):,} sets")
    for limit in (0.0, *sorted(seconds)):
        # What a run of that time would have told: the last bound before its end.
        reached = [watcher.steps[0], *(step for step in watcher.steps if step[0] <= limit)]
        bound = reached[-1][1]
        gap = (bound - case.best_known) / abs(case.best_known)
        rounds = max(1, len(reached) - 1)
        print(f"  {limit:5g} s: bound {bound:,.3f}, gap {gap:.4%}, {rounds:,} rounds")
    print(
        f"  {found.stop_reason}; {found.clusters:,} clusters, {found.sets_left:,} sets left",
        flush=True,
    )


def main() -> None:
    """Read the options and print a table a data set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("build/benchmarks"))
    parser.add_argument("--only", nargs="*", default=[case.name for case in CASES])
    parser.add_argument("--seconds", type=float, nargs="*", default=[5.0, 60.0, 300.0])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    for case in CASES:
        if case.name in options.only:
            sets = parent_sets(case, options.data, options.cache)
            gaps(case, sets, options.seconds, options.threads)


if __name__ == "__main__":
    main()
