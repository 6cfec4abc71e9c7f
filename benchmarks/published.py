"""How much faster is the search than the published MINOBS program, on the same parent sets?

    python benchmarks/published.py --data DIR --minobs PROGRAM
    python benchmarks/published.py --data DIR --minobs PROGRAM --only audio-train --seeds 5

DIR holds the paper's tables (audio-train.data, ...); PROGRAM is the published
MINOBS program (https://github.com/kkourin/mobs). Parent sets are scored once and
kept in --cache. Both run on one thread, one after the other. The program looks at
the clock only between generations, so it may take much longer than --time-limit.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from common.climbing import climbs_per_second
from common.minobs_program import run_published
from common.paper import (
    add_seeds,
    chosen_cases,
    chosen_seeds,
    make_parser,
    reached,
    search_best_known,
)

from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    import argparse

    from common.paper import Case

    from forebear import ParentSets

OUR_LIMIT = 60.0
"""Seconds for each of our searches."""


def print_comparison(case: Case, sets: ParentSets, options: argparse.Namespace) -> None:
    """Run both, ours once per seed, and compare the times to the score that theirs reached."""
    theirs = run_published(options.minobs, sets, options.cache, seconds=options.time_limit)
    results = [
        search_best_known(case, sets, time_limit=OUR_LIMIT, threads=1, seed=seed)
        for seed in chosen_seeds(options)
    ]
    to_theirs = [reached(result, theirs.score) or float("inf") for result in results]
    to_best = [reached(result, case.best_known) or float("inf") for result in results]
    rate = theirs.first_climbs / theirs.first_seconds
    ours = climbs_per_second(SearchSpace(sets), 1, 3.0)
    print(f"\n{case.name}: the published program and forebear, one thread each")
    print(f"  climbs from random orders a second: {rate:.3f} and {ours:.1f}: {ours / rate:,.0f} x")
    median = statistics.median(to_theirs)
    print(
        f"  {theirs.score:,.3f}: {theirs.found_at:.1f} s (it ended after {theirs.ended_at:.0f} s) "
        f"and {median:.2f} s (median): {theirs.found_at / median:,.0f} x"
    )
    also = "" if theirs.score >= case.target else "not "
    print(
        f"  best known, {case.best_known:,.3f}: {also}reached by the published program; "
        f"by forebear in {statistics.median(to_best):.2f} s (median)",
        flush=True,
    )


def main() -> None:
    """Print a comparison per data set."""
    parser = make_parser(__doc__)
    add_seeds(parser, 10)
    parser.add_argument("--minobs", type=Path, required=True, metavar="PROGRAM")
    parser.add_argument(
        "--time-limit", "--seconds", type=float, default=60.0, help="seconds for the program"
    )
    options = parser.parse_args()
    for case, sets in chosen_cases(options):
        print_comparison(case, sets, options)


if __name__ == "__main__":
    main()
