"""Scoring to a file part by part gives the same bytes, also after interruptions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from watchers import Midway, Recorder

from forebear import Dataset, LimitError, score_parent_sets, simulate
from forebear._util.machine import resident_bytes
from forebear.budget import Clock
from forebear.parentsets.cps import write_cps
from forebear.scoring import parts
from forebear.scoring.job import Job, make_job
from forebear.scoring.part_store import parts_folder
from forebear.scoring.score_job import score_job


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
    sets = score_job(job, spill=tmp_path / "a.cps", n_parts=n_parts, watcher=heard)
    assert (tmp_path / "a.cps").read_bytes() == whole(data, tmp_path / "b.cps")
    assert sets.path == tmp_path / "a.cps"
    assert heard.fractions[-1] == 1.0
    assert not parts_folder(tmp_path / "a.cps", job).exists()


def test_an_executor_fills_the_folder(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = make_job(data, max_parents=2)
    monkeypatch.setattr(parts, "PART_WORK", 1)
    kept: list[int] = []

    def look() -> None:
        kept.append(len(list(parts_folder(tmp_path / "a.cps", many).glob("*.cps"))))

    with ThreadPoolExecutor(2) as executor:
        sets = score_job(
            many, spill=tmp_path / "a.cps", executor=executor, watcher=Midway(look, 0.3)
        )
    assert sets.path == tmp_path / "a.cps"
    assert kept[0] > 1
    write_cps(score_job(many), tmp_path / "b.cps")
    assert (tmp_path / "a.cps").read_bytes() == (tmp_path / "b.cps").read_bytes()


def test_finished_parts_are_not_scored_again(data: Dataset, job: Job, tmp_path: Path) -> None:
    path = tmp_path / "a.cps"

    def give_up() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_job(job, spill=path, n_parts=5, watcher=Midway(give_up, 0.4))
    assert not path.exists()
    done = {file: file.stat().st_mtime_ns for file in parts_folder(path, job).glob("*.cps")}
    assert len(done) == 3

    def look() -> None:
        for file, written in done.items():
            assert file.stat().st_mtime_ns == written

    score_job(job, spill=path, n_parts=5, watcher=Midway(look, 0.8))
    assert path.read_bytes() == whole(data, tmp_path / "b.cps")


def test_parts_of_another_job_and_damaged_parts_are_scored_again(
    data: Dataset, job: Job, tmp_path: Path
) -> None:
    def give_up() -> None:
        raise KeyboardInterrupt

    for started in (make_job(data, max_parents=2), job):
        with pytest.raises(KeyboardInterrupt):
            score_job(started, spill=tmp_path / "a.cps", n_parts=3, watcher=Midway(give_up, 0.5))
        assert len(list(parts_folder(tmp_path / "a.cps", started).glob("*.cps"))) == 2
    part = parts_folder(tmp_path / "a.cps", job) / "3-6.cps"
    damaged = bytearray(part.read_bytes())
    damaged[-3] ^= 4
    part.write_bytes(damaged)
    score_job(job, spill=tmp_path / "a.cps", n_parts=3)
    assert [left.name for left in tmp_path.iterdir()] == ["a.cps"]
    assert (tmp_path / "a.cps").read_bytes() == whole(data, tmp_path / "b.cps")


def test_a_folder_without_parts_is_removed(job: Job, tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="0 of 3 parts are saved"):
        score_job(job, spill=tmp_path / "a.cps", n_parts=3, clock=Clock(1e-9))
    assert list(tmp_path.iterdir()) == []


def test_a_job_is_divided_if_memory_does_not_suffice(tmp_path: Path) -> None:
    """Without a file that is an error; with one, more and more parts are made until each fits."""
    job = make_job(simulate(40, 200, seed=2).data, score="ll", max_parents=3, threads=1)
    path = tmp_path / "a.cps"
    limit = resident_bytes() + 6_000_000  # of nearly 400,000 sets, which are all kept
    with pytest.raises(LimitError, match="scoring reached the memory limit"):
        score_job(job, max_memory=limit)
    sets = score_job(job, spill=path, max_memory=limit)
    assert sets.path == path
    write_cps(score_job(job), tmp_path / "b.cps")
    assert path.read_bytes() == (tmp_path / "b.cps").read_bytes()


@pytest.mark.parametrize("n_parts", [5, 3])
def test_two_runs_in_parts_at_once(data: Dataset, tmp_path: Path, n_parts: int) -> None:
    """The second one comes, and goes, while the first is half done."""
    path = tmp_path / "a.cps"
    job = make_job(data, max_parents=3)

    def another() -> None:
        score_job(job, spill=path, n_parts=n_parts)
        assert path.exists()

    score_job(job, spill=path, n_parts=5, watcher=Midway(another))
    write_cps(score_parent_sets(data, max_parents=3), tmp_path / "b.cps")
    assert path.read_bytes() == (tmp_path / "b.cps").read_bytes()
    assert sorted(left.name for left in tmp_path.iterdir()) == ["a.cps", "b.cps"]
