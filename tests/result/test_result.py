"""Results: re-scored, saved, read back; and searches by one call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections
from watchers import AtOnce, Recorder

from forebear import (
    PSMINOBS,
    FileError,
    ForebearError,
    MaxGenerations,
    Network,
    ParentSets,
    Result,
    Target,
    find_network,
    score_parent_sets,
    simulate,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    return score_parent_sets(simulate(12, 500, max_parents=2, seed=4).data, max_parents=3)


@pytest.fixture(scope="module")
def found(sets: ParentSets) -> Result:
    return find_network(sets, generations=10, seed=1, algorithm=PSMINOBS(chains=2))


def result_of(sets: ParentSets, order: list[int]) -> Result:
    about = {"algorithm": "", "settings": {}, "seed": 0, "winner": 1, "stop_reason": ""}
    return Result.of_order(
        sets, tuple(order), **about, seconds=0.0, generations=(), trace=None, version=""
    )


@given(parent_set_collections(required_parents=True), st.randoms())
def test_an_order_gives_its_best_sets(sets: ParentSets, shuffler: st.DrawFn) -> None:
    order = list(range(sets.n_variables))
    shuffler.shuffle(order)  # type: ignore[attr-defined]
    result = result_of(sets, order)
    expected = naive.order_parents(naive.as_lists(sets), order)
    assert [choice.score for choice in result.choices] == [score for score, _ in expected]
    assert list(result.network.parents) == [parents for _, parents in expected]


def test_scores_are_those_of_the_data(sets: ParentSets, found: Result) -> None:
    assert found.score == pytest.approx(sum(c.score for c in found.choices))
    for v, choice in enumerate(found.choices):
        again = sets.find(v, found.network.parents[v])
        assert again is not None
        assert (again.rank, again.score) == (choice.rank, choice.score)


def test_round_trip(found: Result, tmp_path: Path) -> None:
    found.save(tmp_path / "result.json")
    again = Result.load(tmp_path / "result.json")
    assert again.network == found.network
    assert again.trace.improvements == found.trace.improvements
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "result.json").read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a result file: it was not written by Result.save"),
        ({"order": [0, 0]}, "does not list every variable once"),
        ({"parents": [[]]}, "list of parents"),
        ({"choices": [[1]]}, "damaged"),
        ({"trace": None}, "damaged"),
        (
            {"provenance": {"missing": "weighted"}},
            "missing must be one of available, em, got 'weighted'",
        ),
    ],
)
def test_damaged_results(
    found: Result, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = tmp_path / "result.json"
    found.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FileError, match=message):
        Result.load(path)


def test_files_that_are_no_results(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file"):
        Result.load(tmp_path / "nowhere.json")
    (tmp_path / "text.json").write_text("{")
    with pytest.raises(FileError, match="not a result"):
        Result.load(tmp_path / "text.json")


def test_frame_and_trace(found: Result, tmp_path: Path) -> None:
    frame = found.to_frame()
    assert frame["variable"].to_list() == list(found.network.names)
    assert frame["rank"].min() >= 1  # type: ignore[operator]
    trace = found.trace.to_frame()
    assert trace.columns == ["chain", "seconds", "generation", "score"]
    found.trace.to_csv(tmp_path / "trace.csv")
    lines = (tmp_path / "trace.csv").read_text().splitlines()
    assert len(lines) == len(found.trace) + 1
    for process in (1, 2):
        scores = [step.score for step in found.trace.of(process)]
        assert scores == sorted(scores)
    assert max(step.score for step in found.trace) == pytest.approx(found.score)


def test_warm_starts_are_never_worse(sets: ParentSets, found: Result) -> None:
    for start in (found, found.network, found.order):
        again = find_network(sets, generations=1, start=start, seed=3)
        assert again.score >= found.score


def test_what_cannot_be_started_from(sets: ParentSets) -> None:
    with pytest.raises(ForebearError, match="an order of all variables"):
        find_network(sets, generations=1, start=[0, 1])
    with pytest.raises(ForebearError, match="other variables"):
        find_network(sets, generations=1, start=Network(("a",), ((),)))


def test_settings_are_checked(sets: ParentSets) -> None:
    with pytest.raises(ForebearError, match=r"algorithm must be one of .*, got 'annealing'"):
        find_network(sets, algorithm="annealing")
    with pytest.raises(ForebearError, match="seed must be at least 0"):
        find_network(sets, seed=-1)
    with pytest.raises(ForebearError, match="threads must be at least 1"):
        find_network(sets, threads=0)
    with pytest.raises(ForebearError, match="time_limit must be positive"):
        find_network(sets, time_limit=0)
    with pytest.raises(ForebearError, match="rate must be"):
        PSMINOBS(rate=0.0)
    with pytest.raises(ForebearError, match="chains must be at least 1"):
        PSMINOBS(chains=0)
    with pytest.raises(ForebearError, match=r"find_network.* has no parameter 'speed'"):
        find_network(sets, speed=11)  # type: ignore[call-arg]


def test_rules_and_watchers(sets: ParentSets) -> None:
    heard = Recorder()
    result = find_network(
        sets, stop=MaxGenerations(3), seed=2, certify=False, watcher=heard, threads=2
    )
    assert heard.improvements == result.trace.improvements
    assert result.stop_reason == "generations"
    assert result.generations == (3,)
    reached = find_network(sets, stop=Target(result.score), seed=2, certify=False)
    assert reached.stop_reason == "target"
    cancelled = find_network(sets, seed=2, certify=False, watcher=AtOnce())
    assert cancelled.stop_reason == "cancelled"
    assert np.isfinite(cancelled.score)


def test_the_same_seed_gives_the_same_network(sets: ParentSets) -> None:
    results = [
        find_network(sets, generations=5, seed=9, algorithm=PSMINOBS(chains=3), threads=threads)
        for threads in (1, 2, 3)
    ]
    assert len({result.network for result in results}) == 1
    assert len({result.winner for result in results}) == 1
    assert len({result.score for result in results}) == 1


def test_a_result_without_alternatives_still_loads(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    sets = score_parent_sets(simulate(4, 100, seed=1).data, max_parents=1)
    find_network(sets, generations=1, seed=1).save(path)
    fields = json.loads(path.read_text())
    del fields["alternatives"]
    path.write_text(json.dumps(fields))
    assert Result.load(path).alternatives == ()
