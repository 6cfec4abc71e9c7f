"""When and how searches stop."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from searches import minobs, search
from strategies import pack, random_parent_sets

from forebear._util.errors import ForebearError
from forebear.parentsets.collection import ParentSets
from forebear.search.algorithm import make_processes
from forebear.search.minobs import MINOBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.runner import run, start_runners
from forebear.search.space import Individual, SearchSpace
from forebear.search.stop import (
    AnyOf,
    MaxGenerations,
    MaxSeconds,
    NoImprovement,
    Standing,
    StopRule,
    Target,
    time_limit,
)
from forebear.search.threads import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from forebear.search.trace import Improvement

SETS = random_parent_sets(40, 100, 3, seed=1)
QUICK = MINOBS(population=8, crossovers=6, mutations=1)


def standing(**changes: float) -> Standing:
    values: dict[str, Any] = {
        "seconds": 0.0,
        "generation": 1,
        "score": -100.0,
        "idle_seconds": 0.0,
        "idle_generations": 0,
    }
    return Standing(**(values | changes))


@pytest.mark.parametrize(
    ("rule", "goes_on", "stops", "reason"),
    [
        (MaxSeconds(2), {"seconds": 1.9}, {"seconds": 2.0}, "time"),
        (MaxGenerations(5), {"generation": 4}, {"generation": 5}, "generations"),
        (Target(-50.0), {"score": -50.1}, {"score": -50.0}, "target"),
        (Target(-50.0), {"score": -math.inf}, {"score": -50.0000001}, "target"),
        (
            NoImprovement(generations=3),
            {"idle_generations": 2, "idle_seconds": 99.0},
            {"idle_generations": 3},
            "no improvement",
        ),
        (
            NoImprovement(seconds=3.0),
            {"idle_generations": 99, "idle_seconds": 2.9},
            {"idle_seconds": 3.0},
            "no improvement",
        ),
        (
            AnyOf(MaxGenerations(5), Target(0.0)),
            {"generation": 4, "score": -1.0},
            {"generation": 4, "score": 0.0},
            "target",
        ),
    ],
)
def test_rules(
    rule: StopRule, goes_on: dict[str, float], stops: dict[str, float], reason: str
) -> None:
    assert rule(standing(**goes_on)) is None
    assert rule(standing(**stops)) == reason


def test_the_first_rule_that_applies_names_the_reason() -> None:
    rule = AnyOf(MaxGenerations(1), MaxSeconds(1))
    assert rule(standing(seconds=2.0)) == "generations"


def test_time_limits_are_found_in_combinations() -> None:
    assert time_limit(MaxGenerations(1)) is None
    assert time_limit(MaxSeconds(3)) == 3
    assert time_limit(AnyOf(Target(1.0), AnyOf(MaxSeconds(5), MaxSeconds(4)))) == 4
    assert time_limit(lambda _: None) is None


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: MaxSeconds(0), "seconds must be positive, got 0"),
        (lambda: MaxSeconds(math.nan), "seconds must be positive, got nan"),
        (lambda: MaxGenerations(-1), "generations must be positive, got -1"),
        (NoImprovement, "NoImprovement needs generations or seconds"),
        (lambda: NoImprovement(generations=0), "generations must be positive, got 0"),
        (lambda: NoImprovement(seconds=-0.5), "seconds must be positive, got -0.5"),
        (AnyOf, "a search needs a rule to stop by: seconds, generations, ..."),
    ],
)
def test_rules_that_make_no_sense(make: Callable[[], StopRule], what: str) -> None:
    with pytest.raises(ForebearError, match=what):
        make()


def thousand_variables() -> ParentSets:
    """Some 500 sets a variable, drawn all at once."""
    n, n_sets = 1000, 500
    rng = np.random.default_rng(9)
    parents = np.sort(rng.integers(0, n - 1, (n, n_sets, 2)), axis=2)
    parents += parents >= np.arange(n)[:, None, None]
    parents[parents[:, :, 0] == parents[:, :, 1], 1] = 65535
    parents[:, -1] = 65535
    scores = -np.sort(rng.exponential(50.0, (n, n_sets)), axis=1)
    return ParentSets(
        names=tuple(f"X{v}" for v in range(n)),
        offsets=np.arange(n + 1, dtype=np.int64) * n_sets,
        scores=scores.ravel(),
        parents=np.ascontiguousarray(parents.reshape(-1, 2).T.astype(np.uint16)),
    )


@pytest.mark.parametrize(("samples", "rate"), [(1, 1.0), (3, 0.2)])
def test_the_time_limit_is_kept(samples: int, rate: float) -> None:
    """Climbs under way are cut short; what they have come to counts."""
    outcome = search(thousand_variables(), PSMINOBS(samples, rate), MaxSeconds(0.3))
    assert outcome.stop_reason == "time"
    assert 0.3 <= outcome.seconds < 1.3
    assert all(math.isfinite(runner.score) for runner in outcome.runners)


def test_processes_take_turns() -> None:
    """One thread, three processes: none waits until the others have used up the time."""
    outcome = search(SETS, PSMINOBS(3, 0.5, minobs=QUICK), MaxSeconds(0.5))
    generations = [runner.generation for runner in outcome.runners]
    assert min(generations) >= 0.4 * max(generations)


def test_a_target_stops_all_processes() -> None:
    reachable = search(SETS, PSMINOBS(3, 0.5, minobs=QUICK), MaxGenerations(3))
    rule = AnyOf(Target(reachable.winner.score), MaxSeconds(30))
    outcome = search(SETS, PSMINOBS(3, 0.5, minobs=QUICK), rule, threads=2)
    assert outcome.stop_reason == "target"
    assert outcome.winner.score >= reachable.winner.score - 1e-6
    assert outcome.seconds < 10


def test_no_improvement_stops_each_process() -> None:
    outcome = search(SETS, PSMINOBS(2, 0.5, minobs=QUICK), NoImprovement(generations=5))
    assert outcome.stop_reason == "no improvement"
    for runner in outcome.runners:
        assert runner.generation - outcome.trace.of(runner.number)[-1].generation == 5


@pytest.mark.parametrize("threads", [1, 2])
def test_cancelled_it_gives_the_best_so_far(threads: int) -> None:
    def cancel_soon(cancel: Callable[[], None]) -> None:
        threading.Timer(0.2, cancel).start()

    algorithm = PSMINOBS(2, 0.5, minobs=QUICK)
    outcome = search(SETS, algorithm, MaxSeconds(30), threads=threads, on_start=cancel_soon)
    assert outcome.stop_reason == "cancelled"
    assert outcome.seconds < 5
    assert math.isfinite(outcome.winner.score)


def test_cancelled_before_it_began_it_still_gives_a_network() -> None:
    outcome = search(SETS, minobs(QUICK), MaxSeconds(30), on_start=lambda cancel: cancel())
    assert outcome.stop_reason == "cancelled"
    assert math.isfinite(outcome.winner.score)


def test_cancelling_counts_though_another_process_was_done() -> None:
    asked = count()

    def only_the_first(standing: Standing) -> str | None:
        return "generations" if standing.generation and next(asked) == 0 else None

    def cancel_soon(cancel: Callable[[], None]) -> None:
        threading.Timer(0.2, cancel).start()

    outcome = search(SETS, PSMINOBS(2, 0.5), only_the_first, on_start=cancel_soon)
    assert sorted(runner.reason or "" for runner in outcome.runners) == ["cancelled", "generations"]
    assert outcome.stop_reason == "cancelled"


def test_interrupted_it_gives_the_best_so_far() -> None:
    def interrupt_soon(_: Callable[[], None]) -> None:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    outcome = search(SETS, PSMINOBS(2, 0.5), MaxSeconds(30), threads=2, on_start=interrupt_soon)
    assert outcome.stop_reason == "interrupted"
    assert outcome.seconds < 5
    assert math.isfinite(outcome.winner.score)


class Failing:
    """A process whose third generation fails."""

    def __init__(self) -> None:
        self.space = SearchSpace(pack([[(-1.0, ())]]))
        self.best = Individual(0, np.zeros(1, np.int32), np.zeros(1, np.int32))
        self.generations = 0

    def advance(self, workers: Workers) -> None:
        self.generations += 1
        if self.generations == 3:
            workers.map(self._fail, [1, 2, 3])

    def state(self) -> dict[str, Any]:
        return {}

    def networks(self) -> list[NDArray[np.int32]]:
        return []

    def _fail(self, item: int) -> None:
        raise RuntimeError(f"item {item} failed")


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_failure_ends_the_search(threads: int) -> None:
    """The other processes do not go on until their time is over."""
    seeds = np.random.SeedSequence(1).spawn(1)
    others = make_processes(PSMINOBS(1, 0.5, minobs=QUICK), SearchSpace(SETS), seeds)
    started = time.perf_counter()
    runners = start_runners([*others, Failing()], started)
    with pytest.raises(RuntimeError, match=r"item . failed"):
        run(runners, stop=MaxSeconds(30), threads=threads)
    assert time.perf_counter() - started < 5


def test_a_failing_callback_ends_the_search() -> None:
    def fail(_: Improvement) -> None:
        raise RuntimeError("no terminal")

    with pytest.raises(RuntimeError, match="no terminal"):
        search(SETS, PSMINOBS(2, 0.5, minobs=QUICK), MaxSeconds(30), on_improvement=fail)


def test_improvements_are_told_as_they_are_traced() -> None:
    told: list[Improvement] = []
    algorithm = PSMINOBS(2, 0.5, minobs=QUICK)
    outcome = search(SETS, algorithm, threads=2, on_improvement=told.append)
    assert told == list(outcome.trace)
    assert len(told) == len(outcome.trace)
    frame = outcome.trace.to_frame()
    assert frame["score"].to_list() == [step.score for step in told]


def test_workers_keep_the_order_of_results() -> None:
    for threads, processes in ((1, 1), (1, 2), (3, 1), (3, 2), (2, 5)):
        with Workers(threads, processes=processes) as workers:
            assert workers.map(lambda x: x * x, range(50)) == [x * x for x in range(50)]
            assert workers.map(lambda x: x, []) == []


def test_workers_keep_climbers_with_their_space() -> None:
    """Two spaces in turns on one thread: a climber each, used again and again."""
    one, two = SearchSpace(SETS), SearchSpace(SETS)
    with Workers(1, processes=2) as workers:
        used = [
            workers.map(lambda space: id(workers.climber(space)), [s])[0] for s in [one, two] * 3
        ]
    assert len(set(used)) == 2
