"""How fast and how good the search is: time to the best known score, seed by seed.

    python benchmarks/search.py --data DIR                # ten seeds, two threads
    python benchmarks/search.py --data DIR --climbs       # the climb kernel alone
    python benchmarks/search.py --data DIR --rates        # what sampling buys
    python benchmarks/search.py --data DIR --samples      # what several processes buy
    python benchmarks/search.py --data DIR --where        # where the time goes (perf)
    python benchmarks/search.py --data DIR --minobs PROGRAM

DIR holds the paper's data (audio-train.data, ...). Parent sets are scored once
and kept in --cache. --minobs runs the published program on the same sets beside
ours, one thread each. --climbs --prototype PROGRAM times that one's climbs too.
--where tells function names if forebear was built to keep them:
pip install -C cmake.define.FOREBEAR_SYMBOLS=ON -C install.strip=false .
--json FILE writes the times of the seeds, or of --climbs, for ``compare.py``.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from measures import Measure, write_measures
from search_programs import prototype_climbs_per_second, run_published

from forebear import PSMINOBS, Dataset, ParentSets, Result, _core, find_network, score_parent_sets
from forebear.search.algorithm import make_processes
from forebear.search.space import SearchSpace, climb
from forebear.search.threads import Workers

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
) -> list[Measure]:
    """Print one line a seed and a summary; return the time if all seeds came that far."""
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
    if max(times) == float("inf"):
        return []
    median = statistics.median(times)
    name = f"{case.name}, best known score, {options.threads} threads"
    return [Measure(name, "seconds", median, max(times) / median - 1)]


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


def seconds_a_climb(case: Case, sets: ParentSets, threads: int) -> Measure:
    """Time climbs from random orders with the kernels in use, three times a second."""
    space = SearchSpace(sets)
    rates = [climbs_per_second(space, threads, 1.0) for _ in range(3)]
    name = f"{case.name}, a climb, {_core.kernels()}, {threads} thread{'s' * (threads > 1)}"
    return Measure(name, "seconds", 1 / max(rates), max(rates) / min(rates) - 1)


def climbs_table(case: Case, sets: ParentSets, options: argparse.Namespace) -> list[Measure]:
    """Print climbs per second from random orders, by threads and by instruction set."""
    print(f"\n{case.name}: full climbs from random orders a second")
    usual = _core.kernels()
    measures = []
    for kernels in reversed(_core.available_kernels()):
        _core.use_kernels(kernels)
        measures.append(seconds_a_climb(case, sets, 1))
        seconds, one = measures[-1].value, measures[0].value
        print(f"  {kernels:10} 1 thread  {1 / seconds:8.1f}   {seconds / one:5.2f} times slower")
    _core.use_kernels(usual)
    measures.append(seconds_a_climb(case, sets, 2))
    two = measures[-1].value
    print(f"  {usual:10} 2 threads {1 / two:8.1f}   {one / two:5.2f} times one thread")
    space = SearchSpace(sets)
    print(f"  memory beside the file: {space.sets.bytes / sets.nbytes:.2f} of its size")
    if options.prototype:
        program = prototype_of(options.prototype, sets.n_variables)
        best = max(
            prototype_climbs_per_second(program, sets, options.cache, climbs=100) for _ in range(2)
        )
        again = max(climbs_per_second(space, 1, 3.0) for _ in range(3))
        print(f"  prototype  1 thread  {best:8.1f}   ours is {again / best:.2f} times as fast")
    return measures


def prototype_of(folder: Path, n_variables: int) -> Path:
    """Choose the build for so many variables: search0, search1 or search2."""
    return folder / f"search{0 if n_variables <= 126 else 1 if n_variables <= 254 else 2}"


def settings_table(
    case: Case,
    sets: ParentSets,
    settings: Iterable[PSMINOBS],
    seeds: Iterable[int],
    options: argparse.Namespace,
) -> None:
    """Print what each setting of PS-MINOBS comes to."""
    print(f"\n{case.name}: climbs a second on one thread (of process 1); best known reached by how")
    print("many seeds, after how long (median), and the score at the end (median, worst)")
    space = SearchSpace(sets)
    for setting in settings:
        sample = make_processes(setting, space, np.random.SeedSequence(0).spawn(1))[0].space
        speed = climbs_per_second(sample, 1, 2.0)
        times, finals = [], []
        for seed in seeds:
            result = find_network(
                sets,
                algorithm=setting,
                target=case.best_known - ROUNDED,
                time_limit=options.limit or case.within / 2,
                threads=options.threads,
                seed=seed,
            )
            times.append(reached(result, case.best_known) or float("inf"))
            finals.append(result.score)
        print(
            f"  {setting.samples:2} x {setting.rate or 1.0:4.2f} "
            f"{'widened' if setting.widen else 'fixed  '} "
            f"{'cooperating' if setting.cooperate else 'independent'} "
            f"by {setting.sample_by:12} {speed:8.1f} "
            f"{sum(t < float('inf') for t in times):2} of {len(times)} "
            f"{statistics.median(times):9.2f} s {statistics.median(finals):16,.3f} "
            f"{min(finals):16,.3f}",
            flush=True,
        )


def rate_settings() -> Iterator[PSMINOBS]:
    """The paper's rates, fixed as there; and one of them widened."""
    for rate in (0.1, 0.2, 0.25, 0.33, 0.5, 0.8, 1.0):
        yield PSMINOBS(rate=rate, widen=False)
    yield PSMINOBS(rate=0.25, widen=True)


