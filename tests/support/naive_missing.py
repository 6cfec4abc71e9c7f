"""Brute-force scores of tables with missing values, written from the definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection

import naive
import naive_scores
import numpy as np
from naive import Parents, ScoredSets

from forebear.data.dataset import Dataset

PENALIZED_BY_ALL_ROWS = ("bic", "qnml")


def with_missing(
    data: Dataset, missing: Collection[tuple[int, int]], way: str = "available"
) -> Dataset:
    """Remove the values at these (variable, row) places."""
    codes = data.codes.astype(np.int64)
    for v, row in missing:
        codes[v % data.n_variables, row % data.n_rows] = data.arities[v % data.n_variables]
    return Dataset(codes, data.names, data.states, missing=way)  # type: ignore[arg-type]


def random_missing(data: Dataset, share: float, way: str = "available", seed: int = 0) -> Dataset:
    """Remove a share of the values at random."""
    missing = np.random.default_rng(seed).random(data.codes.shape) < share
    codes = np.where(missing, data.arities[:, np.newaxis], data.codes)
    return Dataset(codes, data.names, data.states, missing=way)  # type: ignore[arg-type]


def value(data: Dataset, child: int, parents: Parents, score: str) -> float:
    """Return the value of a family: each parent must pay for itself where all are observed."""
    rows = _observed(data, (child, *parents))
    if not rows:
        return -math.inf if parents else 0.0
    scale = data.n_rows / len(rows)
    own = _score_on(data, rows, child, parents, score)
    if not parents:
        return 0.0 if score == "mit" else scale * own
    found = []
    for parent in parents:
        fewer = tuple(p for p in parents if p != parent)
        gain = own - _score_on(data, rows, child, fewer, score)
        found.append(value(data, child, fewer, score) + scale * gain)
    return min(found)


def parent_sets(
    data: Dataset, max_parents: int, score: str, prior: str | float = "uniform"
) -> ScoredSets:
    """Score all sets, drop those that a subset beats, and rank the others.

    The prior is added to the value of a family, so gains are compared without it.
    """
    priors = [naive_scores.log_prior(prior, data.n_variables, k) for k in range(max_parents + 1)]
    result = []
    for child in range(data.n_variables):
        sets = naive.allowed_sets(data.n_variables, child, max_parents)
        scored = [
            (value(data, child, parents, score) + priors[len(parents)], parents) for parents in sets
        ]
        possible = [one for one in scored if one[0] > -math.inf]
        result.append(naive.best_first(naive.drop_dominated(possible)))
    return result


def _observed(data: Dataset, members: Collection[int]) -> list[int]:
    return [
        row
        for row in range(data.n_rows)
        if all(data.codes[v, row] < data.arities[v] for v in members)
    ]


def _score_on(
    data: Dataset, rows: Collection[int], child: int, parents: Parents, score: str
) -> float:
    """Score a family on some rows; BIC and qNML have the penalty of all rows."""
    cells = Counter(
        (tuple(int(data.codes[p, row]) for p in parents), int(data.codes[child, row]))
        for row in rows
    )
    configurations: Counter[tuple[int, ...]] = Counter()
    for (configuration, _), count in cells.items():
        configurations[configuration] += count
    family = naive_scores.Family(
        rows=data.n_rows if score in PENALIZED_BY_ALL_ROWS else len(rows),
        child_arity=int(data.arities[child]),
        parent_arities=tuple(int(data.arities[p]) for p in parents),
        cells=cells,
        configurations=configurations,
    )
    return naive_scores.SCORES[score](family)
