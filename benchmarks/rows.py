"""How long does ``learn`` take on tables with many rows, from the file to the network?

    python benchmarks/rows.py --data DIR
    python benchmarks/rows.py --data DIR --only alarm --rows 2000000 --seeds 10 --time-limit 20

DIR holds networks (alarm.bif, hailfinder.bif, andes.bif, pathfinder.bif), at any depth, from which
tables are drawn. Every run is a process of its own, from a Parquet or CSV file to the network,
without a cache. The goal is the score of the network that the table was drawn from. Prints when the
first network was reported and when the goal was reached, in seconds from the start of the process,
the final score relative to the goal, and the peak memory of the process. pyAgrum, if it is
installed, runs once per table: greedy hill climbing with BDeu on the CSV file.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from common.files import need_file

from forebear import Network, Watcher, learn, read_fitted, score_network

NETWORKS = ("alarm", "hailfinder", "andes", "pathfinder")
ROWS = (10_000, 100_000, 1_000_000)

_ROUNDING = 1e-3  # sums of local scores are compared up to this many nats


class FirstAndGoal(Watcher):
    """Records when the first network was reported, and when the goal was reached."""

    def __init__(self, goal: float, started: float) -> None:
        self.goal = goal
        self.began = started
        self.first: float | None = None
        self.reached: float | None = None

    def improved(self, improvement: Any) -> None:
        """Record the time of a network."""
        now = time.time() - self.began
        self.first = now if self.first is None else self.first
        if self.reached is None and improvement.score >= self.goal - _ROUNDING:
            self.reached = now


def learn_once(path: str, goal: float, seed: int, seconds: float, started: float) -> dict[str, Any]:
    """Learn in this process, and describe the run."""
    watcher = FirstAndGoal(goal, started)
    warnings.simplefilter("ignore")
    result = learn(path, time_limit=seconds, seed=seed, cache=False, watcher=watcher)
    wall = time.time() - started
    if watcher.reached is None and result.score >= goal - _ROUNDING:
        watcher.reached = wall  # found by the proof
    return {
        "first": watcher.first,
        "reached": watcher.reached,
        "difference": result.score - goal,
        "wall": wall,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def learn_with_pyagrum(path: str) -> dict[str, Any]:
    """Learn with pyAgrum in this process; return the arcs by name, the time and the memory."""
    gum: Any = import_module("pyagrum")

    started = time.time()
    learner = gum.BNLearner(path)
    learner.useScoreBDeu()
    learner.useGreedyHillClimbing()
    network = learner.learnBN()
    arcs = [[network.variable(a).name(), network.variable(b).name()] for a, b in network.arcs()]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"arcs": arcs, "wall": time.time() - started, "megabytes": memory}


def in_own_process(*arguments: str, seconds: float) -> dict[str, Any] | None:
    """Run this script for one search; None if it took too long or failed."""
    command = [sys.executable, __file__, "--child", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def show(run: dict[str, Any]) -> str:
    """Describe a run of forebear in one line."""
    times = [
        "not" if run[key] is None else f"after {run[key]:.2f} s" for key in ("first", "reached")
    ]
    return (
        f"first network {times[0]}, goal reached {times[1]}, {run['difference']:+,.1f} nats in "
        f"{run['wall']:.1f} s, {run['megabytes']:,.0f} MB"
    )


def measure(name: str, rows: int, options: argparse.Namespace, folder: Path) -> None:
    """Draw one table, and print the runs on it."""
    network = read_fitted(need_file(options.data, f"{name}.bif"))
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        data = network.sample(rows, seed=seed)
        goal = score_network(network.network, data)
        path = folder / f"{name}.{options.format}"
        frame = data.to_frame()
        if options.format == "csv":
            frame.write_csv(path)
        else:
            frame.write_parquet(path)
        limit = options.time_limit
        run = in_own_process(str(path), repr(goal), str(seed), str(limit), seconds=10 * limit)
        print(f"  seed {seed}: {'failed' if run is None else show(run)}", flush=True)
    if options.without_pyagrum:
        return
    frame.write_csv(folder / "peer.csv")
    peer = in_own_process(str(folder / "peer.csv"), seconds=options.patience)
    if peer is None:
        print(f"  pyAgrum: no network in {options.patience:g} s, or not installed")
        return
    score = score_network(Network.from_arcs(data.names, peer["arcs"]), data)
    print(
        f"  pyAgrum: {score - goal:+,.1f} nats in {peer['wall']:.1f} s, "
        f"{peer['megabytes']:,.0f} MB",
        flush=True,
    )


def main() -> None:
    """Print the runs of every table."""
    if sys.argv[1:2] == ["--child"]:
        started = time.time()
        path, *settings = sys.argv[2:]
        if settings:
            goal, seed, seconds = settings
            found = learn_once(path, float(goal), int(seed), float(seconds), started)
        else:
            found = learn_with_pyagrum(path)
        print(json.dumps(found))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the networks")
    parser.add_argument("--only", choices=NETWORKS, nargs="+", default=NETWORKS, help="networks")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS, help="numbers of rows")
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds for each run")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=1, help="the first seed")
    parser.add_argument("--without-pyagrum", action="store_true")
    parser.add_argument("--patience", type=float, default=300.0, help="seconds for pyAgrum")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        for name in options.only:
            for rows in options.rows:
                print(f"\n{name}, {rows:,} rows, {options.format}", flush=True)
                measure(name, rows, options, Path(folder))


if __name__ == "__main__":
    main()
