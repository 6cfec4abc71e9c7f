"""How many families are scored in a second?

    python benchmarks/scoring.py --data DIR
    python benchmarks/scoring.py --quick

DIR holds the paper's tables audio-train.data and reuters-test.data, at any depth.
They are scored with up to 3 and 2 parents; a simulated table of 60 variables with
2 to 4 states is scored with up to 3. Without --data only the simulated table is.

Times run from the coded table to ranked parent sets; the best of five counts. The
table also shows two threads, every instruction set, peak memory, an estimate of
the hardware limit, and the rates of pgmpy and pyAgrum if they are installed.
--json FILE writes the times for ``compare.py``.
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
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from common.files import find_file
from common.library_scores import pgmpy_families_per_second, pyagrum_families_per_second
from common.measures import Measure, write_measures

from forebear import __version__, _core
from forebear._util.machine import peak_bytes
from forebear._util.text import show_bytes
from forebear.data.dataset import Dataset
from forebear.network.simulation import simulate
from forebear.scoring.job import Job, ScoringRun, make_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = (
    *("case", "kernels", "families", "1 thread", "spread", "2 threads", "ratio", "peak"),
    *("hardware limit", "of limit", "pgmpy", "pyAgrum"),
)


@dataclass(frozen=True)
class Case:
    """A table to score, and ``max_parents``."""

    name: str
    max_parents: int
    file: Path | None = None

    def load(self) -> Dataset:
        if self.file is None:
            return simulate(60, 10_000, states=(2, 4), seed=1).data
        return Dataset.read(self.file)


class Timing(NamedTuple):
    """The best and the worst time of several, and the number of sets kept."""

    best: float
    worst: float
    kept: int

    @property
    def spread(self) -> float:
        """How much longer the worst took, as a share."""
        return self.worst / self.best - 1


def measure(job: Job, repeats: int) -> Timing:
    """Time a job, from the coded table to ranked parent sets."""
    times, kept = [], 0
    for _ in range(repeats):
        start = time.perf_counter()
        run = ScoringRun(job)
        run.run()
        kept = len(run.collect())
        times.append(time.perf_counter() - start)
    return Timing(min(times), max(times), kept)


# ---- the hardware limit ------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """The limits of one core: cycles a second, and bytes copied a second."""

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
            row["peak"] = show_bytes(peak_in_fresh_process(case, options))
            row["hardware limit"] = show_rate(families / limit)
            row["of limit"] = f"{limit / one.best:.0%}"
            row |= others(data, families / one.best, options)
        rows.append(row)
    return rows


def others(data: Dataset, ours: float, options: argparse.Namespace) -> dict[str, str]:
    """Time the other libraries that are installed; in brackets, how many times faster we are."""
    if options.quick:
        return {}
    cells = {}
    for module, measure_library in (
        ("pgmpy", pgmpy_families_per_second),
        ("pyagrum", pyagrum_families_per_second),
    ):
        if find_spec(module):
            library, _, rate = measure_library(data, options.peer_seconds)
            cells[library] = f"{show_rate(rate)} ({ours / rate:,.1f}x)"
    return cells


def peak_in_fresh_process(case: Case, options: argparse.Namespace) -> int:
    """Score once in a separate process, and return its peak memory."""
    data = ["--data", str(options.data)] if options.data else []
    command = [sys.executable, __file__, *data, "--peak-of", case.name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(json.loads(done.stdout))


def show_rate(rate: float) -> str:
    """Show a rate with three digits and a unit."""
    for unit in ("", " k", " M", " G"):
        if rate < 1000:
            return f"{rate:.3g}{unit}/s"
        rate /= 1000
    return f"{rate:.3g} T/s"


def print_table(rows: list[dict[str, str]]) -> None:
    """Print rows as a Markdown table, without empty columns."""
    columns = [column for column in COLUMNS if any(column in row for row in rows)]
    widths = {c: max(len(c), *(len(row.get(c, "")) for row in rows)) for c in columns}
    lines = [{c: c for c in columns}, {c: "-" * widths[c] for c in columns}, *rows]
    for line in lines:
        print("| " + " | ".join(line.get(c, "").ljust(widths[c]) for c in columns) + " |")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="directory of the paper's tables")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, no other libraries")
    parser.add_argument(
        "--peer-seconds", type=float, default=5.0, help="seconds for each library [default: 5]"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the times to this file")
    parser.add_argument("--peak-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.repeats = 2 if options.quick else 5
    return options


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
    options = parse()
    cases = find_cases(options.data)
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
        rows += case_rows(case, options, machine, measures)
    print_table(rows)
    if options.json:
        write_measures(options.json, measures)


if __name__ == "__main__":
    main()
