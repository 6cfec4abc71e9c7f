"""Searches under way: turns, limits, cancelling, failures and what is told."""

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

from forebear import ParentSets, find_network, score_parent_sets, simulate
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
    Target,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from forebear.search.threads import Workers
    from forebear.search.trace import Improvement

SETS = random_parent_sets(40, 100, 3, seed=1)
QUICK = MINOBS(population=8, crossovers=6, mutations=1)


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


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    data = simulate(25, 400, max_parents=3, states=(2, 2), seed=4).data
    return score_parent_sets(data, max_parents=3, score="ll", max_sets_per_variable=400)


def test_a_failing_watcher_ends_the_search(sets: ParentSets) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("no terminal")

    began = time.monotonic()
    with pytest.raises(RuntimeError, match="no terminal"):
        find_network(sets, time_limit=30, seed=1, on_tick=fail)
    assert time.monotonic() - began < 10
