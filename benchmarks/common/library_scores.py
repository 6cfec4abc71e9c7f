"""How many BDeu local scores a second other libraries compute on one thread, for ``scoring.py``."""

from __future__ import annotations

import random
import time
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from common.library_searches import pyagrum_learner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from forebear.data.dataset import Dataset

N_PARENTS = 3
# More than any of the libraries scores, so that none runs out of families.
FAMILIES_PER_SECOND = 20_000

# The names of a child and of its parents.
NamedFamily = tuple[str, list[str]]


class Rate(NamedTuple):
    """The rate of one version of a library."""

    library: str
    version: str
    families_per_second: float


def _random_families(dataset: Dataset, seconds: float) -> list[NamedFamily]:
    """Draw distinct families, so that a cache of scores does not help."""
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
    learner = pyagrum_learner(dataset)
    rate = _families_per_second(learner.score, _random_families(dataset, seconds), seconds)
    return Rate("pyAgrum", version("pyagrum"), rate)
