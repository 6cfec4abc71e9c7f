"""How many more directions are found if the table states which values were set by intervention?

    python benchmarks/experiments.py --networks DIR
    python benchmarks/experiments.py --networks DIR --only asia --seeds 2

DIR holds networks with probabilities (asia.bif, ...). Half of the --rows are observed. The others
are divided among experiments, in each of which one random variable is set to a random state; the
number of experiments is a share of the number of variables. The same table is learned from twice:
with and without the information about what was set (``intervened``). "observed" is a table of the
same size without experiments.

F1 is that of the arcs: the directions that data cannot determine are those of the network found.
The last columns count directed edges of the CPDAG only, as means per network: those that are arcs
of the true network, those that have the opposite direction, and those between other variables.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common.files import need_file

from forebear import BDeu, Dataset, FittedNetwork, compare_networks, learn, read_fitted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

METHODS = ("observed", "ignored", "intervened")


@dataclass(frozen=True)
class Run:
    """One network learned from one table."""

    arc_f1: float
    skeleton_f1: float
    right: int
    reversed: int
    no_arc: int


def simulate_experiments(
    true: FittedNetwork, n_experiments: int, rows: int, rng: np.random.Generator
) -> Dataset:
    """Draw observed rows, and as many in experiments; the columns are in random order."""
    n = true.n_variables
    targets = rng.choice(n, n_experiments, replace=False).tolist()
    drawn = [true.sample(rows - rows // 2, rng).codes]
    masks = [np.zeros(drawn[0].shape, dtype=np.bool_)]
    for part, target in enumerate(targets):
        size = (part + 1) * (rows // 2) // n_experiments - part * (rows // 2) // n_experiments
        tables = list(true.tables)
        tables[target] = np.full(tables[target].shape, 1 / len(true.states[target]))
        changed = FittedNetwork(true.network, true.states, tuple(tables))
        drawn.append(changed.sample(size, rng).codes)
        masks.append(np.zeros(drawn[-1].shape, dtype=np.bool_))
        masks[-1][target] = True
    codes, mask = np.concatenate(drawn, axis=1), np.concatenate(masks, axis=1)
    data = Dataset(codes, true.network.names, true.states, intervened=mask)
    # Files often list parents first, which is a hint.
    return data.select(rng.permutation(n).tolist())


def table_of(method: str, true: FittedNetwork, n_experiments: int, rows: int, seed: int) -> Dataset:
    """Return the table that a method learns from."""
    rng = np.random.default_rng(seed)
    if method == "observed":
        data = true.sample(rows, rng)
        return data.select(rng.permutation(data.n_variables).tolist())
    data = simulate_experiments(true, n_experiments, rows, rng)
    return data if method == "intervened" else replace(data, intervened=None)


def run(method: str, true: FittedNetwork, n_experiments: int, rows: int, seed: int) -> Run:
    """Learn from one table, and compare with the true network."""
    data = table_of(method, true, n_experiments, rows, seed)
    learned = learn(
        data, score=BDeu(1.0), generations=20, seed=seed, threads=1, certify=False, cache=False
    ).network
    found = compare_networks(learned, true)
    directed, arcs = learned.cpdag().directed_names, set(true.network.arc_names)
    right = sum(arc in arcs for arc in directed)
    turned = sum(arc[::-1] in arcs for arc in directed)
    return Run(found.arc_f1, found.skeleton_f1, right, turned, len(directed) - right - turned)


def run_all(options: argparse.Namespace) -> Iterator[tuple[tuple[str, int, str], Run]]:
    """Learn from every table, the first network first."""
    for name in options.only:
        true = read_fitted(need_file(options.networks, f"{name}.bif"))
        for share in options.shares:
            n_experiments = max(1, round(share * true.n_variables))
            for method in METHODS:
                if method == "observed" and share != options.shares[0]:
                    continue  # the same for all
                shown = 0 if method == "observed" else n_experiments
                for seed in range(1, options.seeds + 1):
                    done = run(method, true, n_experiments, options.rows, seed)
                    yield (name, shown, method), done


def print_means(runs: dict[tuple[str, int, str], Sequence[Run]], networks: Path) -> None:
    """Print a line per network, number of experiments and method."""
    columns = ["network", "arcs", "experiments", "table", "F1 of arcs", "F1 of skeleton"]
    columns += ["right", "reversed", "no arc"]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for (name, n_experiments, method), own in runs.items():
        arcs = len(read_fitted(need_file(networks, f"{name}.bif")).network.arcs)
        mean = {
            field: statistics.fmean(getattr(one, field) for one in own)
            for field in ("arc_f1", "skeleton_f1", "right", "reversed", "no_arc")
        }
        print(
            f"| {name} | {arcs} | {n_experiments} | {method} | {mean['arc_f1']:.2f} | "
            f"{mean['skeleton_f1']:.2f} | {mean['right']:.1f} | {mean['reversed']:.1f} | "
            f"{mean['no_arc']:.1f} |"
        )


def main() -> None:
    """Learn, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--networks", type=Path, required=True, metavar="DIR", help=".bif files")
    parser.add_argument("--only", nargs="+", default=["asia", "child", "alarm"])
    parser.add_argument("--shares", type=float, nargs="+", default=[0.25, 0.5, 1.0])
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--seeds", type=int, default=10)
    runs: dict[tuple[str, int, str], list[Run]] = defaultdict(list)
    options = parser.parse_args()
    for key, one in run_all(options):
        runs[key].append(one)
    print_means(dict(runs), options.networks)


if __name__ == "__main__":
    main()
