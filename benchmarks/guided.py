"""What does the bound gain for the search?

    python benchmarks/guided.py --data DIR
    python benchmarks/guided.py --data DIR --only audio-train --seeds 5 --bound-seconds 120

DIR holds the paper's tables (audio-train.data, ...). Parent sets are scored once
and kept in --cache. A search of all sets is compared with a search of the sets
that the bound does not rule out: sets that may be in a network as good as the
best known one.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from common.paper import add_seeds, add_time_limit, chosen_cases, make_parser
from common.settings import search_all_seeds

from forebear import find_bound, surviving_sets

if TYPE_CHECKING:
    import argparse

    from common.paper import Case

    from forebear import ParentSets


def print_survivors(case: Case, sets: ParentSets, options: argparse.Namespace) -> None:
    """Drop the sets that the bound rules out; search all sets and the remaining ones."""
    bound = find_bound(
        sets,
        score=case.target,
        time_limit=options.bound_seconds,
        threads=options.threads,
    )
    left = surviving_sets(sets, bound)
    gap = (bound.bound - case.best_known) / abs(case.best_known)
    print(
        f"\n{case.name}: after {bound.seconds:.0f} s the gap is {gap:.4%}, and "
        f"{len(left):,} of {len(sets):,} sets are left ({len(left) / len(sets):.1%})"
    )
    for name, searched in (("all sets", sets), ("sets left", left)):
        times, _ = search_all_seeds(case, searched, options)
        print(
            f"  {name:12}: best known reached by {sum(t < float('inf') for t in times)} of "
            f"{len(times)}, median {statistics.median(times):.2f} s, worst {max(times):.2f} s",
            flush=True,
        )


def main() -> None:
    """Print both searches of every data set."""
    parser = make_parser(__doc__)
    add_seeds(parser, 5)
    add_time_limit(parser)
    parser.add_argument(
        "--bound-seconds", type=float, default=60.0, help="seconds for the bound [default: 60]"
    )
    options = parser.parse_args()
    for case, sets in chosen_cases(options):
        print_survivors(case, sets, options)


if __name__ == "__main__":
    main()
