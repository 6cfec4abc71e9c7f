"""How many BDeu local scores a second other libraries compute, one thread.

Run it with a data file of comma-separated state codes::

    python benchmarks/peers_scoring.py audio-train.data --seconds 10
"""

from __future__ import annotations

import argparse
import random
import time
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear.data.dataset import Dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

N_PARENTS = 3
# More than any of the libraries gets through, so that nobody runs out of families.
FAMILIES_PER_SECOND = 20_000

# The names of a child and of its parents.
NamedFamily = tuple[str, list[str]]


class Rate(NamedTuple):
    """What a library, in one version, did."""

    library: str
    version: str
    families_per_second: float


def _random_families(dataset: Dataset, seconds: float) -> list[NamedFamily]:
    """Draw families, none of them twice, so that no library's cache of scores helps it."""
    rng = random.Random(1)
    names = dataset.names
    families = {}
    for _ in range(int(seconds * FAMILIES_PER_SECOND)):
        child, *parents = rng.sample(names, 1 + N_PARENTS)
        families[child, frozenset(parents)] = (child, parents)
    return list(families.values())


def _families_per_second(
    score: Callable[[str, list[str]], object], families: Iterable[NamedFamily], seconds: float
) -> float:
    done = 0
    start = time.perf_counter()
    elapsed = 0.0
    for child, parents in families:
        score(child, parents)
        done += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            break
    return done / elapsed


def pgmpy_families_per_second(dataset: Dataset, seconds: float) -> Rate:
    """Time pgmpy's ``BDeu.local_score``, on integers: it is slower on strings and categories."""
    pandas = import_module("pandas")
    scorer = import_module("pgmpy.structure_score").BDeu(
        pandas.DataFrame(dataset.codes.T.astype(np.int64), columns=list(dataset.names)),
        equivalent_sample_size=1,
        state_names={
            name: list(range(len(states)))
            for name, states in zip(dataset.names, dataset.states, strict=True)
        },
    )
    rate = _families_per_second(
        lambda child, parents: scorer.local_score(child, tuple(parents)),
        _random_families(dataset, seconds),
        seconds,
    )
    return Rate("pgmpy", version("pgmpy"), rate)


def pyagrum_families_per_second(dataset: Dataset, seconds: float) -> Rate:
    """Time pyAgrum's ``BNLearner.score`` with its BDeu, whose sample size is 1."""
    pandas = import_module("pandas")
    pyagrum = import_module("pyagrum")
    template = pyagrum.BayesNet()
    for name, states in zip(dataset.names, dataset.states, strict=True):
        template.add(pyagrum.LabelizedVariable(name, name, list(states)))
    frame = pandas.DataFrame(
        {
            name: np.array(dataset.states[v], dtype=object)[dataset.codes[v]]
            for v, name in enumerate(dataset.names)
        }
    )
    learner = pyagrum.BNLearner(frame, template)
    learner.setNumberOfThreads(1)
    learner.useScoreBDeu()
    learner.useNoPrior()
    rate = _families_per_second(learner.score, _random_families(dataset, seconds), seconds)
    return Rate("pyAgrum", version("pyagrum"), rate)


def read_codes(path: Path) -> Dataset:
    """Read comma-separated codes, one row a line; the states are 0 to the largest code."""
    codes = np.ascontiguousarray(np.loadtxt(path, delimiter=",", dtype=np.uint8, ndmin=2).T)
    return Dataset(
        codes=codes,
        names=tuple(f"X{v}" for v in range(len(codes))),
        states=tuple(tuple(map(str, range(int(column.max()) + 1))) for column in codes),
    )


def main() -> None:
    """Print a line for each library."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", help="comma-separated state codes, one row a line")
    parser.add_argument("--seconds", type=float, default=10.0, help="time for each library")
    options = parser.parse_args()
    dataset = read_codes(options.data)
    for measure in (pgmpy_families_per_second, pyagrum_families_per_second):
        rate = measure(dataset, options.seconds)
        print(f"{rate.library:8} {rate.version:8} {rate.families_per_second:10.0f} families/s")


if __name__ == "__main__":
    main()
