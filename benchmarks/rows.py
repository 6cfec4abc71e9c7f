"""How long does ``learn`` take on tables with many rows, from the file to the network?

    python benchmarks/rows.py --data DIR
    python benchmarks/rows.py --data DIR --only alarm --rows 2000000 --seeds 10 --time-limit 20

DIR holds networks (alarm.bif, hailfinder.bif, andes.bif, pathfinder.bif), at any depth, from which
tables are drawn. Every run is a process of its own, from a Parquet or CSV file to the network,
without a cache. The goal is the score of the network that the table was drawn from. Prints when the
first network was reported and when the goal was reached, in seconds from the start of the process,
the final score relative to the goal, and the peak memory of the process. Each time is followed by
the processor seconds of all threads, which count on a machine that also does other work; with
--stop-at-goal, a run ends when it reaches the goal. pyAgrum, if it is installed, runs once per
table: greedy hill climbing with BDeu on the CSV file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from common.files import need_file

from forebear import Network, Target, Watcher, learn, read_fitted, score_network

NETWORKS = ("alarm", "hailfinder", "andes", "pathfinder")
ROWS = (10_000, 100_000, 1_000_000)

_ROUNDING = 1e-3  # sums of local scores are compared up to this many nats


Times = tuple[float, float]
"""Seconds since the start of the process, and its processor seconds."""


def times(started: float) -> Times:
    """Return the times now."""
    return time.time() - started, time.process_time()


def peak_megabytes() -> float:
    """Return the peak memory of this process; that of getrusage may be that of its parent."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


class FirstAndGoal(Watcher):
    """Records when the first network was reported, and when the goal was reached."""

    def __init__(self, goal: float, started: float) -> None:
        self.goal = goal
        self.began = started
        self.first: Times | None = None
        self.reached: Times | None = None

    def improved(self, improvement: Any) -> None:
        """Record the time of a network."""
        now = times(self.began)
        self.first = now if self.first is None else self.first
        if self.reached is None and improvement.score >= self.goal - _ROUNDING:
            self.reached = now


def learn_once(settings: dict[str, Any], started: float) -> dict[str, Any]:
    """Learn in this process, and describe the run."""
    goal = settings.pop("goal")
    watcher = FirstAndGoal(goal, started)
    stop = Target(goal - _ROUNDING) if settings.pop("stop_at_goal") else None
    warnings.simplefilter("ignore")
    result = learn(**settings, score="bdeu", generations=stop, cache=False, watcher=watcher)
    wall = times(started)
    if watcher.reached is None and result.score >= goal - _ROUNDING:
        watcher.reached = wall  # found by the proof
    return {
        "first": watcher.first,
        "reached": watcher.reached,
        "difference": result.score - goal,
        "wall": wall,
        "megabytes": peak_megabytes(),
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
    return {"arcs": arcs, "wall": time.time() - started, "megabytes": peak_megabytes()}


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
    first, reached, end = (
        "not" if run[key] is None else "after {:.2f} s ({:.2f} s)".format(*run[key])
        for key in ("first", "reached", "wall")
    )
    return (
        f"first network {first}, goal reached {reached}, {run['difference']:+,.1f} nats {end}, "
        f"{run['megabytes']:,.0f} MB"
    )


def measure(name: str, rows: int, options: argparse.Namespace, folder: Path) -> None:
    """Draw one table, and print the runs on it."""
    network = read_fitted(need_file(options.data, f"{name}.bif"))
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        data = network.sample(rows, seed=seed)
        goal = score_network(network.network, data, "bdeu")
        path = folder / f"{name}.{options.format}"
        frame = data.to_frame()
        if options.format == "csv":
            frame.write_csv(path)
        else:
            frame.write_parquet(path)
        settings = {
            "data": str(path),
            "goal": goal,
            "seed": seed,
            "time_limit": options.time_limit,
            "stop_at_goal": options.stop_at_goal,
        }
        run = in_own_process(json.dumps(settings), seconds=10 * options.time_limit)
        print(f"  seed {seed}: {'failed' if run is None else show(run)}", flush=True)
    if options.without_pyagrum:
        return
    frame.write_csv(folder / "peer.csv")
    peer = in_own_process(str(folder / "peer.csv"), seconds=options.patience)
    if peer is None:
        print(f"  pyAgrum: no network in {options.patience:g} s, or not installed")
        return
    score = score_network(Network.from_arcs(data.names, peer["arcs"]), data, "bdeu")
    print(
        f"  pyAgrum: {score - goal:+,.1f} nats in {peer['wall']:.1f} s, "
        f"{peer['megabytes']:,.0f} MB",
        flush=True,
    )


def main() -> None:
    """Print the runs of every table."""
    if sys.argv[1:2] == ["--child"]:
        started = time.time()
        if sys.argv[2].startswith("{"):
            found = learn_once(json.loads(sys.argv[2]), started)
        else:
            found = learn_with_pyagrum(sys.argv[2])
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
    parser.add_argument("--stop-at-goal", action="store_true")
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
