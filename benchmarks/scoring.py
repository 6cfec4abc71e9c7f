"""How fast families are scored: one command, one table.

Three cases: audio-train with up to 3 parents, reuters-test with up to 2 (both
from --data), and a simulated table of 60 variables with 2 to 4 states. Times
run from the coded table to ranked parent sets, best of several. Beside them:
two threads, every instruction set, peak memory, an estimate of what the
hardware allows, and other programs where they are at hand::

    python benchmarks/scoring.py --data ../shared/data/paper

With --json, the times are written for ``compare.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from measures import Measure, write_measures

from forebear import __version__, _core
from forebear._util.machine import peak_bytes
from forebear._util.text import show_bytes
from forebear.data.dataset import Dataset
from forebear.network.simulation import simulate
from forebear.scoring.job import Job, ScoringRun
from forebear.scoring.scoring import make_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "paper"
COLUMNS = (
    *("case", "kernels", "families", "1 thread", "spread", "2 threads", "ratio", "peak"),
    *("hardware limit", "of limit", "prototype", "pgmpy", "pyAgrum"),
)


@dataclass(frozen=True)
class Case:
    """A table to score, and how far."""

    name: str
    max_parents: int
    file: Path | None = None

    def load(self) -> Dataset:
        if self.file is None:
            return simulate(60, 10_000, states=(2, 4), seed=1).data
        return Dataset.read(self.file)


class Timing(NamedTuple):
    """The best time of some, the worst, and what was kept."""

    best: float
    worst: float
    kept: int

    @property
    def spread(self) -> float:
        """How much longer the worst took, as a share."""
        return self.worst / self.best - 1


def measure(job: Job, repeats: int) -> Timing:
    """Time a job from the coded table to ranked parent sets."""
    times, kept = [], 0
    for _ in range(repeats):
        start = time.perf_counter()
        run = ScoringRun(job)
        run.run()
        kept = len(run.collect())
        times.append(time.perf_counter() - start)
    return Timing(min(times), max(times), kept)


# ---- what the hardware allows ------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """What one core does at most: cycles a second, and bytes copied a second."""

    hertz: float
    copied: float

    @classmethod
    def here(cls) -> Machine:
        info = Path("/proc/cpuinfo")
        found = re.search(r"cpu MHz\s*:\s*([\d.]+)", info.read_text()) if info.exists() else None
        source = np.ones(1 << 25)
        target = np.empty_like(source)
        seconds = []
        for _ in range(5):
            start = time.perf_counter()
            np.copyto(target, source)
            seconds.append(time.perf_counter() - start)
        return cls(float(found[1]) * 1e6 if found else 3e9, source.nbytes / min(seconds))


def hardware_seconds(job: Job, kept: int, machine: Machine) -> float:
    """Bound the time from below: the busiest execution port, then the memory.

    A set S of k variables takes, at 512 bits an instruction: a popcount for
    every 8 words of every combination of its members' items (one a cycle); a
    table look-up for every cell (two loads a cycle); and for each of its
    members as the child, reading F and G of all 2^(k-1) sets of parents (two
    loads of 8 values a cycle). A kept set is written and read as a record (16
    bytes) for each of three sorting passes, and written once more, ranked.
    """
    n, d = job.data.n_variables, job.max_parents
    arities = job.data.arities.astype(float)
    words = -(-job.data.n_rows // 64)
    items, cells = subset_products(arities - 1, d + 1), subset_products(arities, d + 1)
    sets = subset_products(np.ones(n), d + 1)
    sizes = np.arange(d + 2)
    popcounts = float(items[2:].sum()) * words / 8
    loads = float(cells[1:].sum()) / 2 + float((sets * sizes * 2.0**sizes).sum()) / 2 / 8
    traffic = kept * (16 * 4 + 8 + 2 * d)
    return max(popcounts, loads) / machine.hertz + traffic / machine.copied


def subset_products(values: NDArray[np.float64], largest: int) -> NDArray[np.float64]:
    """Sum the products over all subsets of each size (elementary symmetric polynomials)."""
    sums = np.zeros(largest + 1)
    sums[0] = 1.0
    for value in values:
        sums[1:] += value * sums[:-1]
    return sums


# ---- the rows ----------------------------------------------------------------------


def case_rows(
    case: Case, options: argparse.Namespace, machine: Machine, measures: list[Measure]
) -> list[dict[str, str]]:
    """Measure one case: a row for each instruction set, the best first."""
    data = case.load()
    job = make_job(data, max_parents=case.max_parents, threads=1)
    families = job.constraints.families(job.max_parents)
    rows: list[dict[str, str]] = []
    for kernels in reversed(_core.available_kernels()):
        _core.use_kernels(kernels)
        repeats = 1 if rows and options.quick else options.repeats
        one = measure(job, repeats)
        two = measure(replace(job, threads=2), repeats)
        for threads, timing in ((1, one), (2, two)):
            name = f"{case.name}, {kernels}, {threads} thread{'s' * (threads > 1)}"
            measures.append(Measure(name, "seconds", timing.best, timing.spread))
        row = {
            "case": case.name,
            "kernels": kernels,
            "families": f"{families:,}",
            "1 thread": show_rate(families / one.best),
            "spread": f"{one.spread:.0%}",
            "2 threads": show_rate(families / two.best),
            "ratio": f"{one.best / two.best:.2f}",
        }
        if not rows:
            limit = hardware_seconds(job, one.kept, machine)
            row["peak"] = show_bytes(peak_in_fresh_process(case, options.data))
            row["hardware limit"] = show_rate(families / limit)
            row["of limit"] = f"{limit / one.best:.0%}"
            row |= others(case, data, families / one.best, options)
        rows.append(row)
    return rows


def others(case: Case, data: Dataset, ours: float, options: argparse.Namespace) -> dict[str, str]:
    """Time the other programs that are at hand; in brackets how many times faster we are."""
    rates = {}
    if options.prototype and case.file:
        command = [options.prototype, case.file, str(case.max_parents), "-"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds = re.search(r"total=([\d.]+)s", done.stdout + done.stderr)
        families = make_job(data, max_parents=case.max_parents).constraints.families(
            case.max_parents
        )
        if seconds:
            rates["prototype"] = families / float(seconds[1])
    if not options.no_peers:
        rates |= peer_rates(data, options.peer_seconds)
    return {name: f"{show_rate(rate)} ({ours / rate:,.1f}x)" for name, rate in rates.items()}


def peer_rates(data: Dataset, seconds: float) -> dict[str, float]:
    """Time other libraries' local scores, those that are installed."""
    peers_scoring = import_module("peers_scoring")  # it stands beside this file
    rates = {}
    for module, function in (
        ("pgmpy", peers_scoring.pgmpy_families_per_second),
        ("pyagrum", peers_scoring.pyagrum_families_per_second),
    ):
        if find_spec(module):
            rate = function(data, seconds)
            rates[rate.library] = rate.families_per_second
    return rates


