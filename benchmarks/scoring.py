"""How many families are scored in a second?

    python benchmarks/scoring.py --data DIR
    python benchmarks/scoring.py --quick

DIR holds the paper's tables audio-train.data and reuters-test.data, at any depth.
They are scored with up to 3 and 2 parents; a simulated table of 60 variables with
2 to 4 states is scored with up to 3. Without --data only the simulated table is.

Times run from the coded table to ranked parent sets; the best of five counts. The
table also shows two threads, every instruction set, and peak memory.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from common.files import find_file

from forebear import __version__, _core
from forebear._util.machine import peak_bytes
from forebear._util.text import show_bytes
from forebear.data.dataset import Dataset
from forebear.network.simulation import simulate
from forebear.scoring.job import ScoringRun, make_job

if TYPE_CHECKING:
    from forebear.scoring.job import Job

COLUMNS = ("case", "kernels", "families", "1 thread", "spread", "2 threads", "ratio", "peak")


@dataclass(frozen=True)
class Case:
    """A table to score, and ``max_parents``."""

    name: str
    max_parents: int
    file: Path | None = None

    def job(self) -> Job:
        """Read or simulate the table."""
        if self.file is None:
            data = simulate(60, 10_000, states=(2, 4), seed=1).data
        else:
            data = Dataset.read(self.file)
        return make_job(data, max_parents=self.max_parents, threads=1)


def measure(job: Job, repeats: int) -> tuple[float, float]:
    """Return the best and the worst time from the coded table to ranked parent sets."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run = ScoringRun(job)
        run.run()
        run.collect()
        times.append(time.perf_counter() - start)
    return min(times), max(times)


def print_case(case: Case, options: argparse.Namespace) -> None:
    """Print a row for each instruction set, the best first."""
    job = case.job()
    families = job.constraints.families(job.max_parents)
    peak = show_bytes(peak_in_fresh_process(case, options))
    for kernels in reversed(_core.available_kernels()):
        _core.use_kernels(kernels)
        repeats = 5 if not options.quick else 2 if peak else 1
        best, worst = measure(job, repeats)
        two, _ = measure(replace(job, threads=2), repeats)
        cells = [
            *(case.name, kernels, f"{families:,}", show_rate(families / best)),
            *(f"{worst / best - 1:.0%}", show_rate(families / two), f"{best / two:.2f}", peak),
        ]
        print(f"| {' | '.join(cells)} |", flush=True)
        peak = ""  # it is that of the kernels that are chosen


def peak_in_fresh_process(case: Case, options: argparse.Namespace) -> int:
    """Score once in a separate process, and return its peak memory."""
    data = ["--data", str(options.data)] if options.data else []
    command = [sys.executable, __file__, *data, "--peak-of", case.name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout)


def show_rate(rate: float) -> str:
    """Show a rate with three digits and a unit."""
    for unit in ("", " k", " M"):
        if rate < 1000:
            return f"{rate:.3g}{unit}/s"
        rate /= 1000
    return f"{rate:.3g} G/s"


def find_cases(data: Path | None) -> list[Case]:
    """List the cases whose tables are there."""
    cases = [Case("mixed arity, 3 parents", 3)]
    for name, max_parents in (("reuters-test", 2), ("audio-train", 3)):
        path = find_file(data, f"{name}.data") if data else None
        if path:
            cases.insert(0, Case(f"{name}, {max_parents} parents", max_parents, path))
        elif data:
            print(f"{name} is left out: there is no {name}.data in {data}", file=sys.stderr)
    return cases


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="directory of the paper's tables")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--peak-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    cases = find_cases(options.data)
    if options.peak_of:
        (case,) = (case for case in cases if case.name == options.peak_of)
        measure(case.job(), 1)
        print(peak_bytes())
        return
    print(f"forebear {__version__}, {platform.processor() or platform.machine()},", end=" ")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    for case in cases:
        print_case(case, options)


if __name__ == "__main__":
    main()