def sample_settings() -> Iterator[PSMINOBS]:
    """One population on all threads, and several side by side, over all sets and over some."""
    yield PSMINOBS()
    for samples in (2, 4):
        for rate in (1.0, 0.25):
            for cooperate in (False, True):
                yield PSMINOBS(samples=samples, rate=rate, cooperate=cooperate)


def beside_published(case: Case, sets: ParentSets, options: argparse.Namespace) -> None:
    """Run the published MINOBS program and ours, on one thread each, up to what it reaches."""
    theirs = run_published(options.minobs, sets, options.cache, seconds=options.minobs_seconds)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    results = [
        find_network(sets, target=case.best_known - ROUNDED, time_limit=60, threads=1, seed=seed)
        for seed in seeds
    ]
    to_theirs = [reached(result, theirs.score) or float("inf") for result in results]
    to_best = [reached(result, case.best_known) or float("inf") for result in results]
    rate = theirs.first_climbs / theirs.first_seconds
    ours = climbs_per_second(SearchSpace(sets), 1, 3.0)
    print(f"\n{case.name}: the published program and ours, one thread each")
    print(f"  climbs from random orders a second: {rate:.3f} and {ours:.1f}: {ours / rate:,.0f} x")
    median = statistics.median(to_theirs)
    print(
        f"  {theirs.score:,.3f}: {theirs.found_at:.1f} s (it ended after {theirs.ended_at:.0f} s) "
        f"and {median:.2f} s (median): {theirs.found_at / median:,.0f} x"
    )
    print(
        f"  best known, {case.best_known:,.3f}: not by the published program and in "
        f"{statistics.median(to_best):.2f} s (median)"
        if theirs.score < case.best_known - ROUNDED
        else "  best known: reached",
        flush=True,
    )


def where_time_goes(case: Case, options: argparse.Namespace) -> None:
    """Sample a search on one thread with perf, and print the functions it was in."""
    search = (
        "import sys; from forebear import ParentSets, find_network; "
        "find_network(ParentSets.load(sys.argv[1]), time_limit=10, threads=1, seed=1)"
    )
    sets, samples = options.cache / f"{case.name}.cps", options.cache / "perf.data"
    record = ["perf", "record", "--quiet", "-F", "997", "-o", samples]
    subprocess.run([*record, sys.executable, "-c", search, sets], check=True)
    report = ["perf", "report", "--stdio", "--quiet", "-F", "overhead,dso,symbol"]
    said = subprocess.run(
        [*report, "--percent-limit", "1", "-i", samples],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    samples.unlink()
    print(f"\n{case.name}: where the time of a search goes")
    print("\n".join(f"  {line.strip()}" for line in said.splitlines() if line.strip()), flush=True)


def parse() -> argparse.Namespace:
    """Read the options."""
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
    parser.add_argument("--samples", action="store_true")
    parser.add_argument("--where", action="store_true")
    parser.add_argument("--prototype", type=Path, help="folder of search0, search1 and search2")
    parser.add_argument("--minobs", type=Path)
    parser.add_argument("--minobs-seconds", type=float, default=60.0)
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


def main() -> None:
    """Print the tables."""
    options = parse()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    measures: list[Measure] = []
    for case in CASES:
        if case.name not in options.only:
            continue
        sets = parent_sets(case, options.data, options.cache)
        if options.climbs:
            measures += climbs_table(case, sets, options)
        elif options.rates:
            settings_table(case, sets, rate_settings(), seeds, options)
        elif options.samples:
            settings_table(case, sets, sample_settings(), seeds, options)
        elif options.where:
            where_time_goes(case, options)
        elif options.minobs:
            beside_published(case, sets, options)
        else:
            measures += seeds_table(case, sets, seeds, options)
    if options.json:
        write_measures(options.json, measures)


if __name__ == "__main__":
    main()
