"""How many orders can be climbed in a second, by instruction set and number of threads?

    python benchmarks/climb.py --data DIR
    python benchmarks/climb.py --data DIR --only audio-train --json climb.json

DIR holds the paper's tables (audio-train.data, ...). Parent sets are scored once
and kept in --cache. Every climb starts from a random order and ends at a local
optimum. --json FILE writes the times for ``compare.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from common.climbing import climbs_per_second
from common.measures import Measure, write_measures
from common.paper import chosen_cases, make_parser

from forebear import _core
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from common.paper import Case

    from forebear import ParentSets


def seconds_per_climb(case: Case, sets: ParentSets, threads: int) -> Measure:
    """Time climbs with the kernels in use: the best of three seconds."""
    space = SearchSpace(sets)  # it is laid out for the kernels in use
    rates = [climbs_per_second(space, threads, 1.0) for _ in range(3)]
    name = f"{case.name}, a climb, {_core.kernels()}, {threads} thread{'s' * (threads > 1)}"
    return Measure(name, "seconds", 1 / max(rates), max(rates) / min(rates) - 1)


def climbs_table(case: Case, sets: ParentSets, threads: int) -> list[Measure]:
    """Print climbs per second by instruction set, then on several threads."""
    print(f"\n{case.name}: full climbs from random orders a second")
    usual = _core.kernels()
    measures = []
    for kernels in reversed(_core.available_kernels()):
        _core.use_kernels(kernels)
        measures.append(seconds_per_climb(case, sets, 1))
        seconds, one = measures[-1].value, measures[0].value
        print(f"  {kernels:10} 1 thread  {1 / seconds:8.1f}   {seconds / one:5.2f} times slower")
    _core.use_kernels(usual)
    measures.append(seconds_per_climb(case, sets, threads))
    several = measures[-1].value
    print(
        f"  {usual:10} {threads} threads {1 / several:8.1f}   {one / several:5.2f} times one thread"
    )
    space = SearchSpace(sets)
    print(f"  memory beside the file: {space.sets.bytes / sets.nbytes:.2f} of its size", flush=True)
    return measures


def main() -> None:
    """Print a table per data set."""
    parser = make_parser(__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the times to this file")
    options = parser.parse_args()
    measures: list[Measure] = []
    for case, sets in chosen_cases(options):
        measures += climbs_table(case, sets, options.threads)
    if options.json:
        write_measures(options.json, measures)


if __name__ == "__main__":
    main()
