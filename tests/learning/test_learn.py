"""learn(): results, notifications, the cache and the default limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest

from forebear import (
    MINOBS,
    PSMINOBS,
    AnyOf,
    DataError,
    Dataset,
    ForebearError,
    ForebearWarning,
    Knowledge,
    MaxGenerations,
    NoImprovement,
    Result,
    Watcher,
    learn,
    simulate,
)
from forebear.learning.learn_table import check_against_data
from forebear.learning.searchable_sets import Plan
from forebear.parentsets.collection import ParentSets
from forebear.scoring.scores import BDeu
from forebear.search.stop import Standing
from forebear.search.trace import Improvement


@pytest.fixture(scope="module")
def table() -> Dataset:
    return simulate(9, 400, max_parents=2, states=(2, 3), seed=5).data


def write_csv(table: Dataset, path: Path) -> Path:
    frame = pd.DataFrame(table.codes.T.astype(int), columns=list(table.names))
    frame.to_csv(path, index=False)
    return path


class Notes(Watcher):
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.plan: Plan | None = None
        self.cached: Path | None = None
        self.seconds: list[float | None] = []

    def loaded(self, data: Dataset) -> None:
        self.heard.append(f"loaded {data.n_variables}")

    def planned(self, plan: Plan) -> None:
        self.heard.append("planned")
        self.plan = plan

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        self.heard.append("scored")
        self.cached = cached

    def searching(self, seconds: float | None) -> None:
        self.heard.append("searching")
        self.seconds.append(seconds)

    def improved(self, improvement: Improvement) -> None:
        self.heard.append("improved")

    def standing(self, chains: Sequence[Standing]) -> None:
        self.heard.append(f"{len(chains)} chains")

    def finished(self, result: Result) -> None:
        self.heard.append("finished")


def test_it_finds_the_best_network(table: Dataset) -> None:
    small = Dataset(table.codes[:6], table.names[:6], table.states[:6])
    for score, twin, prior in ((None, "bdeu auto", "sparse"), ("bdeu", "bdeu", "uniform")):
        best = naive.best_score(naive.parent_sets(small, 5, twin, prior=prior))
        result = learn(small, score=score, generations=20, seed=1)
        assert math.isclose(result.score, best, rel_tol=1e-12)


def test_the_watcher_is_notified_of_every_step(table: Dataset) -> None:
    notes = Notes()
    result = learn(
        table, generations=20, seed=1, algorithm=PSMINOBS(chains=2), certify=False, watcher=notes
    )
    told = [key for key, _ in itertools.groupby(notes.heard)]
    assert told[:4] == ["loaded 9", "planned", "scored", "searching"]
    assert told[-1] == "finished"
    assert {"improved", "2 chains"} <= set(told)
    assert notes.plan is not None
    sentence = notes.plan.sentence()
    assert (
        "bdeu (averaged over ess, prior sparse), up to 1 parent at first, more as needed"
        in sentence
    )
    assert "ps-minobs" in sentence
    assert set(result.phases) == {"load", "score", "search"}
    assert sum(result.phases.values()) <= result.seconds


@pytest.mark.parametrize("n_variables", [8, 40])
def test_a_late_network_is_better_than_none(n_variables: int) -> None:
    data = simulate(n_variables, 60, max_parents=2, seed=5).data
    result = learn(data, time_limit=1e-6, seed=1, certify=False)
    assert len(result.network.names) == n_variables


def test_a_second_run_uses_the_cache(
    table: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_csv(table, tmp_path / "table.csv")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first, second, other = Notes(), Notes(), Notes()
    once = learn(path, generations=3, seed=1, watcher=first)
    again = learn(path, generations=3, seed=1, watcher=second)
    learn(path, generations=3, seed=1, watcher=other, score="bic")
    assert first.cached is None
    assert second.cached is not None
    assert second.cached.parent == tmp_path / "forebear"
    assert other.cached is None
    assert once.network == again.network
    assert len(list((tmp_path / "forebear").glob("*.cps"))) == 2


def test_constraints_have_files_of_their_own(table: Dataset, tmp_path: Path) -> None:
    a, b = table.names[:2]
    for knowledge in (
        None,
        Knowledge(required=[(a, b)]),
        Knowledge(forbidden=[(a, b)]),
        Knowledge(required=[(b, a)]),
    ):
        learn(table, generations=1, seed=1, cache=tmp_path, knowledge=knowledge)
    assert len(list(tmp_path.glob("*.cps"))) == 4


def test_a_damaged_cache_file_is_replaced(table: Dataset, tmp_path: Path) -> None:
    once = learn(table, generations=3, seed=1, cache=tmp_path)
    (path,) = tmp_path.glob("*.cps")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    with pytest.warns(ForebearWarning, match="scoring the parent sets again"):
        again = learn(table, generations=3, seed=1, cache=tmp_path)
    assert once.network == again.network
    assert path.read_bytes() == whole


def test_a_cache_file_of_other_sets_is_replaced(table: Dataset, tmp_path: Path) -> None:
    learn(table, generations=1, seed=1, cache=tmp_path)
    (path,) = tmp_path.glob("*.cps")
    other = simulate(9, 400, max_parents=2, seed=6).data
    learn(other, generations=1, seed=1, cache=tmp_path / "other")
    (stranger,) = (tmp_path / "other").glob("*.cps")
    path.write_bytes(stranger.read_bytes())
    with pytest.warns(ForebearWarning, match="holds other parent sets"):
        learn(table, generations=1, seed=1, cache=tmp_path)


def test_a_cache_that_cannot_be_written(table: Dataset, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ForebearError, match="is not a directory"):
        learn(table, generations=1, seed=1, cache=tmp_path / "file")
    with pytest.raises(ForebearError, match=r"cannot be used as a cache: .* is not a directory"):
        learn(table, generations=1, seed=1, cache=tmp_path / "file" / "folder")


def test_a_full_disk_keeps_no_cache(
    table: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        free = 10

    monkeypatch.setattr("shutil.disk_usage", lambda _: Full)
    with pytest.warns(ForebearWarning, match="only 10 bytes are free"):
        learn(table, generations=1, seed=1, cache=tmp_path)
    assert not list(tmp_path.glob("*.cps"))


def test_numpy_numbers_are_accepted(table: Dataset, tmp_path: Path) -> None:
    def settings(kind: Any) -> dict[str, Any]:
        """All numbers of one kind."""
        algorithm = PSMINOBS(chains=kind(2), minobs=MINOBS(population=kind(5)))
        counts = {"max_parents": 2, "seed": 3, "threads": 1, "time_limit": 90}
        return {
            **{name: kind(value) for name, value in counts.items()},
            "score": BDeu(ess=kind(2)),
            "algorithm": algorithm,
            "generations": AnyOf(NoImprovement(generations=kind(9)), MaxGenerations(kind(2))),
            "cache": tmp_path,
            "checkpoint": tmp_path / "state",
        }

    usual = learn(table, **settings(int))
    for kind in (np.int64, np.uint8):
        same = learn(table, **settings(kind))
        assert same.network == usual.network
        assert same.seed == 3
        same.save(tmp_path / "result.json")
        assert Result.load(tmp_path / "result.json").settings == usual.settings
    assert len(list(tmp_path.glob("*.cps"))) == 1


@pytest.mark.parametrize("n_variables", [9, 40])
def test_generations_alone_have_no_time_limit(n_variables: int) -> None:
    """The same seed must give the same network on any machine: with few variables and many."""
    data = simulate(n_variables, 400, max_parents=3, seed=5).data
    notes = Notes()
    results = [
        learn(data, generations=5, seed=1, threads=threads, watcher=notes) for threads in (1, 2)
    ]
    assert notes.plan is not None
    assert notes.plan.seconds is None
    assert notes.plan.sentence().endswith("no time limit")
    assert notes.seconds == [None, None]
    assert results[0].network == results[1].network
    assert results[0].score == results[1].score
    assert all(result.stop_reason in ("generations", "optimal") for result in results)


def test_few_variables(table: Dataset) -> None:
    for n in (2, 3):
        few = Dataset(table.codes[:n], table.names[:n], table.states[:n])
        assert learn(few, generations=1, seed=1).network.n_variables == n
    one = Dataset(table.codes[:1], table.names[:1], table.states[:1])
    with pytest.raises(
        DataError, match="the table has one column, 'X1': a network needs at least two"
    ):
        learn(one, generations=1, seed=1)


def test_the_check_against_the_data_can_fail(table: Dataset) -> None:
    result = learn(table, generations=1, seed=1)
    codes = table.codes.copy()
    codes[0] = np.roll(codes[0], 1)
    with pytest.raises(AssertionError, match="but the table gives"):
        check_against_data(result, Dataset(codes, table.names, table.states), BDeu())


def test_the_default_time_limit(table: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.learning.run.DEFAULT_IDLE_SECONDS", 0.2)
    result = learn(table, time_limit=None, seed=1, certify=False)
    assert result.stop_reason == "no improvement"


def test_read_only_folders_are_not_changed(
    table: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    write_csv(table, folder / "table.csv")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    folder.chmod(0o555)
    try:
        learn(folder / "table.csv", generations=1, seed=1)
    finally:
        folder.chmod(0o755)
    assert [path.name for path in folder.iterdir()] == ["table.csv"]
    assert list((tmp_path / "home" / "forebear").glob("*.cps"))


def test_the_number_of_started_threads_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    table = simulate(12, 200, seed=1).data
    one = learn(table, generations=2, seed=1, threads=1)
    monkeypatch.setattr("forebear._util.machine.cores", lambda: 2)
    notes = Notes()
    many = learn(table, generations=2, seed=1, threads=1000, cache=False, watcher=notes)
    assert many.network == one.network
    assert many.score == one.score
    assert notes.plan is not None
    assert notes.plan.job.threads == 16


def test_a_table_that_was_read_is_used_after_the_time_limit(table: Dataset, tmp_path: Path) -> None:
    path = write_csv(table, tmp_path / "table.csv")
    result = learn(path, time_limit=1e-6, cache=False)
    assert result.network.names == table.names
