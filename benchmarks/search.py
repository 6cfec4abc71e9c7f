"""How fast and how good the search is: time to the best known score, seed by seed.

    python benchmarks/search.py --data DIR                # ten seeds, two threads
    python benchmarks/search.py --data DIR --climbs       # the climb kernel alone
    python benchmarks/search.py --data DIR --rates        # what sampling buys

DIR holds the paper's data (audio-train.data, ...). Parent sets are scored once
and kept in --cache. With --minobs PROGRAM the published program runs on the
same sets, one thread, for as long as our slowest seed took and not less than a
minute.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from forebear import PSMINOBS, Dataset, ParentSets, Result, _core, find_network, score_parent_sets
from forebear.formats.jkl import write_jkl
from forebear.search.inobs import SearchSpace, climb
from forebear.search.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True)
class Case:
    """One data set, the scores to reach, and the time allowed."""

    name: str
    max_parents: int
    minobs: float
    ps_minobs: float
    best_known: float
    within: float


CASES = (
    Case("audio-train", 3, -620005.1, -619989.0, -619985.117, 10),
    Case("jester-train", 3, -493895.8, -493848.9, -493848.859, 20),
    Case("reuters-test", 2, -131690.3, -131667.5, -131660.904, 60),
    Case("pumsb-star-test", 3, -57069.0, -57070.0, -57060.566, 120),
)
ROUNDED = 5e-4  # best known scores are given to three digits


def parent_sets(case: Case, data: Path, cache: Path) -> ParentSets:
    """Score a case's parent sets, or open them if that was done before."""
    path = cache / f"{case.name}.cps"
    if not path.exists():
        table = Dataset.read(data / f"{case.name}.data")
        cache.mkdir(parents=True, exist_ok=True)
        score_parent_sets(table, max_parents=case.max_parents).save(path)
    return ParentSets.load(path)


def reached(result: Result, score: float) -> float | None:
    """Tell when a score was reached, in seconds."""
    return next((s.seconds for s in result.trace if s.score >= score - ROUNDED), None)


def seeds_table(
    case: Case, sets: ParentSets, seeds: Iterable[int], options: argparse.Namespace
) -> float:
    """Print one line a seed and a summary; return the longest time."""
    print(
        f"\n{case.name}: best known {case.best_known:,.3f}, to be reached within {case.within:g} s"
    )
    print("  seed        MINOBS 4 h   PS-MINOBS 4 h      best known     final score")
    times: list[float] = []
    finals: list[float] = []
    for seed in seeds:
        result = find_network(
            sets,
            target=case.best_known - ROUNDED,
            time_limit=options.patience * case.within,
            threads=options.threads,
            seed=seed,
        )
        marks = [reached(result, s) for s in (case.minobs, case.ps_minobs, case.best_known)]
        times.append(marks[-1] if marks[-1] is not None else float("inf"))
        finals.append(result.score)
        shown = "".join(f"{'never' if m is None else f'{m:.2f} s':>16}" for m in marks)
        print(f"  {seed:4}{shown}{result.score:16,.3f}", flush=True)
    inside = sum(t <= case.within for t in times)
    print(
        f"  median {statistics.median(times):.2f} s, worst {max(times):.2f} s, "
        f"{inside} of {len(times)} within {case.within:g} s; "
        f"final median {statistics.median(finals):,.3f}, worst {min(finals):,.3f}"
    )
    return max(times)


def climbs_per_second(space: SearchSpace, threads: int, seconds: float) -> float:
    """Climb from random orders for some seconds."""
    random = _core.Random([1, 2, 3, 4])
    with Workers(threads, seconds) as workers:

        def work(random: _core.Random) -> int:
            done = 0
            while not workers.budget.spent:
                climb(workers, space, random.permutation(space.n), random)
                done += 1
            return done

        start = time.perf_counter()
        done = sum(workers.map(work, [random.spawn() for _ in range(threads)]))
        return done / (time.perf_counter() - start)


