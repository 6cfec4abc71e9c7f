"""AllSets: all parent sets of few variables are scored in one slice, if counts allow it."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoredsets import assert_same_sets

from forebear import _core, simulate
from forebear.data.dataset import Dataset
from forebear.parentsets.collection import ParentSets
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
from forebear.search.chain import Solution
from forebear.search.source_queue import SourceQueue

NO_LIMIT = _core.Budget(None)
MEMORY = 1 << 40


def first_slice(
    data: Dataset, max_parents: list[int], memory: int = MEMORY, **more: Any
) -> tuple[SourceQueue, ParentSets | None]:
    """Return the sources of a table after their first slice, without any credit."""
    job = make_job(data, max_parents=1, **more)
    sets = score_job(job)
    empty = (sets.counts - 1).astype(np.int32)
    order = np.arange(data.n_variables, dtype=np.int32)
    queue = SourceQueue.over(job, max_parents, memory)
    found = queue.score_slice(sets, Solution(0.0, order, sets, empty), NO_LIMIT)
    return queue, found


@given(st.integers(3, 8), st.integers(2, 80), st.integers(0, 10**6), st.sampled_from([2, 3, 7]))
@settings(max_examples=25, deadline=None)
def test_all_sets_up_to_a_limit(n: int, rows: int, seed: int, limit: int) -> None:
    data = simulate(n, rows, states=(2, 3), seed=seed).data
    most = min(limit, n - 1)
    queue, found = first_slice(data, [most] * n)
    assert found is not None
    assert_same_sets(
        naive.as_lists(found), naive.as_lists(score_job(make_job(data, max_parents=most)))
    )
    assert queue.scored.tolist() == [most] * n
    assert queue.exhausted
    assert not queue.dropped


def test_limits_of_single_variables_hold() -> None:
    data = simulate(9, 200, max_parents=4, seed=1).data
    _, found = first_slice(data, [1, 2, *[5] * 7])
    assert found is not None
    sizes = [max(len(one.parents) for one in found.of(v)) for v in range(9)]
    assert sizes[0] <= 1
    assert sizes[1] <= 2
    assert max(sizes) > 2


@pytest.mark.parametrize(("n", "memory"), [(20, MEMORY), (12, 0)])
def test_other_sources_come_first_with_many_variables_or_little_memory(n: int, memory: int) -> None:
    queue, found = first_slice(simulate(n, 100, seed=1).data, [3] * n, memory)
    assert found is None
    assert queue.scored.tolist() == [0] * n
    assert queue.index == 1  # pairs wait for their credit
