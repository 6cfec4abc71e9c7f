"""restrict_candidates(): the best single parents are kept, and nothing else changes."""

from __future__ import annotations

import naive
import numpy as np
import pytest

from forebear import Dataset, ForebearError, Knowledge, LimitError, score_parent_sets, simulate
from forebear.scoring.candidates import best_candidates, restrict_candidates
from forebear.scoring.job import make_job


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(30, 500, max_parents=3, seed=2).data


@pytest.mark.parametrize("most", [1, 3, 8])
def test_candidates_have_the_best_single_scores(data: Dataset, most: int) -> None:
    singles = score_parent_sets(data, max_parents=1)
    sets = score_parent_sets(data, max_parents=3, max_candidates=most)
    assert sets.provenance["max_candidates"] == most
    for v in range(30):
        best = [s.parents[0] for s in singles.of(v) if s.parents][:most]
        seen = {p for s in sets.of(v) for p in s.parents}
        assert seen <= set(best)
        assert best[:1] == [s.parents[0] for s in sets.of(v) if len(s.parents) == 1][:1]


def test_required_parents_stay(data: Dataset) -> None:
    worst = [s.parents[0] for s in score_parent_sets(data, max_parents=1).of(0) if s.parents]
    others = [v for v in range(1, 30) if v not in worst]
    known = Knowledge(required={0: [others[0]]})
    sets = score_parent_sets(data, max_parents=2, max_candidates=2, knowledge=known)
    assert all(others[0] in s.parents for s in sets.of(0) if s.score > -np.inf)


def test_enough_candidates_change_nothing(data: Dataset) -> None:
    job = make_job(data, max_parents=2)
    assert restrict_candidates(job, 29) is job
    with pytest.raises(ForebearError, match="max_candidates must be at least 1, got 0"):
        restrict_candidates(job, 0)
    with pytest.raises(LimitError, match="ended scoring before all sets of up to 1 parent"):
        restrict_candidates(job, 3, seconds=0.0)


def test_candidates_are_of_the_best_sets() -> None:
    data = simulate(12, 500, max_parents=3, seed=3).data
    sets = score_parent_sets(data, max_parents=2)
    for v, scored in enumerate(naive.as_lists(sets)):
        seen = list(dict.fromkeys(p for _, own in scored for p in own))
        assert best_candidates(sets, v, 4).tolist() == seen[:4]
