"""How close are learnt networks to the true ones?

    python benchmarks/truth.py --networks DIR
    python benchmarks/truth.py --networks DIR --only alarm insurance --rows 500 --seeds 10
    python benchmarks/truth.py --networks DIR --quick
    python benchmarks/truth.py --tables alarm.csv insurance.csv

DIR holds networks with probabilities (alarm.bif, ...). Tables of --rows are drawn
from each, one per seed, with columns in random order. Networks are learnt from
them by forebear, by hill climbing of pgmpy and pyAgrum, and by tabu search of
pyAgrum, if these are installed. All have the same table, BDeu with an equivalent
sample size of 1, one thread and --time-limit seconds. The consensus
of networks that forebear draws from the posterior is there, too ("posterior").

Every run is a line of the CSV file; the means are printed. --tables prints those
of earlier files together, without learning.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common.library_runs import PROGRAMS, available, run_program
from common.runfiles import earlier_or_new
from common.tables import shuffled

from forebear import (
    Dataset,
    compare_networks,
    learn,
    read_fitted,
    sample_posterior,
    score_network,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forebear import FittedNetwork, Network

BEST, POSTERIOR = "forebear", "posterior"

HEADINGS = (
    *("network", "variables", "rows", "method", "score", "gap %", "SHD", "SHD of CPDAGs"),
    *("F1 of arcs", "F1 of skeleton", "seconds", "finished"),
)


@dataclass(frozen=True)
class Run:
    """One method on one table. A run that did not finish in time has no numbers."""

    network: str
    variables: int
    true_arcs: int
    rows: int
    seed: int
    method: str
    seconds: float
    score: float | None = None
    gap: float | None = None
    arcs: int | None = None
    shd: int | None = None
    shd_cpdag: int | None = None
    arc_f1: float | None = None
    skeleton_f1: float | None = None


@dataclass(frozen=True)
class Table:
    """A table drawn from a known network."""

    name: str
    true: FittedNetwork
    data: Dataset
    seed: int

    def run(
        self, method: str, seconds: float, learnt: Network | None, gap: float | None = None
    ) -> Run:
        """Compare the network that a method learnt with the true one."""
        about = {
            "network": self.name,
            "variables": self.true.n_variables,
            "true_arcs": len(self.true.network.arcs),
            "rows": self.data.n_rows,
            "seed": self.seed,
            "method": method,
            "seconds": seconds,
        }
        if learnt is None:
            return Run(**about)  # type: ignore[arg-type]
        found = compare_networks(learnt, self.true.network)
        return Run(
            **about,  # type: ignore[arg-type]
            score=score_network(learnt, self.data),
            gap=gap,
            arcs=len(learnt.arcs),
            shd=found.shd,
            shd_cpdag=found.shd_cpdag,
            arc_f1=found.arc_f1,
            skeleton_f1=found.skeleton_f1,
        )


def runs_of_forebear(table: Table, seconds: float, threshold: float) -> Iterator[Run]:
    """Learn a network; draw networks from the posterior and take their consensus."""
    start = time.perf_counter()
    result = learn(
        table.data, prior="uniform", time_limit=seconds, threads=1, seed=table.seed, cache=False
    )
    yield table.run(BEST, time.perf_counter() - start, result.network, result.gap)
    start = time.perf_counter()
    drawn = sample_posterior(table.data, time_limit=seconds, threads=1, seed=table.seed)
    yield table.run(POSTERIOR, time.perf_counter() - start, drawn.consensus(threshold))


def runs(table: Table, options: argparse.Namespace) -> Iterator[Run]:
    """Learn from one table with every method."""
    yield from runs_of_forebear(table, options.time_limit, options.threshold)
    for program in options.programs:
        learnt, seconds = run_program(program, table.data, options.time_limit)
        yield table.run(program.name, seconds, learnt)


def tables(options: argparse.Namespace) -> Iterator[Table]:
    """Draw every table, small networks first."""
    paths = [path for path in options.networks.iterdir() if ".bif" in path.suffixes]
    networks = {path.name.partition(".")[0]: read_fitted(path) for path in sorted(paths)}
    if strange := set(options.only or ()) - set(networks):
        raise SystemExit(f"there is no network {min(strange)} in {options.networks}")
    chosen = sorted(options.only or networks, key=lambda name: networks[name].n_variables)
    for name in chosen:
        for rows in options.rows:
            for seed in range(1, options.seeds + 1):
                rng = np.random.default_rng(seed)
                data = shuffled(networks[name].sample(rows, rng), rng)
                yield Table(name, networks[name], data, seed)


def mean(values: Sequence[float | None], digits: int) -> str:
    """Show the mean of the known values."""
    known = [value for value in values if value is not None]
    return f"{statistics.fmean(known):.{digits}f}" if known else "-"


def print_means(done: Sequence[Run]) -> None:
    """Print one line per network, number of rows and method. Scores are relative to forebear's."""
    best = {(run.network, run.rows, run.seed): run.score for run in done if run.method == BEST}
    groups: dict[tuple[str, int, int, str], list[Run]] = defaultdict(list)
    for run in done:
        groups[run.network, run.variables, run.rows, run.method].append(run)
    print(f"\n| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}")
    for (name, variables, rows, method), own in groups.items():
        behind = [
            run.score - (best[run.network, run.rows, run.seed] or 0.0)
            for run in own
            if run.score is not None
        ]
        cells = [
            *(name, str(variables), f"{rows:,}", method),
            mean(behind, 1),
            mean([None if run.gap is None else 100 * run.gap for run in own], 2),
            mean([run.shd for run in own], 1),
            mean([run.shd_cpdag for run in own], 1),
            mean([run.arc_f1 for run in own], 3),
            mean([run.skeleton_f1 for run in own], 3),
            mean([run.seconds for run in own], 1),
            f"{sum(run.score is not None for run in own)} of {len(own)}",
        ]
        print(f"| {' | '.join(cells)} |")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--networks", type=Path, metavar="DIR", help="directory of .bif files")
    task.add_argument("--tables", type=Path, nargs="+", metavar="CSV", help="print earlier runs")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these networks")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--seeds", type=int, default=5, help="number of tables of each kind")
    parser.add_argument(
        "--time-limit",
        "--seconds",
        type=float,
        default=10.0,
        help="seconds for each method and table [default: 10]",
    )
    parser.add_argument(
        "--threshold", type=float, default=0.5, help="least probability of edges in the consensus"
    )
    parser.add_argument("--output", type=Path, default=Path("truth.csv"), help="one line per run")
    parser.add_argument("--quick", action="store_true", help="asia only, to try the benchmark")
    options = parser.parse_args()
    if options.quick:
        options.only, options.rows, options.seeds, options.time_limit = ["asia"], [500], 1, 1.0
    options.programs = [program for program in PROGRAMS if available(program)]
    return options


def learn_all(options: argparse.Namespace) -> Iterator[Run]:
    """Learn every table with every method."""
    for table in tables(options):
        yield from runs(table, options)
        print(f"{table.name}, {table.data.n_rows:,} rows, seed {table.seed}", flush=True)


def main() -> None:
    """Learn, or read earlier runs; print the tables."""
    options = parse()
    done = earlier_or_new(Run, options.tables, options.output, learn_all(options))
    print_means(done)


if __name__ == "__main__":
    main()
