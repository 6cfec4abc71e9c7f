"""How far from the best known networks does the search end, and did a version make it worse?

    python benchmarks/gaps.py --data DIR --prepare PREPARED
    python benchmarks/gaps.py --prepared PREPARED --jobs 16 --json run.json
    python benchmarks/gaps.py --record run.json --release 0.1.0
    python benchmarks/gaps.py --quick

--prepare writes the tables and collections of the library (benchmarks/instances) that are in DIR as
arrays and native files, some megabytes in all. --prepared searches each of them with ten seeds, on
one thread per search and with a fixed number of generations: the scores are the same on every
machine. It prints the mean gaps to the best known score and to the bound, the time until the gap is
at most 0.01 %, and what became worse since the last release; the exit code is then 1. --jobs runs
as many searches at the same time. With --source DIR forebear need not be installed: DIR holds
the folder forebear.

--record adds a run to benchmarks/results/gaps.json and writes the table of releases, gaps.md.

--quick needs no data and takes a minute: fixed generations on simulated tables, whose scores must
not be worse than those recorded, and instruction counts if valgrind is installed.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from common import gap_tables
from common.gap_runs import Task, key_of, prepared_path, run_all, write_sets
from common.library import chosen, find_instance, read_library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from common.library import Instance, Problem

RESULTS = Path(__file__).parent / "results"


def problems_of(instance: Instance) -> Iterator[Problem]:
    """Yield the problems that are searched: those on a fixed collection of parent sets."""
    yield from (one for one in instance.problems if one.generations is not None)


def prepare(instances: list[Instance], data: Path, target: Path) -> None:
    """Write what the searches read."""
    from common.rescoring import read_rows

    from forebear import ParentSets

    target.mkdir(parents=True, exist_ok=True)
    for instance in instances:
        if not list(problems_of(instance)):
            continue
        content, wrong = find_instance(instance, data)
        if content is None:
            print(f"{instance.name}: left out: {wrong}")
            continue
        path = prepared_path(instance, target)
        if instance.is_collection:
            with TemporaryDirectory() as folder:
                copy = Path(folder) / "sets.jkl"
                copy.write_bytes(content)
                ParentSets.load(copy).save(path)
        else:
            columns = [np.unique(column, return_inverse=True) for column in read_rows(content).T]
            np.savez_compressed(
                path,
                codes=np.array([codes for _, codes in columns], dtype=np.uint8),
                arities=np.array(
                    [2 if instance.has_two_states else len(states) for states, _ in columns]
                ),
            )
        print(f"{path.name}: {path.stat().st_size:,} bytes", flush=True)


def search_all(instances: list[Instance], options: argparse.Namespace) -> gap_tables.Table:
    """Score the parent sets, search them with every seed, and gather the figures."""
    begun = time.perf_counter()
    pairs = [(one, p) for one in instances for p in problems_of(one)]
    pairs = [pair for pair in pairs if prepared_path(pair[0], options.prepared).is_file()]
    if not pairs:
        raise SystemExit(f"{options.prepared} holds nothing: --prepare writes it")
    with TemporaryDirectory() as folder:
        tasks = []
        for number, (instance, problem) in enumerate(pairs):
            sets = write_sets(
                instance, problem, options.prepared, Path(folder) / f"{number}.cps", options.source
            )
            generations = max(1, round((problem.generations or 1) * options.scale))
            tasks += [
                Task(
                    key=key_of(instance, problem),
                    sets=str(sets),
                    seed=seed,
                    generations=generations,
                    best=problem.best,
                    is_optimal=gap_tables.is_optimal(problem),
                    source=options.source,
                )
                for seed in range(options.first_seed, options.first_seed + options.seeds)
            ]
        print(f"{len(tasks)} searches, scored in {time.perf_counter() - begun:.0f} s", flush=True)
        # Long searches first, so that none is left alone at the end.
        tasks.sort(key=lambda task: -Path(task.sets).stat().st_size * task.generations)
        runs = []
        for run in run_all(tasks, options.jobs):
            runs.append(run)
            print(f"  {run.key}, seed {run.seed}: {run.score:,.4f}", flush=True)
    table = gap_tables.summarize(runs, {key_of(*pair): pair[1] for pair in pairs})
    print(f"all after {time.perf_counter() - begun:.0f} s")
    return table


def run(instances: list[Instance], options: argparse.Namespace) -> int:
    """Search everything, print it, and compare with the last release."""
    table = search_all(instances, options)
    print("\n".join(gap_tables.lines_of(table)))
    if options.json:
        gap_tables.write_run(options.json, table, options)
    releases = gap_tables.read_releases(RESULTS / "gaps.json")
    if not releases:
        print("\nno release is recorded yet")
        return 0
    worse = gap_tables.regressions(releases[-1], table, same=options.scale == 1.0)
    print(f"\nsince {releases[-1]['release']}: " + ("; ".join(worse) if worse else "nothing worse"))
    return 1 if worse else 0


def main() -> None:
    """Prepare, search, record or do the quick form."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="the files of the library")
    parser.add_argument("--prepare", type=Path, metavar="DIR", help="write what a run needs")
    parser.add_argument("--prepared", type=Path, metavar="DIR", help="what --prepare wrote")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="instances [default: all]")
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time [default: 1]")
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds [default: 10]")
    parser.add_argument("--first-seed", type=int, default=1, help="first seed [default: 1]")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="factor for the generations [default: 1]"
    )
    parser.add_argument("--source", metavar="DIR", help="folder that holds the folder forebear")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the run to this file")
    parser.add_argument("--record", type=Path, metavar="FILE", help="add a run to the releases")
    parser.add_argument("--release", metavar="VERSION", help="the version of that run")
    parser.add_argument("--quick", action="store_true", help="no data, a minute")
    parser.add_argument(
        "--update", action="store_true", help="with --quick: record it as the one to compare with"
    )
    options = parser.parse_args()
    if options.quick:
        from common.gap_quick import quick

        raise SystemExit(quick(RESULTS / "gaps-quick.json", update=options.update))
    if options.record:
        if options.release is None:
            parser.error("--record needs --release VERSION")
        gap_tables.record(json.loads(options.record.read_text("utf-8")), options.release, RESULTS)
        return
    instances = list(chosen(read_library(), options.only))
    if options.prepare:
        if options.data is None:
            parser.error("--prepare needs --data DIR")
        prepare(instances, options.data, options.prepare)
    elif options.prepared:
        raise SystemExit(run(instances, options))
    else:
        parser.error("one of --prepare, --prepared, --record and --quick is needed")


if __name__ == "__main__":
    main()
