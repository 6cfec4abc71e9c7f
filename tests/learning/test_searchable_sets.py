"""Which parent sets ``learn`` searches: those that grow, or a fixed collection."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from watchers import AtFirst, Recorder

from forebear import learn, score_network, simulate
from forebear.data.dataset import Dataset

if TYPE_CHECKING:
    from pathlib import Path

TABLE = simulate(15, 5_000, states=(2, 3), max_parents=4, seed=11).data
TIMED: dict[str, Any] = {"time_limit": 60.0, "seed": 1, "threads": 1, "cache": False}


def test_a_first_network_comes_before_all_sets_are_scored() -> None:
    seen = Recorder()
    result = learn(TABLE, watcher=seen, **TIMED)
    assert (result.status, result.covers) == ("optimal", "among all networks")
    scores = [improvement.score for improvement in seen.improvements]
    assert len(scores) > 1
    assert scores == sorted(scores)
    late = learn(TABLE, **{**TIMED, "time_limit": 1e-6}, start=result)
    assert late.score >= result.score - 1e-9


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_interrupted_before_all_sets_are_scored() -> None:
    seen = AtFirst(lambda: os.kill(os.getpid(), signal.SIGINT))
    result = learn(TABLE, watcher=seen, **TIMED)
    assert (result.stop_reason, result.bound) == ("interrupted", None)
    assert result.score == pytest.approx(score_network(result.network, TABLE), rel=1e-9)


@pytest.mark.parametrize("score", ["bdeu", "bic", "bds"])
def test_a_generation_limit_gives_the_same_on_any_number_of_threads(score: str) -> None:
    one, two = (learn(TABLE, score=score, generations=4, seed=3, threads=t) for t in (1, 2))
    assert (one.network, one.bound) == (two.network, two.bound)


def test_generations_do_not_depend_on_the_cache(tmp_path: Path) -> None:
    how: dict[str, Any] = {"generations": 3, "seed": 1, "certify": False}
    fresh = learn(TABLE, cache=False, **how)
    first, again = (learn(TABLE, **{**TIMED, "cache": tmp_path}) for _ in range(2))
    assert (first.score, first.covers) == (again.score, again.covers)
    assert learn(TABLE, cache=tmp_path, **how).network == fresh.network


def test_the_search_goes_beyond_the_largest_sets_scored() -> None:
    """With many rows, all sets of up to six parents are scored; larger ones are neighbours."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (15, 70_000), dtype=np.uint8)
    codes[14] = codes[:9].sum(axis=0) >= 5  # the majority of nine others
    table = Dataset(codes, tuple(f"v{v}" for v in range(15)), (("no", "yes"),) * 15)
    result = learn(table, seed=1, generations=12, certify=False)
    assert max(map(len, result.network.parents)) >= 9
    assert "all with up to 6 parents were scored" in result.covers
