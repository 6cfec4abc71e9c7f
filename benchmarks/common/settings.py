"""Settings of PS-MINOBS side by side: speed of the climb, time to the best known score."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import numpy as np

from common.climbing import climbs_per_second
from common.paper import (
    add_seeds,
    add_time_limit,
    chosen_cases,
    chosen_seeds,
    make_parser,
    reached,
    search_best_known,
)
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from common.paper import Case
    from forebear import PSMINOBS, ParentSets


def compare_settings(description: str | None, settings: Callable[[], Iterable[PSMINOBS]]) -> None:
    """Read the options of a script and print a table per data set."""
    parser = make_parser(description)
    add_seeds(parser, 10)
    add_time_limit(parser)
    options = parser.parse_args()
    for case, sets in chosen_cases(options):
        print_settings(case, sets, settings(), options)


def print_settings(
    case: Case, sets: ParentSets, settings: Iterable[PSMINOBS], options: argparse.Namespace
) -> None:
    """Print one line per setting."""
    print(f"\n{case.name}: climbs a second on one thread (chain 1); how many seeds reached the")
    print("best known score, after how long (median); the final score (median, worst)")
    space = SearchSpace(sets)
    for setting in settings:
        speed = climbs_per_second(sampled(space, setting), 1, 2.0)
        times, finals = search_all_seeds(case, sets, options, algorithm=setting)
        print(
            f"  {describe(setting)} {speed:8.1f} "
            f"{sum(t < float('inf') for t in times):2} of {len(times)} "
            f"{statistics.median(times):9.2f} s {statistics.median(finals):16,.3f} "
            f"{min(finals):16,.3f}",
            flush=True,
        )


def search_all_seeds(
    case: Case, sets: ParentSets, options: argparse.Namespace, **settings: Any
) -> tuple[list[float], list[float]]:
    """Return after how long each seed reached the best known score, and its final score."""
    results = [
        search_best_known(
            case,
            sets,
            time_limit=options.time_limit or case.within / 2,
            threads=options.threads,
            seed=seed,
            **settings,
        )
        for seed in chosen_seeds(options)
    ]
    times = [reached(result, case.best_known) or float("inf") for result in results]
    return times, [result.score for result in results]


def sampled(space: SearchSpace, setting: PSMINOBS) -> SearchSpace:
    """Return the sample that the first chain of a search works on."""
    return setting.chain(space, 1, np.random.SeedSequence(0).spawn(1)[0]).space


def describe(setting: PSMINOBS) -> str:
    """Show what differs between the settings compared here."""
    return (
        f"{setting.chains:2} x {setting.rate or 1.0:4.2f} "
        f"{'widened' if setting.widen else 'fixed  '}"
    )
