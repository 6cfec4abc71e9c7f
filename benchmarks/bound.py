"""How tight is the bound: the gap to the best known score after 5, 60 and 300 seconds?

    python benchmarks/bound.py --data DIR
    python benchmarks/bound.py --data DIR --only audio-train --seconds 5 30

DIR holds the paper's tables (audio-train.data, ...). Parent sets are scored once
and kept in --cache. The best known score is given to the bound, as after a search.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from common.paper import chosen_cases, make_parser

from forebear import Watcher, find_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.paper import Case

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
        # The result of a run of that length: the last bound before its end.
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
    """Print a table per data set."""
    parser = make_parser(__doc__)
    parser.add_argument(
        "--seconds",
        type=float,
        nargs="+",
        default=[5.0, 60.0, 300.0],
        help="when to report the gap [default: 5 60 300]",
    )
    options = parser.parse_args()
    for case, sets in chosen_cases(options):
        gaps(case, sets, options.seconds, options.threads)


if __name__ == "__main__":
    main()
