"""Which parent sets ``learn`` searches: those that grow, or a fixed collection."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from forebear import (
    Knowledge,
    NoImprovement,
    ParentSets,
    Target,
    Watcher,
    learn,
    score_network,
    simulate,
)
from forebear._util.errors import TimeLimitError
from forebear.data.dataset import Dataset
from forebear.learning import plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forebear.search.trace import Improvement

TABLE = simulate(15, 5_000, states=(2, 3), max_parents=4, seed=11).data
TIMED: dict[str, Any] = {"time_limit": 60.0, "seed": 1, "threads": 1, "cache": False}


class Improvements(Watcher):
    """Notes scores, and acts when the first network is found."""

    def __init__(self, act: Callable[[], object] = lambda: None) -> None:
        self.scores: list[float] = []
        self._act = act

    def improved(self, improvement: Improvement) -> None:
        self.scores.append(improvement.score)
        self._act()


def test_a_first_network_comes_before_all_sets_are_scored() -> None:
    seen = Improvements()
    result = learn(TABLE, watcher=seen, **TIMED)
    assert result.status == "optimal"
    assert result.covers == "among all networks"
    assert len(seen.scores) > 1
    assert seen.scores == sorted(seen.scores)
    assert next(iter(result.trace)).generation == 1


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_interrupted_before_all_sets_are_scored() -> None:
    seen = Improvements(lambda: os.kill(os.getpid(), signal.SIGINT))
    result = learn(TABLE, watcher=seen, **TIMED)
    assert result.stop_reason == "interrupted"
    assert result.score == pytest.approx(score_network(result.network, TABLE), rel=1e-9)
    assert result.bound is None


def test_a_target_that_the_first_sets_reach() -> None:
    known = learn(TABLE, max_parents=1, generations=3, seed=1)
    result = learn(TABLE, generations=Target(known.score - 500), certify=False, **TIMED)
    assert result.stop_reason == "target"
    assert result.score >= known.score - 500


@pytest.mark.parametrize("score", ["bdeu", "bic", "bds"])
def test_a_generation_limit_gives_the_same_on_any_number_of_threads(score: str) -> None:
    one, two = (learn(TABLE, score=score, generations=4, seed=3, threads=t) for t in (1, 2))
    assert one.network == two.network
    assert one.bound == two.bound


def test_generations_do_not_depend_on_the_cache(tmp_path: Path) -> None:
    how: dict[str, Any] = {"generations": 3, "seed": 1, "certify": False}
    fresh = learn(TABLE, cache=False, **how)
    learn(TABLE, cache=tmp_path, time_limit=60.0, seed=2)
    assert learn(TABLE, cache=tmp_path, **how).network == fresh.network


def test_sets_of_an_earlier_run_are_not_scored_again(tmp_path: Path) -> None:
    first = learn(TABLE, **{**TIMED, "cache": tmp_path})
    again = learn(TABLE, **{**TIMED, "cache": tmp_path})
    assert again.score == first.score
    assert again.covers == first.covers == "among all networks"


def test_knowledge_about_orders_holds() -> None:
    names = TABLE.names
    known = Knowledge(before=[(names[9], names[2]), (names[12], names[4])])
    result = learn(TABLE, knowledge=known, **TIMED)
    assert known.violations(result) == []
    assert result.status == "optimal"


def test_the_search_goes_beyond_the_largest_sets_scored() -> None:
    """With many rows, all sets of up to six parents are scored; larger ones are neighbours."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (15, 70_000), dtype=np.uint8)
    codes[14] = codes[:9].sum(axis=0) >= 5  # the majority of nine others
    table = Dataset(codes, tuple(f"v{v}" for v in range(15)), (("no", "yes"),) * 15)
    result = learn(table, seed=1, generations=12, certify=False)
    assert max(map(len, result.network.parents)) >= 9
    assert "all with up to 6 parents were scored" in result.covers


@pytest.mark.parametrize("algorithm", ["exact", "obs"])
def test_a_smaller_claim_names_the_time_limit(
    monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    def late(*_: object, **__: object) -> ParentSets:
        raise TimeLimitError("late")

    whole = learn(TABLE, algorithm=algorithm, **TIMED)
    assert whole.covers == "among all networks"
    monkeypatch.setattr(plan, "all_sets", late)
    ends: dict[str, Any] = (
        {} if algorithm == "exact" else {"generations": NoImprovement(generations=5)}
    )
    result = learn(TABLE, algorithm=algorithm, **TIMED, **ends)
    assert result.covers.endswith("(the time limit ended the scoring of larger sets)")


def test_a_start_network_is_the_result_if_there_is_no_time() -> None:
    start = learn(TABLE, **TIMED)
    late = learn(TABLE, **{**TIMED, "time_limit": 1e-6}, start=start)
    assert late.score >= start.score - 1e-9
