"""How long does exact search take to prove that a network is the best?

    python benchmarks/exact.py --data DIR
    python benchmarks/exact.py --data DIR --only asia --methods dynamic branch-and-cut

DIR holds networks (alarm.bif, ...), from which tables are drawn, and tables
(nltcs.train.data, plants.valid.data), at any depth. They are scored with BDeu.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common.files import need_file

from forebear import Exact, find_network, read_fitted, score_parent_sets
from forebear.data.dataset import Dataset

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets


@dataclass(frozen=True)
class Case:
    """A table, drawn from a network or read from a file, and ``max_parents``."""

    name: str
    max_parents: int
    rows: int | None = None

    @property
    def title(self) -> str:
        rows = "" if self.rows is None else f", {self.rows:,} rows"
        return f"{self.name}{rows}, max_parents {self.max_parents}"

    def load(self, directory: Path) -> ParentSets:
        return score_parent_sets(self._table(directory), max_parents=self.max_parents)

    def _table(self, directory: Path) -> Dataset:
        if self.rows is None:
            return Dataset.read(need_file(directory, f"{self.name}.data"))
        network = read_fitted(need_file(directory, f"{self.name}.bif"))
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
    """Print one line per problem and method."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--time-limit", "--seconds", type=float, default=60.0, help="seconds for each problem"
    )
    names = list(dict.fromkeys(case.name for case in CASES))
    parser.add_argument("--only", nargs="+", choices=names, help="only these problems")
    parser.add_argument("--methods", nargs="+", default=["branch-and-cut"])
    arguments = parser.parse_args()
    print("| problem | variables | sets | method | score | gap, nats | nodes | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for case in CASES:
        if arguments.only is None or case.name in arguments.only:
            compare(case, arguments)


def compare(case: Case, arguments: argparse.Namespace) -> None:
    """Solve one problem with every method."""
    sets = case.load(arguments.data)
    for method in arguments.methods:
        started = time.perf_counter()
        result = find_network(
            sets,
            algorithm=Exact(method),
            time_limit=arguments.time_limit,
            seed=1,
            threads=1,
        )
        spent = time.perf_counter() - started
        assert result.bound is not None
        gap = max(0.0, result.bound - result.score)
        print(
            f"| {case.title} | {sets.n_variables} | {len(sets):,} | {method} "
            f"| {result.score:,.3f} | {gap:.3f} | {result.generations[0]:,} | {spent:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
