"""What the bound does for the search: samples by reduced cost, and sets that it rules out.

    python benchmarks/guided.py --data DIR
    python benchmarks/guided.py --data DIR --only audio-train --seeds 5 --bound-seconds 120

DIR holds the paper's data (audio-train.data, ...). Parent sets are scored once
and kept in --cache. Samples of the same rate are drawn by rank (the paper's
half-normal) and by reduced cost, whose bound takes part of the time. Then sets
that are in no network as good as the best known one are dropped, and the search
runs over what is left, beside one over all sets.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from search import CASES, ROUNDED, Case, parent_sets, reached, settings_table

from forebear import PSMINOBS, find_bound, find_network, surviving_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebear import ParentSets


def settings() -> Iterator[PSMINOBS]:
    """The same rates, by rank and by reduced cost; fixed, so that the sample tells."""
    for rate in (0.01, 0.05, 0.2):
        yield PSMINOBS(samples=1, rate=rate, widen=False)
        yield PSMINOBS(samples=1, rate=rate, widen=False, sample_by="reduced-cost")


def beside_survivors(case: Case, sets: ParentSets, options: argparse.Namespace) -> None:
    """Drop what the bound rules out; search both."""
    bound = find_bound(
        sets,
        score=case.best_known - ROUNDED,
        time_limit=options.bound_seconds,
        threads=options.threads,
    )
    left = surviving_sets(sets, bound)
    gap = (bound.bound - case.best_known) / abs(case.best_known)
    print(
        f"\n{case.name}: after {bound.seconds:.0f} s the gap is {gap:.4%}, and "
        f"{len(left):,} of {len(sets):,} sets are left ({len(left) / len(sets):.1%})"
    )
    for name, searched in (("all sets", sets), ("what is left", left)):
        times = []
        for seed in options.seed_numbers:
            result = find_network(
                searched,
                target=case.best_known - ROUNDED,
                time_limit=options.limit or case.within / 2,
                threads=options.threads,
                seed=seed,
            )
            times.append(reached(result, case.best_known) or float("inf"))
        print(
            f"  {name:12}: best known reached by {sum(t < float('inf') for t in times)} of "
            f"{len(times)}, median {statistics.median(times):.2f} s, worst {max(times):.2f} s",
            flush=True,
        )


def main() -> None:
    """Read the options and print two tables a data set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("build/benchmarks"))
    parser.add_argument("--only", nargs="*", default=[case.name for case in CASES])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, help="seconds of a search")
    parser.add_argument("--bound-seconds", type=float, default=60.0)
    options = parser.parse_args()
    options.seed_numbers = range(options.first_seed, options.first_seed + options.seeds)
    for case in CASES:
        if case.name in options.only:
            sets = parent_sets(case, options.data, options.cache)
            settings_table(case, sets, settings(), options.seed_numbers, options)
            beside_survivors(case, sets, options)


if __name__ == "__main__":
    main()
