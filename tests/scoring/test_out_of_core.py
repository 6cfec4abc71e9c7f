"""Scoring to a file, part by part: the same bytes, whatever happens on the way."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from watchers import Midway, Recorder

from forebear import Dataset, Knowledge, LimitError, score_parent_sets, simulate
from forebear.budget import Clock
from forebear.parentsets.cps import write_cps
from forebear.scoring.constraints import Constraints
from forebear.scoring.cost import Cost, Limits
from forebear.scoring.job import make_job
from forebear.scoring.out_of_core import choose_parts, score_to_file
from forebear.scoring.partfolder import parts_folder

if TYPE_CHECKING:
    from pathlib import Path

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
        assert (folder / "1.json").exists()
    scores = folder / "1.scores.npy"
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


def test_choosing_parts(job: Job) -> None:
    little = Cost(families=1, parent_sets=1000, bytes=0, seconds=0.1)
    long = Cost(families=1, parent_sets=1000, bytes=0, seconds=500.0)
    large = Cost(families=1, parent_sets=10**9, bytes=0, seconds=1.0)
    limits = Limits(4_000_000_000, None)
    assert choose_parts(job, limits, little) == 1
    assert choose_parts(job, limits, long) == 25
    assert choose_parts(job, limits, large) > 5
    with pytest.raises(LimitError, match="leaves no memory to score in"):
        choose_parts(job, Limits(1000, None), little)


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
