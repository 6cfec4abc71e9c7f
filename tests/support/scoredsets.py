"""Scored parent sets: compared with others, and with the definition of their score."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from hypothesis import strategies as st

from forebear import Dataset, ParentSets
from forebear.scoring.scores import SCORES, Score, as_score

TOLERANCE = 1e-9

PRIORS = st.sampled_from(["uniform", "sparse", 0.5, 0.1, 1e-9])


def scored_by(*names: str) -> st.SearchStrategy[str]:
    """Draw a score; a third of the time bdeu averaged over sizes, which has kernels of its own."""
    usual = st.sampled_from(names or sorted(SCORES))
    return st.one_of(usual, usual, st.just("bdeu auto"))


def score_of(name: str, prior: str | float = "uniform", ess: float | None = None) -> Score:
    """Return a score by its name in the brute-force versions."""
    kind, _, averaged = name.partition(" ")
    return as_score(kind, ess=averaged or ess, prior=prior)


def assert_same_sets(found: naive.ScoredSets, expected: naive.ScoredSets) -> None:
    """Compare up to rounding: sets that tie within it may be kept or not, in either order."""
    for mine, theirs in zip(found, expected, strict=True):
        ours, twins = {p: s for s, p in mine}, {p: s for s, p in theirs}
        for parents in ours.keys() & twins.keys():
            assert ours[parents] == pytest.approx(twins[parents], rel=TOLERANCE, abs=1e-8)
        for parents in ours.keys() ^ twins.keys():
            scores = ours if parents in ours else twins
            rivals = [
                score
                for rival, score in scores.items()
                if set(rival) < set(parents) and math.isclose(score, scores[parents], abs_tol=1e-8)
            ]
            assert rivals, f"{parents} is kept by one of the two only, and ties with nothing"
        assert mine == naive.best_first(mine)


def assert_identical(one: ParentSets, other: ParentSets) -> None:
    """The same names and arrays, to the bit."""
    assert one.names == other.names
    for name in ("offsets", "scores", "parents"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        assert mine.tobytes() == theirs.tobytes(), name


def assert_by_definition(
    sets: ParentSets, data: Dataset, score: str | Score = "bdeu", count: int | None = None
) -> None:
    """Every set that is allowed, or some at random, has the score of the definition in NumPy."""
    definition = as_score(score)
    columns = np.flatnonzero(np.isfinite(sets.scores))
    if count is not None and count < len(columns):
        columns = np.random.default_rng(0).choice(columns, count, replace=False)
    for column in columns.tolist():
        v = int(np.searchsorted(sets.offsets, column, side="right")) - 1
        parents = [int(p) for p in sets.parents[:, column] if p != sets.none]
        expected = definition.local(data, v, parents)
        assert sets.scores[column] == pytest.approx(expected, rel=1e-11, abs=1e-8)
