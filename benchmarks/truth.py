"""How close are learned networks to the true ones?

    python benchmarks/truth.py --networks DIR
    python benchmarks/truth.py --networks DIR --only alarm insurance --rows 500 --seeds 10
    python benchmarks/truth.py --simulated 200x100 1000x500
    python benchmarks/truth.py --shuffled 300x20 1000x200
    python benchmarks/truth.py --quick
    python benchmarks/truth.py --tables alarm.csv insurance.csv

Tables of --rows are drawn from the networks in DIR (alarm.bif, ...), or tables of COLUMNSxROWS from
random networks, one per seed, with columns in random order. --shuffled permutes the columns of such
a table independently, so that every arc is false. The methods are:

default         forebear as it is
bdeu            forebear with BDeu as in other programs (equivalent sample size 1, uniform prior)
sparse          the same with the sparse prior
posterior       the edges with a probability of at least --threshold, by sampling networks
pgmpy hill climbing, pyAgrum hill climbing, pyAgrum tabu
                the searches of these libraries, with BDeu, if they are installed

Each has one thread, and --time-limit seconds or, if given, --generations (forebear only), which
gives the same networks on a busy machine. Every run is a line of the CSV file; the means are
printed. --tables prints those of earlier files together, without learning.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from common.library_runs import PROGRAMS, available, run_program
from common.runfiles import earlier_or_new
from common.tables import shuffled

from forebear import (
    Dataset,
    Network,
    compare_networks,
    learn,
    read_fitted,
    sample_posterior,
    score_network,
    simulate,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCORES: dict[str, dict[str, Any]] = {
    "default": {},
    "bdeu": {"score": "bdeu"},
    "sparse": {"prior": "sparse"},
}
POSTERIOR = "posterior"
LIBRARIES = {program.name: program for program in PROGRAMS if available(program)}
METHODS = (*SCORES, POSTERIOR, *LIBRARIES)

HEADINGS = (
    *("network", "variables", "rows", "method", "arcs per 100 variables", "precision", "recall"),
    *("F1", "SHD of CPDAGs", "BDeu", "CPU seconds", "finished"),
)


@dataclass(frozen=True)
class Run:
    """One method on one table. A run that did not finish in time has no numbers."""

    network: str
    variables: int
    rows: int
    seed: int
    method: str
    seconds: float
    arcs: int | None = None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    shd_cpdag: int | None = None
    bdeu: float | None = None


@dataclass(frozen=True)
class Table:
    """A table drawn from a known network."""

    name: str
    true: Network
    data: Dataset
    seed: int

    def learned(self, method: str, options: argparse.Namespace) -> Run:
        """Learn with one method, and compare the network with the true one."""
        started = _cpu_seconds()
        network = _learn(self, method, options)
        run = Run(
            self.name,
            self.true.n_variables,
            self.data.n_rows,
            self.seed,
            method,
            _cpu_seconds() - started,
        )
        if network is None:
            return run
        score = score_network(network, self.data, "bdeu")
        run = replace(run, arcs=len(network.arcs), bdeu=score)
        if not self.true.arcs:
            return run
        found = compare_networks(network, self.true)
        return replace(
            run,
            precision=found.skeleton_precision,
            recall=found.skeleton_recall,
            f1=found.skeleton_f1,
            shd_cpdag=found.shd_cpdag,
        )


def _cpu_seconds() -> float:
    """Return the processor time of this process and of those that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _learn(table: Table, method: str, options: argparse.Namespace) -> Network | None:
    """Return the network of a method; None if it did not finish in time."""
    if method in LIBRARIES:
        return run_program(LIBRARIES[method], table.data, options.time_limit)[0]
    limits = {"time_limit": options.time_limit, "threads": 1, "seed": table.seed, "cache": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows: arcs may be due to chance
        if method == POSTERIOR:
            return sample_posterior(table.data, **limits).consensus(options.threshold)
        if options.generations is not None:
            limits |= {"time_limit": None, "generations": options.generations, "certify": False}
        return learn(table.data, **SCORES[method], **limits).network


# ---- tables --------------------------------------------------------------------------------


def tables(options: argparse.Namespace) -> Iterator[Table]:
    """Draw every table."""
    if options.networks:
        yield from from_files(options)
    for size in (*options.simulated, *options.shuffled):
        columns, rows = map(int, size.split("x"))
        for seed in seeds(options):
            yield simulated(columns, rows, seed, permute=size in options.shuffled)


def seeds(options: argparse.Namespace) -> range:
    """Return the seeds of the tables of one kind."""
    return range(options.first_seed, options.first_seed + options.seeds)


def from_files(options: argparse.Namespace) -> Iterator[Table]:
    """Draw tables from the networks in a folder, small networks first."""
    paths = [path for path in options.networks.rglob("*") if ".bif" in path.suffixes]
    names = {path.name.partition(".")[0]: path for path in sorted(paths)}
    if strange := set(options.only or ()) - set(names):
        raise SystemExit(f"there is no network {min(strange)} in {options.networks}")
    networks = {name: read_fitted(names[name]) for name in options.only or names}
    for name in sorted(networks, key=lambda name: networks[name].n_variables):
        for rows in options.rows:
            for seed in seeds(options):
                rng = np.random.default_rng(seed)
                data = shuffled(networks[name].sample(rows, rng), rng)
                yield Table(name, networks[name].network, data, seed)


def simulated(columns: int, rows: int, seed: int, *, permute: bool) -> Table:
    """Draw a table from a random network; ``permute`` makes its columns independent."""
    network, data = simulate(columns, rows, seed=seed)
    rng = np.random.default_rng(seed)
    if not permute:
        return Table("simulated", network.network, shuffled(data, rng), seed)
    data = replace(data, codes=rng.permuted(data.codes, axis=1))
    return Table("shuffled", Network(data.names, ((),) * columns), data, seed)


# ---- results -------------------------------------------------------------------------------


def mean(values: Sequence[float | None], digits: int) -> str:
    """Show the mean of the known values."""
    known = [value for value in values if value is not None]
    return f"{statistics.fmean(known):,.{digits}f}" if known else "-"


def print_means(done: Sequence[Run]) -> None:
    """Print one line per network, number of rows and method.

    "BDeu" is the score with an equivalent sample size of 1 and the uniform prior, relative to that
    of the method "bdeu".
    """
    best = {(run.network, run.rows, run.seed): run.bdeu for run in done if run.method == "bdeu"}
    groups: dict[tuple[str, int, int, str], list[Run]] = defaultdict(list)
    for run in done:
        groups[run.network, run.variables, run.rows, run.method].append(run)
    print(f"\n| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}")
    for (name, variables, rows, method), own in groups.items():
        bdeu: list[float | None] = []
        for run in own:
            goal = best.get((run.network, run.rows, run.seed))
            bdeu.append(None if run.bdeu is None or goal is None else run.bdeu - goal)
        arcs = [None if run.arcs is None else 100 * run.arcs / variables for run in own]
        cells = [
            *(name, f"{variables:,}", f"{rows:,}", method, mean(arcs, 1)),
            mean([run.precision for run in own], 3),
            mean([run.recall for run in own], 3),
            mean([run.f1 for run in own], 3),
            mean([run.shd_cpdag for run in own], 1),
            mean(bdeu, 1),
            mean([run.seconds for run in own], 1),
            f"{sum(run.arcs is not None for run in own)} of {len(own)}",
        ]
        print(f"| {' | '.join(cells)} |")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sizes: dict[str, Any] = {"nargs": "+", "default": [], "metavar": "COLUMNSxROWS"}
    parser.add_argument("--networks", type=Path, metavar="DIR", help="directory of .bif files")
    parser.add_argument("--simulated", **sizes, help="tables of random networks")
    parser.add_argument("--shuffled", **sizes, help="tables with independent columns")
    parser.add_argument("--tables", type=Path, nargs="+", metavar="CSV", help="print earlier runs")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these networks")
    parser.add_argument("--methods", nargs="+", choices=METHODS, metavar="METHOD", default=METHODS)
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 5_000])
    parser.add_argument("--seeds", type=int, default=2, help="number of tables of each kind")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument(
        "--time-limit",
        "--seconds",
        type=float,
        default=10.0,
        help="seconds for each method and table [default: 10]",
    )
    parser.add_argument("--generations", type=int, help="of forebear, instead of the time limit")
    parser.add_argument(
        "--threshold", type=float, default=0.5, help="least probability of edges in the consensus"
    )
    parser.add_argument("--output", type=Path, default=Path("truth.csv"), help="one line per run")
    parser.add_argument("--quick", action="store_true", help="one small table of each kind")
    options = parser.parse_args()
    if options.quick:
        options.simulated, options.shuffled = ["12x200"], ["12x20"]
        options.seeds, options.time_limit = 1, 4.0
    if not (options.networks or options.simulated or options.shuffled or options.tables):
        parser.error("pass --networks, --simulated, --shuffled, --quick or --tables")
    return options


def learn_all(options: argparse.Namespace) -> Iterator[Run]:
    """Learn every table with every method."""
    for table in tables(options):
        for method in options.methods:
            yield table.learned(method, options)
        print(f"{table.name}, {table.data.n_rows:,} rows, seed {table.seed}", flush=True)


def main() -> None:
    """Learn, or read earlier runs; print the tables."""
    options = parse()
    print_means(earlier_or_new(Run, options.tables, options.output, learn_all(options)))


if __name__ == "__main__":
    main()
