"""How long exact search takes to prove the best network: one command, one table.

Problems are tables drawn from published networks, and small real ones, scored
with BDeu. All start from the same network, found by a short search. With --scip
(it needs pyscipopt) SCIP solves the same integer program, once with clusters
alone and once with the local cuts, too::

    python benchmarks/exact.py --data ../shared --seconds 60 --scip
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from exact_scip import Solved
from exact_scip import solve as solve_scip

from forebear import find_network, score_parent_sets
from forebear.data.dataset import Dataset
from forebear.network.formats.bif import read_bif

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets

DEFAULT_DATA = Path(__file__).resolve().parents[2] / "shared"


@dataclass(frozen=True)
class Case:
    """A table, drawn or read, and the most parents."""

    name: str
    max_parents: int
    rows: int | None = None

    @property
    def title(self) -> str:
        rows = "" if self.rows is None else f", {self.rows:,} rows"
        return f"{self.name}{rows}, in-degree {self.max_parents}"

    def load(self, folder: Path) -> ParentSets:
        return score_parent_sets(self._table(folder), max_parents=self.max_parents)

    def _table(self, folder: Path) -> Dataset:
        if self.rows is None:
            return Dataset.read(folder / "data" / "small" / f"{self.name}.data")
        network = read_bif(folder / "networks" / f"{self.name}.bif.gz")
        return network.sample(self.rows, np.random.default_rng(1))


CASES = [
    Case("asia", 3, 1000),
    Case("child", 3, 1000),
    Case("insurance", 3, 1000),
    Case("alarm", 3, 1000),
    Case("hailfinder", 3, 1000),
    Case("nltcs.train", 3),
    Case("alarm", 3, 10_000),
    Case("plants.valid", 2),
    Case("plants.valid", 3),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--only", nargs="*", help="names of problems")
    parser.add_argument("--methods", nargs="*", default=["branch-and-cut"])
    parser.add_argument("--scip", action="store_true")
    arguments = parser.parse_args()
    print("| problem | variables | sets | method | score | gap, nats | nodes | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for case in CASES:
        if arguments.only is None or case.name in arguments.only:
            compare(case, arguments)


def compare(case: Case, arguments: argparse.Namespace) -> None:
    sets = case.load(arguments.data)
    for method in arguments.methods:
        started = time.perf_counter()
        result = find_network(
            sets,
            algorithm="exact",
            method=method,
            time_limit=arguments.seconds,
            seed=1,
            threads=1,
        )
        spent = time.perf_counter() - started
        assert result.bound is not None
        solved = Solved(result.score, result.bound, result.generations[0], spent)
        report(case, sets, method, solved)
    if arguments.scip:
        start = find_network(sets, time_limit=1.0, seed=1, threads=1)
        for local in (False, True):
            scip = solve_scip(sets, start, arguments.seconds, local=local)
            report(case, sets, f"SCIP, {'local cuts' if local else 'clusters'}", scip)


def report(case: Case, sets: ParentSets, method: str, solved: Solved) -> None:
    gap = max(0.0, solved.bound - solved.score)
    print(
        f"| {case.title} | {sets.n_variables} | {len(sets):,} | {method} | {solved.score:,.3f} "
        f"| {gap:.3f} | {solved.nodes:,} | {solved.seconds:.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
