"""How many orders can be climbed in a second, by instruction set and number of threads?

    python benchmarks/climb.py --data DIR
    python benchmarks/climb.py --data DIR --only audio-train

DIR holds the paper's tables (audio-train.data, ...). Parent sets are scored once
and kept in --cache. Every climb starts from a random order and ends at a local
optimum. The best of three runs of a second each counts.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from common.paper import chosen_cases, make_parser

from forebear import _core
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from common.paper import Case

    from forebear import ParentSets


def climbs_per_second(space: SearchSpace, threads: int) -> float:
    """Climb from random orders for a second. Each thread has a climber of its own."""
    budget = _core.Budget(1.0)

    def work(random: _core.Random) -> int:
        climber, done = _core.Climber(space.sets), 0
        while not budget.spent:
            climber.start(random.permutation(space.n))
            climber.climb(random, budget)
            done += 1
        return done

    random = _core.Random([1, 2, 3, 4])
    streams = [random.spawn() for _ in range(threads)]
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        done = sum(pool.map(work, streams))
    return done / (time.perf_counter() - start)


def print_climbs(case: Case, sets: ParentSets, threads: int) -> None:
    """Print climbs per second by instruction set, then on several threads."""

    def rate(threads: int) -> float:
        space = SearchSpace(sets)  # it is laid out for the kernels in use
        return max(climbs_per_second(space, threads) for _ in range(3))

    print(f"\n{case.name}: full climbs from random orders a second")
    usual, fastest = _core.kernels(), 0.0
    for kernels in reversed(_core.available_kernels()):
        _core.use_kernels(kernels)
        own = rate(1)
        fastest = fastest or own
        print(f"  {kernels:10} 1 thread  {own:8.1f}   {fastest / own:5.2f} times slower")
    _core.use_kernels(usual)
    own = rate(threads)
    print(f"  {usual:10} {threads} threads {own:8.1f}   {own / fastest:5.2f} times one thread")
    share = SearchSpace(sets).sets.bytes / sets.nbytes
    print(f"  memory beside the file: {share:.2f} of its size", flush=True)


def main() -> None:
    """Print a table per data set."""
    options = make_parser(__doc__).parse_args()
    for case, sets in chosen_cases(options):
        print_climbs(case, sets, options.threads)


if __name__ == "__main__":
    main()
