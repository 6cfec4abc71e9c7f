"""get_searchable_sets(): the choice by counts, and the effect of the clock."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tables import random_table
from watchers import AtFirst, Midway, Recorder

from forebear import (
    LimitError,
    Watcher,
    learn,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear._util.errors import TimeLimitError
from forebear._util.machine import resident_bytes
from forebear.budget import Clock
from forebear.data.dataset import Dataset
from forebear.learning import searchable_sets
from forebear.learning.cache import Cache
from forebear.learning.run import Run
from forebear.learning.searchable_sets import (
    FIXED_SETS_WORK,
    Plan,
    choose_max_parents,
    get_parent_sets,
)
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job, make_job

HOUR = 3600.0


def run(clock: Clock | None = None, watcher: Watcher | None = None, **more: Any) -> Run:
    given = {"clock": clock or Clock(HOUR), "max_memory": 10**12, **more}
    return replace(Run.make(watcher=watcher or Watcher()), **given)


def of_rows(n_variables: int, max_parents: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> Job:
    """Make a job of a small table that claims to have more rows."""
    job = make_job(random_table([2] * n_variables, 10), max_parents=max_parents)
    monkeypatch.setattr(searchable_sets, "FIXED_SETS_WORK", FIXED_SETS_WORK * 10 // rows)
    return job


@pytest.mark.parametrize(
    ("n_variables", "preferred", "rows", "candidates", "chosen"),
    [
        (25, 5, 300_000, None, 5),  # 1.4 million families
        (25, 5, 1_000_000, None, 4),
        (25, 5, 10**9, None, 2),  # the clock may end it
        (60, 3, 200_000, None, 3),
        (60, 3, 300_000, None, 2),
        (60, 1, 200_000, None, 1),
        (140, 3, 5_000, None, 3),  # 63 million families
        (140, 3, 15_000, 100, 3),  # 23 million
        (140, 2, 5_000, 100, 3),  # three parents are only scored among few candidates
        (140, 2, 10**7, 100, 2),  # the clock may end it
    ],
)
def test_max_parents_and_candidates_depend_on_counts(
    n_variables: int,
    preferred: int,
    rows: int,
    candidates: int | None,
    chosen: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = of_rows(n_variables, preferred, rows, monkeypatch)
    found = choose_max_parents(job, run())
    assert (found.max_candidates, found.max_parents) == (candidates, chosen)
    if candidates is None:  # it is the same whatever the time limit is
        assert choose_max_parents(job, run(Clock(1e-3))).max_parents == chosen


def test_required_parents_are_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    job = of_rows(25, 5, 10**9, monkeypatch)
    constraints = Constraints.make(job.data.n_variables, required={0: [1, 2, 3]})
    assert choose_max_parents(replace(job, constraints=constraints), run()).max_parents == 3


def test_memory() -> None:
    """Sets that may not fit are not chosen; a run that cannot fit raises an error."""
    job = make_job(random_table([2] * 60, 10), max_parents=3)
    little = run(max_memory=resident_bytes() + 10**7)
    assert choose_max_parents(job, little).max_parents == 2
    with pytest.raises(LimitError, match="memory"):
        learn(simulate(62, 600, seed=1).data, max_memory=1000, time_limit=20, cache=False)


class Planned(Watcher):
    """Notes what is planned."""

    def planned(self, plan: Plan) -> None:
        self.plan = plan.sentence()


@pytest.mark.filterwarnings("ignore:.*shuffled copy")  # these columns are noise
def test_the_plan_gives_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searchable_sets, "FIXED_SETS_WORK", 100_000)
    seen = Planned()
    learn(random_table([2] * 60, 10), algorithm="obs", time_limit=0.5, watcher=seen, cache=False)
    assert "up to 2 parents (3 would be 2,056,800 families); obs on" in seen.plan


TALL = make_job(random_table([2, 3] * 100, 20), max_parents=2)
"""Its sets of one parent are scored first if there is a time limit."""


def test_the_clock_ends_scoring(tmp_path: Path) -> None:
    """The sets of one parent are complete, and kept for a run that asks for these."""
    clock = Clock(HOUR)
    cut = run(clock, Midway(clock.cancel), cache=Cache(tmp_path))
    sets = get_parent_sets(TALL, cut)
    single = replace(TALL, max_parents=1)
    assert sets.provenance == single.provenance
    assert Cache(tmp_path).read(TALL) is None
    assert Cache(tmp_path).read(single) is not None


def test_a_late_network_is_better_than_none() -> None:
    clock = Clock(HOUR)
    clock.cancel()
    assert get_parent_sets(TALL, run(clock)).provenance["max_parents"] == 1
    with pytest.raises(TimeLimitError, match="reading the table took"):
        get_parent_sets(TALL, run(clock), all_sizes=True)


def test_learn_searches_the_largest_complete_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searchable_sets, "SCORING_SHARE", 1e-9)
    data = simulate(120, 30, states=(2, 2), seed=1).data
    how: dict[str, Any] = {"time_limit": 60, "generations": 1, "seed": 1, "certify": False}
    how["prior"] = "sparse"  # otherwise there is a warning that arcs may be due to chance
    result = learn(data, algorithm="hill-climbing", max_parents=3, cache=False, **how)
    most = result.provenance["max_parents"]
    assert most < 3
    assert result.covers == (
        f"among networks with at most {most} parent{'s' * (most > 1)} "
        "(the time limit ended the scoring of larger sets)"
    )
    sets = score_parent_sets(data, prior="sparse", max_parents=most)
    best = sets.best_of_order(result.order)
    assert sum(choice.score for choice in best) == pytest.approx(result.score)


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


def test_generations_do_not_depend_on_the_cache(tmp_path: Path) -> None:
    how: dict[str, Any] = {"generations": 3, "seed": 1, "certify": False}
    fresh = learn(TABLE, cache=False, **how)
    first, again = (learn(TABLE, **{**TIMED, "cache": tmp_path}) for _ in range(2))
    assert (first.score, first.covers) == (again.score, again.covers)
    assert learn(TABLE, cache=tmp_path, **how).network == fresh.network


def test_the_search_extends_the_largest_scored_sets() -> None:
    """With many rows, all sets of up to six parents are scored; larger ones are neighbors."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (15, 70_000), dtype=np.uint8)
    codes[14] = codes[:9].sum(axis=0) >= 5  # the majority of nine others
    table = Dataset(codes, tuple(f"v{v}" for v in range(15)), (("no", "yes"),) * 15)
    result = learn(table, seed=1, generations=12, certify=False)
    assert max(map(len, result.network.parents)) >= 9
    assert "all with up to 6 parents were scored" in result.covers
