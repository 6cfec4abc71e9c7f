"""How does forebear compare with other libraries and programs, in score, time and memory?

    python benchmarks/peers.py --data DIR --quick
    python benchmarks/peers.py --data DIR [--minobs PROGRAM] [--gobnilp PROGRAM] [--blip JAR]
    python benchmarks/peers.py --tables earlier.csv

DIR holds networks (alarm.bif, ...), from which tables are drawn, and tables
(nltcs.train.data, ...), at any depth. pgmpy, pyAgrum and causal-learn are installed in
an environment of their own. MINOBS, GOBNILP and BLIP run if their paths are given, on
the parent sets that forebear scored; the time of scoring is not counted for them.

Every search runs in its own process, on one thread, for --time-limit seconds. A program
that watches the clock itself may take up to --patience times as long. forebear scores
all networks from the table: BDeu, equivalent sample size 1. Every run is a line of the
CSV file. The printed table has medians, and in brackets the worst of --repeats.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common.files import find_file
from common.runfiles import earlier_or_new
from common.tables import shuffled
from peer_runs.child import LIBRARIES
from peer_runs.env import Environment, default_folder, make_environment
from peer_runs.programs import BLIP, GOBNILP, MINOBS, Program
from peer_runs.runs import Bench, Run
from peer_runs.table import print_table

from forebear import Dataset, read_fitted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Programs = Sequence[tuple[Program, Path]]

LEAST_PARENTS = 3
"""MINOBS, GOBNILP and BLIP get all sets of this many parents at least: forebear may start with
fewer, and adds others while it searches."""


@dataclass(frozen=True)
class Case:
    """A table: drawn from a network if ``rows`` is given, else read from a file."""

    name: str
    file: str
    rows: int | None = None


QUICK = (
    Case("asia", "asia.bif", 1_000),
    Case("alarm", "alarm.bif", 1_000),
    Case("nltcs", "nltcs.train.data"),
)
FULL = (
    *QUICK,
    Case("insurance", "insurance.bif", 10_000),
    Case("hailfinder", "hailfinder.bif", 5_000),
    Case("andes", "andes.bif", 2_000),
    Case("plants", "plants.valid.data"),
    Case("audio", "audio-train.data"),
)


def make_table(case: Case, path: Path, seed: int) -> Dataset:
    """Draw a table, with columns in random order, or read it."""
    if case.rows is None:
        return Dataset.read(path)
    rng = np.random.default_rng(seed)
    return shuffled(read_fitted(path).sample(case.rows, rng), rng)


def benches(options: argparse.Namespace, folder: Path) -> Iterator[Bench]:
    """Make every table, and a folder for each repeat. Report tables whose file is missing."""
    for case in QUICK if options.quick else FULL:
        if options.only and case.name not in options.only:
            continue
        path = find_file(options.data, case.file)
        if path is None:
            print(f"{case.name} is left out: there is no {case.file} in {options.data}")
            continue
        data = make_table(case, path, options.seed)
        for repeat in range(options.repeats):
            own = folder / f"{case.name}-{repeat}"
            own.mkdir()
            seed = options.seed + repeat
            yield Bench(case.name, data, own, options.time_limit, options.patience, seed)


def runs(
    bench: Bench, peers: Environment, programs: Programs, without: Sequence[str]
) -> Iterator[Run]:
    """Learn from one table with every program."""
    ours = bench.run_ours()
    yield ours.run
    for search in LIBRARIES.values():
        version = None if search.library in without else peers.versions.get(search.library)
        if version is not None:
            yield ours.beside(bench.run_library(search, peers.python, version))
    for program, path in programs:
        yield ours.beside(bench.run_program(program, path, max(LEAST_PARENTS, ours.max_parents)))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--data", type=Path, metavar="DIR")
    task.add_argument("--tables", type=Path, nargs="+", metavar="CSV", help="print earlier runs")
    parser.add_argument("--quick", action="store_true", help="small tables, a few minutes")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these tables")
    parser.add_argument("--without", nargs="+", default=[], metavar="LIBRARY", help="leave out")
    parser.add_argument(
        "--time-limit",
        "--seconds",
        type=float,
        help="seconds for each search [default: 60, or 20 with --quick]",
    )
    parser.add_argument(
        "--patience", type=float, default=2.0, help="factor by which the limit may be exceeded"
    )
    parser.add_argument("--repeats", type=int, default=1, help="number of runs, with other seeds")
    parser.add_argument("--seed", type=int, default=1, help="first random seed")
    parser.add_argument(
        "--environment",
        type=Path,
        default=default_folder(),
        metavar="DIR",
        help="virtual environment of the other libraries",
    )
    parser.add_argument("--output", type=Path, default=Path("peers.csv"), help="one line per run")
    for program in ("minobs", "gobnilp", "blip"):
        parser.add_argument(f"--{program}", type=Path, metavar="PROGRAM")
    options = parser.parse_args()
    options.time_limit = options.time_limit or (20.0 if options.quick else 60.0)
    options.programs = [
        (program, path)
        for program, path in (
            (MINOBS, options.minobs),
            (GOBNILP, options.gobnilp),
            (BLIP, options.blip),
        )
        if path is not None
    ]
    for program, path in options.programs:
        if not path.is_file():
            parser.error(f"{program.name} not found: {path}")
    return options


def tell_absent(peers: Environment, programs: Programs) -> None:
    """Report which programs are left out."""
    for library, complaint in peers.missing.items():
        print(f"{library} could not be installed: {complaint}")
    given = [program for program, _ in programs]
    for program in (MINOBS, GOBNILP, BLIP):
        if program not in given:
            print(f"{program.name} is left out: no path to it was given")


def learn_all(options: argparse.Namespace) -> Iterator[Run]:
    """Learn every table with every program."""
    peers = make_environment(options.environment)
    tell_absent(peers, options.programs)
    with tempfile.TemporaryDirectory() as folder:
        for bench in benches(options, Path(folder)):
            yield from runs(bench, peers, options.programs, options.without)
            print(f"{bench.name}, seed {bench.seed}", flush=True)


def main() -> None:
    """Learn, or read earlier runs; print the table."""
    options = parse()
    print_table(earlier_or_new(Run, options.tables, options.output, learn_all(options)))


if __name__ == "__main__":
    main()
