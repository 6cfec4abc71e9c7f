"""What learn() chooses by counts where parent sets do not grow, and what the clock does to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tables import random_table
from watchers import Midway

from forebear import LimitError, Watcher, learn, score_parent_sets, simulate
from forebear._util.errors import TimeLimitError
from forebear._util.machine import resident_bytes
from forebear.budget import CHOSEN_WORK, Clock
from forebear.learning.cache import Cache
from forebear.learning.plan import (
    Plan,
    choose_max_parents,
    get_parent_sets,
    get_parent_sets_in_time,
    make_plan,
)
from forebear.learning.run import Run
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import make_job

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.scoring.job import Job

HOUR = 3600.0


def run(clock: Clock | None = None, watcher: Watcher | None = None, **more: Any) -> Run:
    given = {"clock": clock or Clock(HOUR), "max_memory": 10**12, **more}
    return replace(Run.checked(watcher=watcher or Watcher()), **given)


def of_rows(n_variables: int, max_parents: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> Job:
    """Make a job of a small table that counts as one of so many rows."""
    job = make_job(random_table([2] * n_variables, 10), max_parents=max_parents)
    monkeypatch.setattr("forebear.learning.plan.CHOSEN_WORK", CHOSEN_WORK * 10 // rows)
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
def test_counts_choose_parents_and_candidates(
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


def test_the_plan_gives_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    job = of_rows(60, 3, 300_000, monkeypatch)
    plan = make_plan(job, run(), algorithm="obs", fixed=False)
    assert "up to 2 parents (3 would be 2,056,800 families); obs on" in plan.sentence()
    assert make_plan(job, run(), algorithm="obs", fixed=True).job is job


TALL = make_job(random_table([2, 3] * 100, 20), max_parents=2)
"""Its sets of one parent are scored first if there is a time limit."""


def test_the_clock_cuts(tmp_path: Path) -> None:
    """The sets of one parent are complete, and kept for a run that asks for these."""
    clock = Clock(HOUR)
    cut = run(clock, Midway(clock.cancel), cache=Cache(tmp_path))
    plan, sets = get_parent_sets_in_time(Plan(TALL, HOUR, "obs"), cut)
    single = replace(TALL, max_parents=1)
    assert plan.job == single
    assert sets.provenance == single.provenance
    assert Cache(tmp_path).find(TALL) is None
    assert Cache(tmp_path).find(single) is not None


def test_a_late_network_is_better_than_none(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(HOUR)
    clock.cancel()
    plan, _ = get_parent_sets_in_time(Plan(TALL, HOUR, "obs"), run(clock))
    assert plan.job.max_parents == 1
    with pytest.raises(TimeLimitError, match="reading the table took"):
        get_parent_sets(Plan(TALL, HOUR, "obs"), run(clock))
    monkeypatch.setattr("forebear.learning.plan.SCORING_SHARE", 0.0)
    with pytest.raises(TimeLimitError, match="ended scoring before all sets of up to 2 parents"):
        get_parent_sets(Plan(TALL, HOUR, "obs"), run())


def test_learn_searches_what_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.learning.plan.SCORING_SHARE", 1e-9)
    data = simulate(120, 30, states=(2, 2), seed=1).data
    how: dict[str, Any] = {"time_limit": 60, "generations": 1, "seed": 1, "certify": False}
    result = learn(data, algorithm="hill-climbing", max_parents=3, cache=False, **how)
    most = result.provenance["max_parents"]
    assert most < 3
    assert result.covers == (
        f"among networks with at most {most} parent{'s' * (most > 1)} "
        "(the time limit ended the scoring of larger sets)"
    )
    sets = score_parent_sets(data, max_parents=most)
    best = sets.best_of_order(result.order)
    assert sum(choice.score for choice in best) == pytest.approx(result.score)