def peak_in_fresh_process(case: Case, data: Path) -> int:
    """Score once in a process of its own, and tell the most memory that it held."""
    command = [sys.executable, __file__, "--data", str(data), "--peak-of", case.name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(json.loads(done.stdout))


def show_rate(rate: float) -> str:
    """Write families a second as a person would."""
    for unit in ("", " k", " M", " G"):
        if rate < 1000:
            return f"{rate:.3g}{unit}/s"
        rate /= 1000
    return f"{rate:.3g} T/s"


def print_table(rows: list[dict[str, str]]) -> None:
    """Print rows as a Markdown table, without the columns that nothing is in."""
    columns = [column for column in COLUMNS if any(column in row for row in rows)]
    widths = {c: max(len(c), *(len(row.get(c, "")) for row in rows)) for c in columns}
    lines = [{c: c for c in columns}, {c: "-" * widths[c] for c in columns}, *rows]
    for line in lines:
        print("| " + " | ".join(line.get(c, "").ljust(widths[c]) for c in columns) + " |")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the data sets")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, no other libraries")
    parser.add_argument("--prototype", help="a program to compare with: PATH FILE IN-DEGREE -")
    parser.add_argument("--peer-seconds", type=float, default=5.0, help="time for each library")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the times there")
    parser.add_argument("--peak-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.repeats = 2 if options.quick else 5
    options.no_peers = options.quick
    return options


def main() -> None:
    """Print the table."""
    options = parse()
    cases = [
        Case("audio-train, 3 parents", 3, options.data / "audio-train.data"),
        Case("reuters-test, 2 parents", 2, options.data / "reuters-test.data"),
        Case("mixed arity, 3 parents", 3),
    ]
    if options.peak_of:
        (case,) = (case for case in cases if case.name == options.peak_of)
        measure(make_job(case.load(), max_parents=case.max_parents, threads=1), 1)
        print(json.dumps(peak_bytes()))
        return
    machine = Machine.here()
    print(f"forebear {__version__}, {platform.processor() or platform.machine()},", end=" ")
    print(f"{os.cpu_count()} cores at {machine.hertz / 1e9:.1f} GHz, load", end=" ")
    print(f"{os.getloadavg()[0]:.1f}, copies {machine.copied / 1e9:.1f} GB/s", flush=True)
    rows: list[dict[str, str]] = []
    measures: list[Measure] = []
    for case in cases:
        if case.file and not case.file.exists():
            print(f"{case.file} is not there: left out")
            continue
        rows += case_rows(case, options, machine, measures)
    print_table(rows)
    if options.json:
        write_measures(options.json, measures)


if __name__ == "__main__":
    main()
