"""Checkpoints: a search that was stopped or killed continues identically."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from waiting import PATIENCE
from watchers import AtOnce

from forebear import (
    MINOBS,
    PSMINOBS,
    AnyOf,
    FileError,
    ForebearError,
    MaxGenerations,
    NoImprovement,
    ParentSets,
    Result,
    _core,
    find_network,
    resume_search,
    score_parent_sets,
    simulate,
)
from forebear.search.checkpoint import (
    Checkpoint,
    read_started,
    write_started,
)
from forebear.search.threads import Workers

SMALL = MINOBS(population=12, crossovers=6, mutations=1)
ALGORITHMS: dict[str, Any] = {
    "all sets": PSMINOBS(minobs=SMALL),
    "samples": PSMINOBS(chains=3, rate=0.3, minobs=SMALL),
    "fixed": PSMINOBS(chains=2, rate=0.3, widen=False, minobs=SMALL),
    "published": PSMINOBS(chains=2, rate=0.5, minobs=MINOBS(variant="published", look_ahead=3)),
    "inobs": "inobs",
    "asobs": "asobs",
}


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    data = simulate(25, 400, max_parents=3, states=(2, 2), seed=4).data
    return score_parent_sets(data, max_parents=3, score="ll", max_sets_per_variable=400)


def stopped_and_resumed(sets: ParentSets, path: Path, stops: list[int], **settings: Any) -> Result:
    """Search, stop after each of these numbers of generations, and resume."""
    find_network(sets, generations=stops[0], checkpoint=path, **settings)
    for generations in stops[1:-1]:
        extend(path, generations)
        resume_search(path)
    extend(path, stops[-1])
    return resume_search(path)


def extend(path: Path, generations: int) -> None:
    """Increase the generation limit of a checkpoint."""
    state = Checkpoint.read(path)
    state.recipe.stop["generations"] = generations
    state.write(path)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("stops", [[1, 30], [7, 8, 9, 30]])
def test_interruptions_change_nothing(
    sets: ParentSets, tmp_path: Path, name: str, stops: list[int]
) -> None:
    whole = find_network(sets, algorithm=ALGORITHMS[name], generations=30, seed=5)
    again = stopped_and_resumed(sets, tmp_path / "state", stops, algorithm=ALGORITHMS[name], seed=5)
    assert again.network == whole.network
    assert again.score == whole.score
    assert again.winner == whole.winner
    assert again.generations == whole.generations
    assert again.alternatives == whole.alternatives
    steps = [[(s.chain, s.generation, s.score) for s in run.trace] for run in (whole, again)]
    assert sorted(steps[0]) == sorted(steps[1])


@pytest.mark.parametrize("name", ["obs", "tabu", "hill-climbing"])
def test_algorithms_that_cannot_be_resumed_are_rejected(
    sets: ParentSets, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ForebearError, match=f"{name} cannot be resumed"):
        find_network(sets, algorithm=name, generations=2, checkpoint=tmp_path / "state")


def test_custom_stop_rules_are_rejected(sets: ParentSets, tmp_path: Path) -> None:
    with pytest.raises(ForebearError, match="cannot be saved"):
        find_network(sets, generations=lambda _: "now", checkpoint=tmp_path / "state")


def test_more_time(sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "state"
    first = find_network(sets, time_limit=0.1, seed=1, checkpoint=path)
    before = Checkpoint.read(path).seconds
    second = resume_search(path, time_limit=0.2)
    assert second.stop_reason == "time"
    assert second.seconds >= before + 0.2
    assert second.score >= first.score
    assert len(second.trace) >= len(first.trace)
    with pytest.raises(ForebearError, match="time_limit must be positive"):
        resume_search(path, time_limit=0)


def test_idle_seconds_count_from_the_resume(sets: ParentSets, tmp_path: Path) -> None:
    """A search that stopped for lack of improvement continues when it is resumed."""
    path = tmp_path / "state"
    rule = AnyOf(MaxGenerations(3), NoImprovement(seconds=PATIENCE))
    find_network(sets, generations=rule, seed=1, checkpoint=path)
    idle = Checkpoint.read(path)
    idle.recipe.stop["generations"] = 6
    replace(idle, seconds=1e6).write(path)
    assert resume_search(path).generations == (6,)


def test_a_finished_search_is_not_continued(sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "state"
    done = find_network(sets, generations=5, seed=1, checkpoint=path)
    again = resume_search(path)
    assert again.network == done.network
    assert again.generations == done.generations
    assert again.stop_reason == "generations"


def test_sets_in_files_are_not_copied(sets: ParentSets, tmp_path: Path) -> None:
    sets.save(tmp_path / "sets.cps")
    mapped = ParentSets.load(tmp_path / "sets.cps")
    find_network(mapped, generations=1, seed=1, checkpoint=tmp_path / "state")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sets.cps", "state"]
    other = score_parent_sets(simulate(25, 400, seed=9).data, max_parents=1)
    other.save(tmp_path / "sets.cps")
    with pytest.raises(FileError, match="now holds other parent sets"):
        resume_search(tmp_path / "state")
    (tmp_path / "sets.cps").unlink()
    with pytest.raises(FileError, match="no longer exist"):
        resume_search(tmp_path / "state")


def test_damaged_files_are_rejected(sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "state"
    find_network(sets, generations=2, seed=1, checkpoint=path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(whole)
        if rng.random() < 0.3:
            del damaged[int(rng.integers(len(damaged) - 2)) :]
        else:
            damaged[int(rng.integers(len(damaged)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(FileError):
            resume_search(path, time_limit=0.01)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]\n[]", '{"format": "forebear checkpoint 1"}\n{}', "\x00"]
)
def test_other_files_are_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "state").write_text(text)
    with pytest.raises(FileError, match="checkpoint"):
        resume_search(tmp_path / "state")


@pytest.mark.parametrize(
    ("same", "other"),
    [
        ({"cooperate": False}, {"cooperate": True}),
        ({"sample_by": "rank"}, {"sample_by": "reduced-cost"}),
    ],
)
def test_settings_of_earlier_versions(
    sets: ParentSets, tmp_path: Path, same: dict[str, Any], other: dict[str, Any]
) -> None:
    """Settings that changed nothing are dropped, others are rejected."""
    path = tmp_path / "state"
    find_network(sets, generations=2, seed=1, checkpoint=path)
    earlier = Checkpoint.read(path)
    earlier.recipe.settings.update(same)
    earlier.write(path)
    assert resume_search(path).settings.keys().isdisjoint(same)
    write_started(path, {"data": "table.csv", **same})
    assert read_started(path) == {"data": "table.csv"}
    earlier.recipe.settings.update(other)
    ((name, value),) = other.items()
    message = f"state: it has {name}={value!r}, a setting that no longer exists: start the search"
    earlier.write(path)
    with pytest.raises(FileError, match=message):
        resume_search(path)
    write_started(path, other)
    with pytest.raises(FileError, match=message):
        read_started(path)


@pytest.mark.parametrize("climb", [1, 30, 100, 250, 600])
def test_a_stopped_generation_is_repeated(
    climb: int, sets: ParentSets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The saved state equals that of an undisturbed search after as many generations."""
    seen = 0
    usual = Workers.submit

    def cancelled_at_a_climb(workers: Workers, jobs: list[_core.Job]) -> _core.Batch:
        nonlocal seen
        batch = usual(workers, jobs)
        seen += len(jobs)
        if seen >= climb:
            workers.budget.cancel()
        return batch

    settings: dict[str, Any] = {"seed": 5, "algorithm": PSMINOBS(2, 0.3), "threads": 1}
    cut, whole = tmp_path / "cut", tmp_path / "whole"
    with monkeypatch.context() as patch:
        patch.setattr(Workers, "submit", cancelled_at_a_climb)
        find_network(sets, generations=10**6, checkpoint=cut, **settings)
    assert seen >= climb
    for number, state in enumerate(Checkpoint.read(cut).chains):
        if state is None or state["generation"] == 0:
            continue
        find_network(sets, generations=state["generation"], checkpoint=whole, **settings)
        expected = Checkpoint.read(whole).chains[number]
        assert expected is not None
        assert state["chain"] == expected["chain"]


def test_a_search_stopped_at_once_continues(sets: ParentSets, tmp_path: Path) -> None:
    """A single member cannot be crossed."""
    state = tmp_path / "state"
    find_network(sets, generations=3, seed=5, checkpoint=state, watcher=AtOnce())
    whole = find_network(sets, generations=3, seed=5)
    again = resume_search(state)
    assert again.network == whole.network
    assert again.generations == whole.generations
