"""How good is the network of ``learn`` after 1, 3, 10, 30 and 60 seconds, beside another version?

    python benchmarks/anytime.py --data DIR --networks DIR -o runs.jsonl
    python benchmarks/anytime.py --data DIR --networks DIR --against OTHER/bin/python -o runs.jsonl
    python benchmarks/anytime.py --data DIR --networks DIR --only plants.train --moments 1 3

Every run is one call of ``learn`` on a table in memory, without a limit on parents, a proof or a
cache. Its score at a moment is that of the best network found by then, counted from the call.
OTHER/bin/python is the Python of an environment in which another version is installed; both
versions run every table and seed, one after the other on the same cores. With ``--each``, every
moment has runs of its own that end there: a version may divide its time by the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any

from common.files import need_file

TABLES = (
    *("audio-train", "jester-train", "pumsb-star-test", "reuters-test", "plants.train"),
    *("dna.train", "plants.valid", "jester.test", "audio.test", "reuters.valid"),
    *("hailfinder-500", "hepar2-5000", "win95pts-1000", "pathfinder-1000", "andes-2000"),
    *("pigs-1000", "diabetes-500"),
)
"""Tables by name, and networks with the number of rows that are drawn from them."""

NOT_YET = float("-inf")


def read(name: str, data: Path, networks: Path) -> Any:
    """Read a table, or draw it from a network; always the same rows."""
    from forebear import as_dataset, read_fitted  # the version whose Python runs this

    network, _, rows = name.partition("-")
    if rows.isdigit():
        return read_fitted(need_file(networks, f"{network}.bif")).sample(int(rows), seed=1)
    return as_dataset(need_file(data, f"{name}.data"))


def run_once(run: dict[str, Any]) -> None:
    """Learn once and print the scores at the moments, as JSON."""
    from forebear import Watcher, learn

    table = read(run["table"], Path(run["data"]), Path(run["networks"]))
    found: list[tuple[float, float]] = []

    class Notes(Watcher):
        """Notes every better network."""

        def improved(self, improvement: Any) -> None:
            found.append((time.perf_counter() - started, improvement.score))

    started = time.perf_counter()
    result = learn(
        table,
        prior="uniform",
        time_limit=max(run["moments"]),
        seed=run["seed"],
        threads=run["threads"],
        certify=False,
        cache=False,
        watcher=Notes(),
    )
    took = time.perf_counter() - started
    scores = [
        max([NOT_YET, *(score for seconds, score in found if seconds <= moment)])
        for moment in run["moments"]
    ]
    if len(scores) == 1 or took < run["moments"][-1]:
        scores[-1] = result.score
    print(json.dumps({"scores": scores, "took": took, "variables": table.n_variables}))


def run_all(options: argparse.Namespace, versions: dict[str, str]) -> list[dict[str, Any]]:
    """Run all tables and seeds, several at a time, each on cores of its own."""
    limits = [[m] for m in options.moments] if options.each else [options.moments]
    runs = [
        {"table": table, "seed": seed, "threads": threads, "moments": moments, "version": version}
        for threads in options.threads
        for table in options.only or TABLES
        for seed in range(options.first_seed, options.first_seed + options.seeds)
        for moments in limits
        for version in versions
    ]
    places: Queue[int] = Queue()
    for place in range(options.parallel):
        places.put(place)
    with ThreadPoolExecutor(options.parallel) as pool, options.output.open("w") as file:

        def one(run: dict[str, Any]) -> dict[str, Any]:
            place = places.get()
            first = place * run["threads"]
            cores = set(range(first, first + run["threads"])) & os.sched_getaffinity(0)
            asked = {**run, "data": str(options.data), "networks": str(options.networks)}
            command = [versions[run["version"]], __file__, "--run", json.dumps(asked)]
            try:
                done = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    check=True,
                    preexec_fn=lambda: os.sched_setaffinity(0, cores),
                )
            finally:
                places.put(place)
            found = {**run, **json.loads(done.stdout)}
            file.write(json.dumps(found) + "\n")
            file.flush()
            return found

        return list(pool.map(one, runs))


def show(found: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """Print nats below the best score of all runs: mean of the seeds and its standard error."""
    by_case: dict[tuple[int, str], dict[str, dict[int, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    best: dict[str, float] = defaultdict(lambda: NOT_YET)
    for run in found:
        best[run["table"]] = max(best[run["table"]], *run["scores"])
        for moment, score in zip(run["moments"], run["scores"], strict=True):
            by_case[run["threads"], run["table"]][run["version"]][moment].append(score)
    print("| threads | table | version |" + "".join(f" {m:g} s |" for m in options.moments))
    print("|---|---|---|" + "---|" * len(options.moments))
    for (threads, table), versions in by_case.items():
        for version, scores in versions.items():
            cells = [_cell([best[table] - s for s in scores[m]]) for m in options.moments]
            print(f"| {threads} | {table} | {version} | " + " | ".join(cells) + " |")


def _cell(below: list[float]) -> str:
    """Return a mean and its standard error; a run without a network has neither."""
    if float("inf") in below:
        return "no network"
    error = statistics.stdev(below) / len(below) ** 0.5 if len(below) > 1 else 0.0
    return f"{statistics.mean(below):,.0f} ± {error:,.0f}"


def main() -> None:
    """Run the benchmark, or one run of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="the tables")
    parser.add_argument("--networks", type=Path, metavar="DIR", help="the networks")
    parser.add_argument("--only", nargs="+", metavar="TABLE", help="some tables")
    parser.add_argument("--against", metavar="PYTHON", help="the Python of another version")
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=801, help="the first seed")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="threads of a run")
    parser.add_argument(
        "--moments", type=float, nargs="+", default=[1, 3, 10, 30, 60], help="seconds, ascending"
    )
    parser.add_argument("--each", action="store_true", help="runs of its own for every moment")
    parser.add_argument("--parallel", type=int, default=1, help="runs at a time")
    parser.add_argument("-o", "--output", type=Path, default=Path("anytime.jsonl"), help="all runs")
    parser.add_argument("--run", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run is not None:
        run_once(options.run)
        return
    if options.data is None or options.networks is None:
        parser.error("--data and --networks are required")
    versions = {"this": sys.executable}
    if options.against is not None:
        versions["other"] = options.against
    show(run_all(options, versions), options)


if __name__ == "__main__":
    main()
