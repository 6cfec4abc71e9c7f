"""How good are networks learnt from tables with missing values?

    python benchmarks/missing.py --networks DIR
    python benchmarks/missing.py --networks DIR --only child --shares 0.3 --seeds 2
    python benchmarks/missing.py --networks DIR --quick
    python benchmarks/missing.py --tables missing.csv

DIR holds networks with probabilities (alarm.bif, ...). Tables of --rows are drawn from each, one
per seed, and values are removed: completely at random (MCAR), at random given other columns (MAR)
and not at random (MNAR); see benchmarks/common/missing_values.py. Networks are learnt from them in
every way that forebear has, from the complete table, and by pgmpy's hill climbing if that is
installed: from the rows without gaps, and with gaps filled by the most frequent state. All have
the same score, --threads threads and --time-limit seconds. Every network is fitted to the same
table with gaps, and predicts 2,000 complete rows that it was not learnt from.

Every run is a line of the CSV file; the means are printed. --tables prints those of earlier files.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from common.library_runs import available, run_program
from common.library_searches import PGMPY
from common.missing_values import MECHANISMS, with_gaps
from common.runfiles import earlier_or_new
from common.tables import shuffled

from forebear import compare_networks, fit_network, learn, read_fitted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forebear import Dataset, FittedNetwork, Network
    from forebear.data.read_options import Missing

COMPLETE = "complete table"
WAYS = ("drop", "state", "available", "em")
DROPPED, FILLED = "pgmpy, rows dropped", "pgmpy, gaps filled"
TEST_ROWS = 2_000
FEWEST_ROWS = 10
"""Fewer rows without gaps are not worth learning from."""


@dataclass(frozen=True)
class Run:
    """One method on one table. A run that is not possible has no numbers."""

    network: str
    mechanism: str
    share: float
    seed: int
    method: str
    seconds: float | None = None
    arcs: int | None = None
    shd_cpdag: int | None = None
    skeleton_f1: float | None = None
    held_out: float | None = None


@dataclass(frozen=True)
class Task:
    """A table with gaps, and what it was drawn from."""

    name: str
    true: FittedNetwork
    complete: Dataset
    gaps: Any
    mechanism: str
    share: float
    seed: int

    def run(self, method: str, options: argparse.Namespace) -> Run:
        """Learn by one method."""
        about = Run(self.name, self.mechanism, self.share, self.seed, method)
        data = self._data(method)
        if data is None:
            return about
        if method.startswith("pgmpy"):
            network, seconds = run_program(PGMPY, data, 10 * options.time_limit)
            if network is None:
                return about
        else:
            started = time.perf_counter()
            network = learn(
                data,
                score=options.score,
                time_limit=options.time_limit,
                threads=options.threads,
                seed=self.seed,
                cache=False,
                certify=False,
            ).network
            seconds = time.perf_counter() - started
        return self._judged(about, network, data, seconds)

    def _data(self, method: str) -> Dataset | None:
        if method == COMPLETE:
            return self.complete
        if method == FILLED:
            return _filled(self.complete, self.gaps)
        if method in ("drop", DROPPED) and (~self.gaps.any(axis=0)).sum() < FEWEST_ROWS:
            return None
        way = cast("Missing", "drop" if method == DROPPED else method)
        return with_gaps(self.complete, self.gaps, way)

    def _judged(self, about: Run, network: Network, data: Dataset, seconds: float) -> Run:
        """Compare a network with the true one, and predict new rows."""
        found = compare_networks(network, self.true.network)
        test = self.true.sample(TEST_ROWS, seed=10_000 + self.seed)
        held_out = fit_network(network, data).log_likelihoods(test)
        return replace(
            about,
            seconds=seconds,
            arcs=len(network.arcs),
            shd_cpdag=found.shd_cpdag,
            skeleton_f1=found.skeleton_f1,
            held_out=float(held_out.mean()),
        )


def _filled(data: Dataset, gaps: Any) -> Dataset:
    """Fill gaps by the most frequent state."""
    codes = data.codes.copy()
    for column, gap in zip(codes, gaps, strict=True):
        if not gap.all():
            column[gap] = np.bincount(column[~gap]).argmax()
    return replace(data, codes=codes)


def tasks(options: argparse.Namespace) -> Iterator[Task]:
    """Draw every table and remove values, small networks first."""
    paths = [path for path in options.networks.iterdir() if ".bif" in path.suffixes]
    networks = {path.name.partition(".")[0]: path for path in sorted(paths)}
    if strange := set(options.only) - set(networks):
        raise SystemExit(f"there is no network {min(strange)} in {options.networks}")
    for name in options.only:
        true = read_fitted(networks[name])
        for mechanism in options.mechanisms:
            for share in options.shares:
                for seed in range(1, options.seeds + 1):
                    rng = np.random.default_rng([seed, int(100 * share)])
                    data = shuffled(true.sample(options.rows, seed), rng)
                    gaps = MECHANISMS[mechanism](data, share, rng)
                    yield Task(name, true, data, gaps, mechanism, share, seed)


def learn_all(options: argparse.Namespace) -> Iterator[Run]:
    """Learn every table by every method; the complete table once per seed."""
    complete: dict[tuple[str, int], Run] = {}
    for task in tasks(options):
        key = task.name, task.seed
        if key not in complete:
            complete[key] = task.run(COMPLETE, options)
        yield replace(complete[key], mechanism=task.mechanism, share=task.share)
        for method in options.methods:
            yield task.run(method, options)
        print(f"{task.name}, {task.mechanism}, {task.share:.0%}, seed {task.seed}", flush=True)


def mean(values: Sequence[float | None], digits: int) -> str:
    """Show the mean of the known values."""
    known = [value for value in values if value is not None]
    return f"{statistics.fmean(known):.{digits}f}" if known else "-"


def print_means(done: Sequence[Run], *, by_network: bool) -> None:
    """Print one line per mechanism and method; the columns are the shares."""
    shares = sorted({run.share for run in done})
    groups: dict[tuple[str, ...], dict[float, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in done:
        whole = (run.network, run.mechanism, run.method)
        groups[whole if by_network else whole[1:]][run.share].append(run)
    measures = (
        ("F1 of the skeleton", "skeleton_f1", 3),
        ("SHD of the CPDAGs", "shd_cpdag", 1),
        ("log-likelihood per held-out row", "held_out", 3),
        ("seconds", "seconds", 1),
    )
    heads = [*(["network"] if by_network else []), "gaps", "method"]
    for title, measure, digits in measures:
        columns = [*heads, *(f"{share:.0%}" for share in shares)]
        print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
        for key, own in groups.items():
            cells = [mean([getattr(run, measure) for run in own[s]], digits) for s in shares]
            print(f"| {' | '.join([*key, *cells])} |")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--networks", type=Path, metavar="DIR", help="directory of .bif files")
    task.add_argument("--tables", type=Path, nargs="+", metavar="CSV", help="print earlier runs")
    parser.add_argument("--only", nargs="+", default=["alarm", "hepar2", "win95pts"])
    parser.add_argument("--mechanisms", nargs="+", default=list(MECHANISMS), choices=MECHANISMS)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.05, 0.1, 0.3, 0.5])
    parser.add_argument("--methods", nargs="+", default=None, help="default: all")
    parser.add_argument("--score", default="bdeu")
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--seeds", type=int, default=2, help="number of tables of each kind")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--time-limit", "--seconds", type=float, default=5.0, help="seconds per network"
    )
    parser.add_argument("--output", type=Path, default=Path("missing.csv"), help="one line per run")
    parser.add_argument("--quick", action="store_true", help="asia only, to try the benchmark")
    options = parser.parse_args()
    if options.quick:
        options.only, options.rows, options.seeds = ["asia"], 500, 1
        options.shares, options.time_limit = [0.1], 1.0
    if options.methods is None:
        options.methods = [*WAYS, *((DROPPED, FILLED) if available(PGMPY) else ())]
    return options


def main() -> None:
    """Learn, or read earlier runs; print the tables."""
    options = parse()
    done = earlier_or_new(Run, options.tables, options.output, learn_all(options))
    print_means(done, by_network=False)
    print_means(done, by_network=True)


if __name__ == "__main__":
    main()
