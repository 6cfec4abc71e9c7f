"""Several runs on one cache, and a cache that changes under a run."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from forebear import Dataset, Result, learn, simulate
from forebear._util.watcher import Watcher
from forebear.data.writing import write_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(20, 300, max_parents=3, seed=2).data


@pytest.mark.slow
def test_two_commands_on_one_cache(data: Dataset, tmp_path: Path) -> None:
    write_table(data, tmp_path / "table.csv")
    learn_it = "learn table.csv --max-parents 3 --generations 5 --seed 1 --threads 1 --quiet -o"
    command = [sys.executable, "-m", "forebear", *learn_it.split()]
    running = [subprocess.Popen([*command, f"{k}.json"], cwd=tmp_path) for k in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    results = [Result.load(tmp_path / f"{k}.json") for k in range(2)]
    assert results[0].network == results[1].network
    assert len(list((tmp_path / ".forebear").iterdir())) == 1


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
def test_a_cache_that_changes_under_a_search(
    harm: Callable[[Path], None], data: Dataset, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"max_parents": 2, "generations": 5, "seed": 1}
    whole = learn(data, cache=False, **settings)
    learn(data, cache=tmp_path, **settings)
    again = learn(data, cache=tmp_path, watcher=Saboteur(tmp_path, harm), **settings)
    assert again.network == whole.network
    assert again.score == whole.score
