"""Scoring to a file, part by part: the same bytes, whatever happens on the way."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tables import random_table
from watchers import Midway, Recorder

from forebear import Dataset, Knowledge, LimitError, score_parent_sets, simulate
from forebear._util.machine import resident_bytes
from forebear.budget import Clock
from forebear.parentsets.cps import write_cps
from forebear.scoring import dispatch, out_of_core
from forebear.scoring.constraints import Constraints
from forebear.scoring.dispatch import score_job
from forebear.scoring.footprint import kept_bytes, out_of_memory, walk_bytes
from forebear.scoring.job import make_job
from forebear.scoring.out_of_core import parts_by_memory, parts_by_work, score_to_file
from forebear.scoring.partfolder import parts_folder

if TYPE_CHECKING:
    from pathlib import Path

    from forebear import ParentSets, Watcher
    from forebear.scoring.job import Job


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(25, 300, max_parents=3, seed=2).data


@pytest.fixture
def job(data: Dataset) -> Job:
    return make_job(data, max_parents=3, threads=2)


def whole(data: Dataset, path: Path) -> bytes:
    write_cps(score_parent_sets(data, max_parents=3), path)
    return path.read_bytes()


@pytest.mark.parametrize("n_parts", [1, 2, 5, 30])
def test_the_same_bytes(data: Dataset, job: Job, tmp_path: Path, n_parts: int) -> None:
    heard = Recorder()
    sets = score_to_file(job, tmp_path / "a.cps", n_parts=n_parts, watcher=heard)
    assert (tmp_path / "a.cps").read_bytes() == whole(data, tmp_path / "b.cps")
    assert sets.path == tmp_path / "a.cps"
    assert heard.fractions[-1] == 1.0
    assert not parts_folder(tmp_path / "a.cps").exists()


def test_constraints_and_limits(data: Dataset, tmp_path: Path) -> None:
    arcs: dict[str, Any] = {"required": {3: [1]}, "forbidden": {0: [1, 2]}}
    constraints = Constraints.make(data.names, **arcs)
    job = make_job(data, max_parents=3, max_sets_per_variable=20, constraints=constraints)
    sets = score_to_file(job, tmp_path / "a.cps", n_parts=4)
    same = score_parent_sets(
        data, max_parents=3, max_sets_per_variable=20, knowledge=Knowledge(**arcs)
    )
    for name in ("offsets", "scores", "parents"):
        assert np.array_equal(getattr(sets, name), getattr(same, name))


def test_what_was_done_is_not_done_again(
    data: Dataset, job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["forebear.scoring.out_of_core"]
    scored: list[range] = []
    usual = module.score_part

    def fails_at_the_third(job: Job, part: range, **limits: float) -> object:
        if len(scored) == 2:
            raise KeyboardInterrupt
        scored.append(part)
        return usual(job, part, **limits)

    monkeypatch.setattr(module, "score_part", fails_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        score_to_file(job, tmp_path / "a.cps", n_parts=5)
    assert not (tmp_path / "a.cps").exists()
    again: list[range] = []

    def counts(job: Job, part: range, **limits: float) -> object:
        again.append(part)
        return usual(job, part, **limits)

    monkeypatch.setattr(module, "score_part", counts)
    score_to_file(job, tmp_path / "a.cps", n_parts=5)
    assert len(again) == 3
    assert not set(scored) & set(again)
    assert (tmp_path / "a.cps").read_bytes() == whole(data, tmp_path / "b.cps")


def test_parts_of_another_job_or_damaged_are_done_again(
    data: Dataset, job: Job, tmp_path: Path
) -> None:
    folder = parts_folder(tmp_path / "a.cps")

    def give_up() -> None:
        raise KeyboardInterrupt

    for started in (make_job(data, max_parents=2), job):
        with pytest.raises(KeyboardInterrupt):
            score_to_file(started, tmp_path / "a.cps", n_parts=3, watcher=Midway(give_up, 0.5))
        assert len(list(folder.glob("[0-9]*.json"))) == 2
    scores = folder / "3-6.scores.npy"
    damaged = bytearray(scores.read_bytes())
    damaged[-3] ^= 4
    scores.write_bytes(damaged)
    score_to_file(job, tmp_path / "a.cps", n_parts=3)
    assert not folder.exists()
    assert (tmp_path / "a.cps").read_bytes() == whole(data, tmp_path / "b.cps")


def test_what_has_no_part_leaves_nothing(job: Job, tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="0 of 3 parts are done"):
        score_to_file(job, tmp_path / "a.cps", n_parts=3, clock=Clock(1e-9))
    assert list(tmp_path.iterdir()) == []


def test_parts_by_work(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parts_by_work(job) == 1
    monkeypatch.setattr(out_of_core, "PART_WORK", 1)
    assert parts_by_work(job) == 1  # each part would repeat an eighth of the work
    many = make_job(random_table([2] * 200, 10), max_parents=2)
    assert 20 < parts_by_work(many) < 30  # each would repeat a hundredth
    monkeypatch.setattr(out_of_core, "PART_WORK", many.work * 10 // 4)
    assert parts_by_work(many) == 4


def test_parts_by_memory(job: Job) -> None:
    assert parts_by_memory(job, 10**12) == 1
    room = resident_bytes() + walk_bytes(job)
    needed = kept_bytes(job, job.constraints.families(3))
    assert 3 <= parts_by_memory(job, room + needed // 2) <= 4
    assert parts_by_memory(job, resident_bytes()) > 10  # as many as there can be


def test_parts_come_when_memory_ends(
    data: Dataset, job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that keeps few of its sets fits though all of them would not."""
    path = tmp_path / "a.cps"
    monkeypatch.setattr(dispatch, "parts_by_memory", lambda *_: 4)
    assert score_job(job, spill=path).path is None

    def full(_: Job, clock: Clock, byte_limit: int, watcher: Watcher) -> ParentSets:
        raise out_of_memory(byte_limit)

    monkeypatch.setattr(dispatch, "score_in_memory", full)
    with pytest.raises(LimitError, match="scoring reached the memory limit"):
        score_job(job)
    assert score_job(job, spill=path).path == path
    monkeypatch.undo()
    assert path.read_bytes() == whole(data, tmp_path / "b.cps")
    monkeypatch.setattr(dispatch, "score_in_memory", full)
    monkeypatch.setattr(dispatch, "parts_by_memory", lambda *_: 1)
    with pytest.raises(LimitError, match="scoring reached the memory limit"):
        score_job(job, spill=path)


def test_a_part_that_does_not_fit(job: Job, tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="scoring reached the memory limit of 1 kB"):
        score_to_file(job, tmp_path / "a.cps", n_parts=3, byte_limit=1000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("n_parts", [5, 3])
def test_two_runs_in_parts_at_once(data: Dataset, tmp_path: Path, n_parts: int) -> None:
    """The second one comes, and goes, while the first is half done."""
    path = tmp_path / "a.cps"
    job = make_job(data, max_parents=3)

    def another() -> None:
        score_to_file(job, path, n_parts=n_parts)
        assert path.exists()

    score_to_file(job, path, n_parts=5, watcher=Midway(another))
    write_cps(score_parent_sets(data, max_parents=3), tmp_path / "b.cps")
    assert path.read_bytes() == (tmp_path / "b.cps").read_bytes()
    assert sorted(left.name for left in tmp_path.iterdir()) == ["a.cps", "b.cps"]
