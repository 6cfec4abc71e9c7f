"""What learn() chooses by counts where parent sets do not grow, and what the clock does to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tables import random_table
from watchers import Midway

from forebear import (
    PSMINOBS,
    LimitError,
    Watcher,
    learn,
    score_parent_sets,
    simulate,
)
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
    ("n_variables", "preferred", "rows", "chosen"),
    [
        (25, 5, 300_000, 5),  # 1.4 million families
        (25, 5, 1_000_000, 4),
        (25, 5, 5_000_000, 3),
        (25, 5, 10**9, 2),  # the clock may end it
        (60, 3, 200_000, 3),
        (60, 3, 300_000, 2),
        (60, 2, 200_000, 2),
        (60, 1, 200_000, 1),
    ],
)
@pytest.mark.parametrize("seconds", [None, 1e-3, HOUR])
def test_counts_choose_the_number_of_parents(
    n_variables: int,
    preferred: int,
    rows: int,
    chosen: int,
    seconds: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is the same whatever the time limit is."""
    job = of_rows(n_variables, preferred, rows, monkeypatch)
    assert choose_max_parents(job, run(Clock(seconds))).max_parents == chosen


def test_required_parents_are_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    job = of_rows(25, 5, 10**9, monkeypatch)
    constraints = Constraints.make(job.data.n_variables, required={0: [1, 2, 3]})
    assert choose_max_parents(replace(job, constraints=constraints), run()).max_parents == 3


@pytest.mark.parametrize(
    ("rows", "candidates", "parents"),
    [
        (5_000, None, 3),  # 63 million families
        (15_000, 100, 3),  # 23 million
        (300_000, None, 2),  # 1.4 million
        (10**7, 100, 2),  # the clock may end it
    ],
)
@pytest.mark.parametrize("preferred", [2, 3])
def test_many_variables_get_fewer_candidates(
    rows: int,
    candidates: int | None,
    parents: int,
    preferred: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = of_rows(140, preferred, rows, monkeypatch)
    rng = np.random.default_rng(1)
    allowed = np.eye(140, dtype=bool)
    for v in range(140):
        allowed[v, rng.permutation(140)[:100]] = True

    def restrict(job: Job, most: int, *, seconds: float | None) -> Job:
        if seconds == 0.0:
            raise TimeLimitError("slow")
        constraints = Constraints(140, allowed)
        return replace(job, constraints=constraints, max_candidates=most)

    monkeypatch.setattr("forebear.learning.plan.restrict_candidates", restrict)
    chosen = choose_max_parents(job, run())
    if preferred == 2 and candidates is None and parents == 3:
        candidates = 100  # three parents are only scored among few candidates
    assert (chosen.max_candidates, chosen.max_parents) == (candidates, parents)
    over = Clock(HOUR)
    over.cancel()
    assert choose_max_parents(job, run(over)).max_candidates is None


def test_sets_that_may_not_fit_in_memory_are_not_chosen() -> None:
    job = make_job(random_table([2] * 60, 10), max_parents=3)
    chosen = choose_max_parents(job, run(max_memory=resident_bytes() + 10**7))
    assert chosen.max_parents == 2


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


def test_a_late_network_is_better_than_none() -> None:
    clock = Clock(HOUR)
    clock.cancel()
    plan, _ = get_parent_sets_in_time(Plan(TALL, HOUR, "obs"), run(clock))
    assert plan.job.max_parents == 1
    with pytest.raises(TimeLimitError, match="reading the table took"):
        get_parent_sets(Plan(TALL, HOUR, "obs"), run(clock))


def test_all_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.learning.plan.SCORING_SHARE", 0.0)
    with pytest.raises(TimeLimitError, match="ended scoring before all sets of up to 2 parents"):
        get_parent_sets(Plan(TALL, HOUR, "obs"), run())


class _Cut(Watcher):
    """Lets the time of scoring be over as soon as a size is complete."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.plans: list[Plan] = []
        usual = Clock.part_of

        def part_of(clock: Clock, share: float) -> Clock:
            self.clock = usual(clock, share)
            self.clock._cancelled = type(clock._cancelled)()  # of this part alone
            return self.clock

        monkeypatch.setattr(Clock, "part_of", part_of)

    def planned(self, plan: Plan) -> None:
        self.plans.append(plan)

    def scoring(self, fraction: float) -> None:
        if 0 < fraction < 1:
            self.clock.cancel()


@pytest.mark.parametrize("given", [None, 3])
@pytest.mark.parametrize("algorithm", ["hill-climbing", PSMINOBS(rate=0.9)])
def test_learn_searches_what_is_complete(
    algorithm: Any, given: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = simulate(120, 30, states=(2, 2), seed=1).data
    cut = _Cut(monkeypatch)
    result = learn(
        data,
        algorithm=algorithm,
        max_parents=given,
        time_limit=5,
        generations=1,
        seed=1,
        certify=False,
        cache=False,
        watcher=cut,
    )
    assert [plan.job.max_parents for plan in cut.plans] == [3]
    most = result.provenance["max_parents"]
    assert most < 3
    assert result.covers == (
        f"among networks with at most {most} parent{'s' * (most > 1)} "
        "(the time limit ended the scoring of larger sets)"
    )
    sets = score_parent_sets(data, max_parents=most)
    best = sets.best_of_order(result.order)
    assert sum(choice.score for choice in best) == pytest.approx(result.score)


def test_memory_is_no_reason_to_score_fewer_parents() -> None:
    """A run that cannot fit in memory raises an error."""
    with pytest.raises(LimitError, match="memory"):
        learn(simulate(62, 600, seed=1).data, max_memory=1000, time_limit=20, cache=False)
