"""Scoring in parts gives the same bytes as one run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets

from forebear import Dataset, simulate
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import ScoringRun, make_job
from forebear.scoring.parts import merge, score_part, split
from forebear.scoring.scores import SCORES


def blank(n: int) -> Dataset:
    return Dataset(np.zeros((n, 2), np.uint8), tuple(map(str, range(n))), (("0", "1"),) * n)


def assert_same_as_whole(data: Dataset, n_parts: int, **settings: object) -> None:
    job = make_job(data, threads=2, **settings)  # type: ignore[arg-type]
    whole = ScoringRun(job)
    assert whole.run() == "done"
    merged = merge(job, [score_part(job, part) for part in split(job, n_parts)])
    for one, other in zip(whole.arrays(), merged, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert np.array_equal(one, other)


@given(datasets(), st.integers(1, 6), st.integers(0, 4), st.sampled_from(sorted(SCORES)))
def test_any_table(data: Dataset, n_parts: int, max_parents: int, score: str) -> None:
    assert_same_as_whole(data, n_parts, max_parents=max_parents, score=score)


KNOWN = Constraints.make(30, required={3: [1], 5: [2, 4]}, forbidden={0: [1, 2], 7: [8]})


@pytest.mark.parametrize("n_parts", [1, 3, 7, 40])
@pytest.mark.parametrize("most", [None, 1, 5])
@pytest.mark.parametrize("constraints", [None, KNOWN])
def test_more_variables(n_parts: int, most: int | None, constraints: Constraints | None) -> None:
    data = simulate(30, 200, max_parents=3, seed=2).data
    settings: dict[str, Any] = {"max_sets_per_variable": most, "constraints": constraints}
    assert_same_as_whole(data, n_parts, max_parents=3, **settings)


@given(st.integers(1, 60), st.integers(0, 4), st.integers(1, 70))
def test_parts_cover_all_variables_once(n: int, max_parents: int, n_parts: int) -> None:
    data = blank(n)
    cuts = split(make_job(data, max_parents=max_parents), n_parts)
    assert [v for part in cuts for v in part] == list(range(n))
    assert len(cuts) <= max(1, n_parts)