def climbs_table(case: Case, sets: ParentSets, seconds: float) -> None:
    """Print climbs per second from random orders, by threads and by instruction set."""
    print(f"\n{case.name}: full climbs from random orders a second")
    usual = _core.kernels()
    one = 0.0
    for kernels in reversed(_core.available_kernels()):
        _core.use_kernels(kernels)
        rate = climbs_per_second(SearchSpace(sets), 1, seconds)
        one = one or rate
        print(f"  {kernels:10} 1 thread  {rate:8.1f}   {one / rate:5.2f} times slower")
    _core.use_kernels(usual)
    two = climbs_per_second(SearchSpace(sets), 2, seconds)
    print(f"  {usual:10} 2 threads {two:8.1f}   {two / one:5.2f} times one thread")
    space = SearchSpace(sets)
    print(f"  memory beside the file: {space.sets.bytes / sets.nbytes:.2f} of its size")


def rates_table(
    case: Case, sets: ParentSets, seeds: Iterable[int], options: argparse.Namespace
) -> None:
    """Print what a fixed sampling rate buys, and what widening does."""
    print(f"\n{case.name}: rate, climbs a second, time to the best known (median), final (median)")
    space = SearchSpace(sets)
    for rate, widen in _settings():
        ranks = PSMINOBS(rate=rate).processes(space, np.random.SeedSequence(0).spawn(1))[0].space
        speed = climbs_per_second(ranks, 1, 2.0)
        times, finals = [], []
        for seed in seeds:
            result = find_network(
                sets,
                algorithm=PSMINOBS(rate=rate, widen=widen),
                target=case.best_known - ROUNDED,
                time_limit=options.limit or case.within / 2,
                threads=options.threads,
                seed=seed,
            )
            when = reached(result, case.best_known)
            times.append(float("inf") if when is None else when)
            finals.append(result.score)
        print(
            f"  {rate:4.2f} {'widened' if widen else 'fixed  '} {speed:8.1f} "
            f"{statistics.median(times):9.2f} s {statistics.median(finals):16,.3f}",
            flush=True,
        )


def _settings() -> Iterator[tuple[float, bool]]:
    """The paper's rates, fixed as there; and one of them widened."""
    for rate in (0.1, 0.2, 0.25, 0.33, 0.5, 0.8, 1.0):
        yield rate, False
    yield 0.25, True


def score_of(sets: ParentSets, order: list[int]) -> float:
    """Add up the best sets of an order."""
    space = SearchSpace(sets)
    return space.score(space.best_ranks(np.array(order, dtype=np.int32)))


def published(program: Path, sets: ParentSets, seconds: float, cache: Path) -> None:
    """Run the published MINOBS program on the same sets, and score its orders ourselves."""
    path, progress = cache / "published.jkl", cache / "published.out"
    write_jkl(sets, path, ids=True)
    subprocess.run(
        [program, path, str(int(seconds)), "1", progress],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    # Pairs of lines: milliseconds and score, then the order.
    lines = progress.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if "\t" in line)
    order = [int(word) for word in lines[last + 1].split()]
    score = score_of(sets, order)
    when = int(lines[last].split("\t")[0]) / 1000
    print(f"  published MINOBS, one thread: {score:,.3f} at {when:.0f} s")


def main() -> None:
    """Read the options and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("build/benchmarks"))
    parser.add_argument("--only", nargs="*", default=[case.name for case in CASES])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--patience", type=float, default=1.0, help="times the time allowed")
    parser.add_argument("--climbs", action="store_true")
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("--limit", type=float, help="seconds a search with --rates")
    parser.add_argument("--minobs", type=Path)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    for case in CASES:
        if case.name not in options.only:
            continue
        sets = parent_sets(case, options.data, options.cache)
        if options.climbs:
            climbs_table(case, sets, 3.0)
        elif options.rates:
            rates_table(case, sets, seeds, options)
        else:
            longest = seeds_table(case, sets, seeds, options)
            if options.minobs:
                published(options.minobs, sets, max(60.0, min(longest, 600.0)), options.cache)


if __name__ == "__main__":
    main()
