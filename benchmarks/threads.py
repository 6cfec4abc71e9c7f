"""How much faster is forebear on more threads?

    python benchmarks/threads.py --data DIR
    python benchmarks/threads.py --data DIR --threads 1 2 --generations 50 --only audio-train

DIR holds audio-train.data and reuters-test.data. For every number of threads it does the same work
as one thread does, and prints how many times faster it is, best of a few runs:

    scoring     all parent sets of the table
    search      one population, a fixed number of generations (the result is the same)
    chains      as many chains as the most threads, each on its own sample of a quarter of the sets
    processes   as many separate processes of one thread as there are threads (all sets each)
    bound       a fixed number of rounds

--figure FILE.svg draws them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from common.files import need_file
from common.lines import draw_lines

from forebear import (
    PSMINOBS,
    Dataset,
    MaxGenerations,
    ParentSets,
    find_bound,
    score_parent_sets,
)
from forebear._util.machine import cores
from forebear.search.runner import Runner, run
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.search.algorithm import Algorithm

TABLES = {"audio-train": 3, "reuters-test": 2}
"""The tables, and the number of parents up to which their sets are scored."""

ROUNDS = 30
"""Rounds of the bound."""


def read_table(path: Path) -> Dataset:
    """Read a table of 0 and 1 without the libraries that read other tables."""
    codes = np.loadtxt(path, delimiter=",", dtype=np.uint8).T
    names = tuple(f"X{i:03}" for i in range(len(codes)))
    return Dataset(
        codes=np.ascontiguousarray(codes), names=names, states=(("0", "1"),) * len(codes)
    )


@dataclass(frozen=True, order=True)
class Spent:
    """Seconds on the clock, and of all processors."""

    seconds: float
    cpu: float = float("nan")


def spent_on(work: Callable[..., object], *args: Any, **settings: Any) -> Spent:
    """Time a call."""
    begun, cpu = time.perf_counter(), time.process_time()
    work(*args, **settings)
    return Spent(time.perf_counter() - begun, time.process_time() - cpu)


def generations(
    space: SearchSpace, algorithm: Algorithm, threads: int, count: int, seed: int = 1
) -> Spent:
    """Time as many generations of each chain."""
    seeds = np.random.SeedSequence(seed).spawn(algorithm.chains)
    chains = [algorithm.chain(space, number, own) for number, own in enumerate(seeds, 1)]
    started = time.perf_counter()
    runners = [Runner(number, chain, started) for number, chain in enumerate(chains, 1)]
    return spent_on(run, runners, stop=MaxGenerations(count), threads=threads)


def one_process(
    path: str, count: int, seed: int, start: multiprocessing.synchronize.Barrier
) -> None:
    """Search on one thread, beginning when all processes are ready."""
    space = SearchSpace(ParentSets.load(path))
    start.wait()
    generations(space, PSMINOBS(), 1, count, seed)
    start.wait()


def processes(path: Path, threads: int, count: int) -> Spent:
    """Time as many separate processes, each of one thread and with a seed of its own."""
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(threads + 1)
    started = [
        context.Process(target=one_process, args=(str(path), count, seed, start))
        for seed in range(1, threads + 1)
    ]
    for process in started:
        process.start()
    start.wait()
    begun = time.perf_counter()
    start.wait()
    spent = time.perf_counter() - begun
    for process in started:
        process.join()
    return Spent(spent)


def measure(name: str, options: argparse.Namespace) -> dict[str, dict[int, float]]:
    """Measure one table: how many times faster than on one thread, by kind of work."""
    table = read_table(need_file(options.data, f"{name}.data"))
    path = options.cache / f"{name}.cps"
    options.cache.mkdir(parents=True, exist_ok=True)
    results: dict[str, dict[int, float]] = {}

    def note(kind: str, threads: int, times_as_much: float, spent: Spent) -> None:
        first = results.setdefault(kind, {}).setdefault(1, spent.seconds)
        results[kind][threads] = spent.seconds / times_as_much
        print(
            f"  {kind:10} {threads:3} threads {spent.seconds:8.3f} s {spent.cpu:8.2f} CPU s "
            f"{times_as_much * first / spent.seconds:6.2f} x",
            flush=True,
        )

    print(f"\n{name}")
    for threads in options.threads if "scoring" in options.kinds else ():
        settings = {"max_parents": TABLES[name], "threads": threads}
        spent = min(spent_on(score_parent_sets, table, **settings) for _ in range(3))
        note("scoring", threads, 1, spent)
    if not path.exists():
        score_parent_sets(table, max_parents=TABLES[name]).save(path)
    sets = ParentSets.load(path)
    space = SearchSpace(sets)
    count = options.generations
    for threads in options.threads:
        if "search" in options.kinds:
            spent = min(generations(space, PSMINOBS(), threads, count) for _ in range(3))
            note("search", threads, 1, spent)
        if "chains" in options.kinds:
            chains = PSMINOBS(chains=max(options.threads), rate=0.25, widen=False)
            note("chains", threads, 1, generations(space, chains, threads, count))
        if "processes" in options.kinds:
            note("processes", threads, threads, processes(path, threads, count))
        if "bound" in options.kinds:
            spent = spent_on(find_bound, sets, rounds=ROUNDS, threads=threads)
            note("bound", threads, 1, spent)
    return results


def main() -> None:
    """Print a table per data set."""
    every = [1 << i for i in range(cores().bit_length()) if 1 << i <= cores()]
    kinds = ["scoring", "search", "chains", "processes", "bound"]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the tables")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path("build/benchmarks"),
        metavar="DIR",
        help="where scored parent sets are kept [default: build/benchmarks]",
    )
    parser.add_argument("--only", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=kinds)
    parser.add_argument(
        "--threads", nargs="+", type=int, default=every, help="[default: 1, 2, 4, ...]"
    )
    parser.add_argument("--generations", type=int, default=200, help="[default: 200]")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the first table as SVG")
    options = parser.parse_args()
    measured = {name: measure(name, options) for name in options.only}
    if options.figure:
        faster = {
            kind: {threads: times[1] / spent for threads, spent in times.items()}
            for kind, times in measured[options.only[0]].items()
        }
        options.figure.write_text(
            draw_lines("Times as fast as one thread", faster, across="threads", unit="x", base=2),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
