"""How long does the search take to reach the best known score?

    python benchmarks/search.py --data DIR
    python benchmarks/search.py --data DIR --only audio-train --seeds 2

DIR holds the paper's tables (audio-train.data, ...). Parent sets are scored once
and kept in --cache. Prints one line per seed: when the search reached the scores
that the paper reports after four hours, and the best known score.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from common.paper import (
    add_seeds,
    chosen_cases,
    chosen_seeds,
    make_parser,
    reached,
    search_best_known,
)

if TYPE_CHECKING:
    import argparse

    from common.paper import Case

    from forebear import ParentSets


def seeds_table(case: Case, sets: ParentSets, options: argparse.Namespace) -> None:
    """Print one line per seed and a summary."""
    print(
        f"\n{case.name}: best known {case.best_known:,.3f}, to be reached within {case.within:g} s"
    )
    print("  seed        MINOBS 4 h   PS-MINOBS 4 h      best known     final score")
    times: list[float] = []
    finals: list[float] = []
    for seed in chosen_seeds(options):
        result = search_best_known(
            case,
            sets,
            time_limit=options.patience * case.within,
            threads=options.threads,
            seed=seed,
        )
        marks = [reached(result, s) for s in (case.minobs, case.ps_minobs, case.best_known)]
        times.append(marks[-1] if marks[-1] is not None else float("inf"))
        finals.append(result.score)
        shown = "".join(f"{'never' if m is None else f'{m:.2f} s':>16}" for m in marks)
        print(f"  {seed:4}{shown}{result.score:16,.3f}", flush=True)
    median, worst = statistics.median(times), max(times)
    inside = sum(t <= case.within for t in times)
    print(
        f"  median {median:.2f} s, worst {worst:.2f} s, "
        f"{inside} of {len(times)} within {case.within:g} s; "
        f"final median {statistics.median(finals):,.3f}, worst {min(finals):,.3f}"
    )


def main() -> None:
    """Print a table per data set."""
    parser = make_parser(__doc__)
    add_seeds(parser, 10)
    parser.add_argument(
        "--patience",
        type=float,
        default=1.0,
        help="factor for the time limits (10, 20, 60 and 120 s, by data set)",
    )
    options = parser.parse_args()
    for case, sets in chosen_cases(options):
        seeds_table(case, sets, options)


if __name__ == "__main__":
    main()
