"""Scoring within a time limit: the largest size that is complete, and what is reported."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scoredsets import assert_identical
from tables import random_table
from watchers import Midway

from forebear import Dataset, ForebearWarning, ParentSets, score_parent_sets
from forebear._util.errors import TimeLimitError
from forebear.budget import Clock
from forebear.parentsets.coverage import coverage
from forebear.scoring import parts
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job, make_job
from forebear.scoring.score_job import score_in_time, score_job, sizes_to_score

HOUR = 3600.0


@pytest.fixture(scope="module")
def data() -> Dataset:
    """A table with enough variables that sets of one, two and three parents are scored in turn."""
    return random_table([2, 3] * 100, 40)


@pytest.fixture
def job(data: Dataset) -> Job:
    return make_job(data, max_parents=2, threads=2)


@pytest.mark.parametrize(
    ("n_variables", "max_parents", "sizes"),
    [
        (200, 3, [1, 2, 3]),
        (200, 1, [1]),
        (200, 0, [0]),
        (18, 6, [1, 2, 4, 6]),
        (13, 12, [1, 2, 4, 12]),
    ],
)
def test_sizes(n_variables: int, max_parents: int, sizes: list[int]) -> None:
    job = make_job(random_table([2] * n_variables, 5), max_parents=max_parents)
    assert sizes_to_score(job) == sizes


def test_required_parents_are_always_possible(data: Dataset) -> None:
    constraints = Constraints.make(data.n_variables, required={0: [1, 2]})
    job = make_job(data, max_parents=3, constraints=constraints)
    assert sizes_to_score(job) == [2, 3]


def test_the_largest_size_that_is_complete(job: Job) -> None:
    """The time is over once sets of one parent are scored."""
    clock = Clock(HOUR)
    sets = score_in_time(job, clock, watcher=Midway(clock.cancel))
    smaller = replace(job, max_parents=1)
    assert_identical(sets, score_job(smaller))
    assert sets.provenance == smaller.provenance


def test_no_size_is_complete(job: Job) -> None:
    clock = Clock(HOUR)
    clock.cancel()
    with pytest.raises(
        TimeLimitError,
        match=r"^the time limit of 60 min ended scoring before all sets of up to 1 parent were "
        r"scored: increase time_limit, or use fewer variables or rows$",
    ):
        score_in_time(job, clock)
    late = score_in_time(job, clock, after_limit=True)
    assert late.provenance["max_parents"] == 1


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_finished_variables_are_kept(
    job: Job, share: float, elsewhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever the time ends, each variable is known to be complete up to some size."""
    monkeypatch.setattr(parts, "PART_WORK", 1_000_000)
    clock = Clock(HOUR)
    executor = ThreadPoolExecutor(1) if elsewhere else None
    sets = score_in_time(job, clock, executor=executor, watcher=Midway(clock.cancel, share))
    whole = score_job(job)
    all_running = elsewhere and share == 0.9  # the executor may finish the last parts
    assert set(sets.complete) == {1, 2} or (all_running and set(sets.complete) == {2})
    for v, size in enumerate(sets.complete):
        found = {one.parents: one.score for one in sets.of(v)}
        every = {one.parents: one.score for one in whole.of(v)}
        assert found.items() <= every.items()
        assert {own for own in every if len(own) <= size} <= set(found)
    if set(sets.complete) == {1, 2}:
        assert "with up to 2 for" in coverage(sets.provenance, sets.n_variables, len(sets))


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Midway:
    """A watcher at whose first progress the time of ``score_parent_sets`` is over."""
    clock = Clock(HOUR)
    monkeypatch.setattr("forebear.learning.score_parent_sets.Clock", lambda _: clock)
    return Midway(clock.cancel)


@pytest.mark.parametrize("name", [None, "a.cps", "a.jkl"])
def test_score_parent_sets_returns_and_writes_them(
    data: Dataset, name: str | None, tmp_path: Path, ended: Midway
) -> None:
    path = None if name is None else tmp_path / name
    with pytest.warns(
        ForebearWarning,
        match=r"^the time limit ended the scoring of larger sets: the result has all of up to 1 "
        r"parent; for larger sets, increase time_limit$",
    ):
        sets = score_parent_sets(data, max_parents=2, time_limit=HOUR, path=path, watcher=ended)
    assert_identical(sets, score_job(make_job(data, max_parents=1)))
    assert (sets.provenance["max_parents"], sets.provenance["cut_short"]) == (1, True)
    if path is not None:
        assert sets.path == path
        assert_identical(ParentSets.load(path), sets)
    if name == "a.cps":
        assert ParentSets.load(tmp_path / "a.cps").provenance == sets.provenance


def test_finished_parts_are_kept(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sets of the smaller size are written; the same call continues with the largest."""
    monkeypatch.setattr(parts, "PART_WORK", 1_000_000)
    path = tmp_path / "a.cps"
    with monkeypatch.context() as patched:
        clock = Clock(HOUR)
        patched.setattr("forebear.learning.score_parent_sets.Clock", lambda _: clock)
        half = Midway(clock.cancel, 0.5)
        with pytest.warns(ForebearWarning, match="ended the scoring of larger sets"):
            sets = score_parent_sets(data, max_parents=2, time_limit=HOUR, path=path, watcher=half)
    assert sets.provenance["max_parents"] == ParentSets.load(path).provenance["max_parents"] == 1
    assert list(tmp_path.glob(".a.cps.*.parts/*.cps"))
    whole = score_parent_sets(data, max_parents=2, time_limit=HOUR, path=path)
    assert not list(tmp_path.glob(".a.cps.*"))
    assert np.array_equal(whole.scores, score_parent_sets(data, max_parents=2).scores)
