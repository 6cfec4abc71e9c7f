"""Does the score of the result depend on the order of rows or columns, on names, or on the seed?

    python benchmarks/invariance.py --data DIR
    python benchmarks/invariance.py --data DIR --only wdbc soybean --generations 50

DIR holds the tables and networks that README.md lists, at any depth. Every table is learned from as
it is, with its rows in another order, with its columns in another order, with the states of every
column in another order and under other names, and with other seeds, each for the same number of
generations on one thread. Prints one line per table: by how many nats each result scores less than
the best of them, "same" for less than a thousandth.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from common.files import find_file, need_file
from common.tables import shuffled

from forebear import Dataset, learn, read_fitted

TABLES = (
    "autos",
    "lung-cancer",
    "mushroom",
    "parkinsons",
    "sensors",
    "soybean",
    "spectf",
    "sponge",
    "steel",
    "wdbc",
    "audio-train",
    "jester-train",
    "nltcs.train",
    "plants.valid",
    "dna.train",
)
NETWORKS = ("child", "insurance", "alarm", "hailfinder", "hepar2")
ROWS = 1_000
SAME = 1e-3  # nats


def load(name: str, directory: Path) -> Dataset:
    """Read a table, or draw one from a network."""
    if name in NETWORKS:
        return read_fitted(need_file(directory, f"{name}.bif")).sample(ROWS, seed=1)
    path = find_file(directory, f"{name}.csv") or need_file(directory, f"{name}.data")
    return Dataset.read(path)


def with_other_states(data: Dataset, rng: np.random.Generator) -> Dataset:
    """Permute the states of every column, and give them other names."""
    codes = [rng.permutation(r)[row] for r, row in zip(data.arities, data.codes, strict=True)]
    states = tuple(tuple(f"state {i}" for i in range(r)) for r in data.arities)
    return Dataset(codes=np.array(codes), names=data.names, states=states)


def variants(data: Dataset, seed: int) -> Iterator[tuple[str, Dataset, int]]:
    """Yield the table in other forms, each with the seed to learn with."""
    rng = np.random.default_rng(seed)
    rows = data.codes[:, rng.permutation(data.n_rows)]
    yield "as it is", data, seed
    yield "rows", Dataset(codes=rows, names=data.names, states=data.states), seed
    yield "states", with_other_states(data, rng), seed
    yield "columns", shuffled(data, rng), seed
    yield "columns again", shuffled(data, rng), seed
    yield "seed", data, seed + 1
    yield "seed again", data, seed + 2


def main() -> None:
    """Print one line per table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [*TABLES, *NETWORKS]
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", nargs="+", choices=names, metavar="TABLE", default=names)
    parser.add_argument("--generations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for place, name in enumerate(options.only):
        scores = {
            variant: learn(
                table,
                score="bdeu",
                prior="uniform",
                generations=options.generations,
                seed=seed,
                threads=1,
                certify=False,
                cache=False,
            ).score
            for variant, table, seed in variants(load(name, options.data), options.seed)
        }
        if place == 0:
            print("| table | best score | " + " | ".join(scores) + " |")
            print("|---" * (len(scores) + 2) + "|")
        best = max(scores.values())
        cells = ["same" if best - s < SAME else f"{s - best:.3f}" for s in scores.values()]
        print(f"| {name} | {best:,.3f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
