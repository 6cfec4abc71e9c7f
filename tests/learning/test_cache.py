"""Cache: several runs that share one, and a cache that changes during a run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forebear import Dataset, ForebearError, Result, learn, simulate
from forebear._util.watcher import Watcher
from forebear.data.writing import write_table
from forebear.learning.cache import Cache, CacheSize, as_cache
from forebear.scoring.job import Job, make_job
from forebear.scoring.score_job import score_job


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(20, 300, max_parents=3, seed=2).data


@pytest.mark.slow
def test_two_commands_on_one_cache(data: Dataset, tmp_path: Path) -> None:
    write_table(data, tmp_path / "table.csv")
    learn_it = "learn table.csv --max-parents 3 --generations 5 --seed 1 --threads 1 --quiet -o"
    command = [sys.executable, "-m", "forebear", *learn_it.split()]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    running = [
        subprocess.Popen([*command, f"{k}.json"], cwd=tmp_path, env=environment) for k in range(2)
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    results = [Result.load(tmp_path / f"{k}.json") for k in range(2)]
    assert results[0].network == results[1].network
    assert len(list((tmp_path / "cache" / "forebear").iterdir())) == 1


def _delete(file: Path) -> None:
    file.unlink()


def _replace(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"something else")
    other.replace(file)


class Saboteur(Watcher):
    """Does something to the cache as soon as the search begins."""

    def __init__(self, folder: Path, harm: Callable[[Path], None]) -> None:
        self.folder = folder
        self.harm = harm

    def searching(self, seconds: float | None) -> None:
        del seconds
        for file in self.folder.glob("*.cps"):
            self.harm(file)


@pytest.mark.parametrize("harm", [_delete, _replace])
def test_a_cache_that_changes_during_a_search(
    harm: Callable[[Path], None], data: Dataset, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"max_parents": 2, "generations": 5, "seed": 1}
    whole = learn(data, cache=False, **settings)
    learn(data, cache=tmp_path, **settings)
    again = learn(data, cache=tmp_path, watcher=Saboteur(tmp_path, harm), **settings)
    assert again.network == whole.network
    assert again.score == whole.score


def jobs(data: Dataset, count: int) -> list[Job]:
    """Jobs of one table by different scores."""
    return [make_job(data, score=name, max_parents=1) for name in ("bdeu", "bic", "k2")[:count]]


def test_least_recently_used_files_are_removed_first(data: Dataset, tmp_path: Path) -> None:
    first, second, third = jobs(data, 3)
    generous = Cache(tmp_path)
    for when, job in enumerate((first, second)):
        path = generous.write(score_job(job), generous.path(job))
        assert path is not None
        os.utime(path, (1000.0 + when, 1000.0 + when))
    assert generous.read(first) is not None  # now the second was used least recently
    newest = generous.write(score_job(third), generous.path(third))
    assert newest is not None
    assert generous.size().files == 3
    small = Cache(tmp_path, most_bytes=generous.size().bytes - 1)
    assert small.write(score_job(third), small.path(third)) == newest
    assert [small.path(job).is_file() for job in (first, second, third)] == [True, False, True]
    assert small.size().bytes <= small.most_bytes


def test_the_newest_file_is_kept_even_if_too_large(data: Dataset, tmp_path: Path) -> None:
    first, second = jobs(data, 2)
    tiny = Cache(tmp_path, most_bytes=1)
    for job in (first, second):
        tiny.write(score_job(job), tiny.path(job))
    assert not tiny.path(first).is_file()
    assert tiny.path(second).is_file()


def test_clearing(data: Dataset, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    assert cache.size() == cache.clear() == CacheSize(0, 0)
    assert not cache.folder.exists()
    for job in jobs(data, 2):
        cache.write(score_job(job), cache.path(job))
    (cache.folder / ".killed.cps.parts").mkdir()
    (cache.folder / ".killed.cps.parts" / "0.json").write_text("{}")
    (cache.folder / "notes.txt").write_text("mine")
    held = cache.size()
    assert held.files == 2
    assert held.bytes == sum(path.stat().st_size for path in cache.folder.glob("*.cps"))
    assert cache.clear() == held
    assert [path.name for path in cache.folder.iterdir()] == ["notes.txt"]


def test_the_choice_of_the_cache(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    users = Cache(tmp_path / "forebear")
    assert as_cache(None, "table.csv") == as_cache(True, data) == users
    assert as_cache(None, data) is as_cache(None, "-") is as_cache(False, "table.csv") is None
    assert as_cache(tmp_path / "other", data) == as_cache(str(tmp_path / "other"), data)
    with pytest.raises(ForebearError, match="cache must be a folder, True or False, got 5"):
        as_cache(5, data)  # type: ignore[arg-type]


def test_a_rejected_job_leaves_no_files(data: Dataset, tmp_path: Path) -> None:
    with pytest.raises(ForebearError, match="leaves no memory"):
        learn(data, max_memory=1000, time_limit=5, cache=tmp_path / "cache")
    assert list(tmp_path.iterdir()) == []
