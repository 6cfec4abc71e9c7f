"""Runner: chains in turns, limits, cancellation, failures and notifications."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import pytest
import watchers
from searches import minobs, search
from strategies import random_parent_sets
from waiting import PATIENCE
from watchers import AtFirst, AtOnce, Recorder

from forebear._util.watcher import Watcher
from forebear.search.algorithm import Search
from forebear.search.minobs import MINOBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.runner import Runner, run
from forebear.search.stop import (
    AnyOf,
    MaxGenerations,
    MaxSeconds,
    NoImprovement,
    Standing,
    Target,
)
from forebear.search.threads import Workers

SETS = random_parent_sets(40, 100, 3, seed=1)
QUICK = MINOBS(population=8, crossovers=6, mutations=1)


def test_chains_take_turns() -> None:
    """With one thread and three chains, none waits until the others are done."""

    def first_to_thirty(standing: Standing) -> str | None:
        return "target" if standing.generation >= 30 else None  # which ends them all

    outcome = search(SETS, PSMINOBS(3, 0.5, minobs=QUICK), first_to_thirty)
    assert min(chain.generation for chain in outcome.runners) >= 12


def test_a_target_stops_all_chains() -> None:
    reachable = search(SETS, PSMINOBS(3, 0.5, minobs=QUICK), MaxGenerations(3))
    rule = AnyOf(Target(reachable.winner.score), MaxSeconds(PATIENCE))
    outcome = search(SETS, PSMINOBS(3, 0.5, minobs=QUICK), rule, threads=2)
    assert outcome.stop_reason == "target"
    assert outcome.winner.score >= reachable.winner.score - 1e-6


def test_no_improvement_stops_each_chain() -> None:
    outcome = search(SETS, PSMINOBS(2, 0.5, minobs=QUICK), NoImprovement(generations=5))
    assert outcome.stop_reason == "no improvement"
    for chain in outcome.runners:
        assert chain.generation - outcome.trace.of(chain.number)[-1].generation == 5


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("watcher", "reason"),
    [(AtFirst, "cancelled"), (AtOnce, "cancelled"), (lambda: AtFirst(interrupt), "interrupted")],
)
def test_a_cancelled_search_returns_the_best_network(
    threads: int, watcher: Callable[[], Watcher], reason: str
) -> None:
    algorithm = PSMINOBS(2, 0.5, minobs=QUICK)
    stop = MaxSeconds(PATIENCE)
    outcome = search(SETS, algorithm, stop, threads=threads, watcher=watcher())
    assert outcome.stop_reason == reason
    assert math.isfinite(outcome.winner.score)


def test_an_interrupt_while_chains_start_returns_the_best_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A network that a chain finds before the others start is not lost."""

    class Slow(ThreadPoolExecutor):
        def submit(self, *given: Any, **named: Any) -> Any:
            begun = super().submit(*given, **named)
            wait([begun], timeout=0.5)
            return begun

    monkeypatch.setattr("forebear.search.runner.ThreadPoolExecutor", Slow)
    outcome = search(SETS, PSMINOBS(2, 0.5), MaxSeconds(PATIENCE), watcher=AtFirst(interrupt))
    assert outcome.stop_reason == "interrupted"


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_failure_ends_the_search(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other chains stop as well."""
    runners = Search(SETS, PSMINOBS(2, 0.5, minobs=QUICK), 1).runners(time.perf_counter())
    failing = runners[1].chain
    usual, left = failing.advance, iter([True, True])

    def advance(workers: Workers) -> None:
        if not next(left, False):
            raise RuntimeError("this generation failed")
        usual(workers)

    monkeypatch.setattr(failing, "advance", advance)
    with pytest.raises(RuntimeError, match="this generation failed"):
        run(runners, stop=MaxSeconds(PATIENCE), threads=threads)
    # No stop rule applied: the chain was cancelled.
    assert runners[0].reason == "cancelled"


def test_what_is_called_between_generations_can_end_the_search() -> None:
    """It is called after the generation, and networks that it offers are traced."""
    (searching,) = Search(SETS, minobs(QUICK), 1).runners(time.perf_counter())
    better = search(SETS, minobs(QUICK), MaxGenerations(20), seed=2).winner.best
    assert better is not None

    def offer(runner: Runner, workers: Workers) -> str | None:
        if runner.generation < 2:
            return None
        runner.chain.offer(workers, better)
        return "optimal"

    outcome = run([searching], stop=MaxGenerations(9), threads=1, between=offer)
    assert (outcome.stop_reason, outcome.winner.generation) == ("optimal", 2)
    assert outcome.winner.score >= better.score
    assert list(outcome.trace)[-1].score == outcome.winner.score


@pytest.mark.parametrize("method", ["improved", "standing"])
def test_a_failing_watcher_ends_the_search(method: str) -> None:
    algorithm = PSMINOBS(2, 0.5, minobs=QUICK)
    with pytest.raises(RuntimeError, match="no terminal"):
        search(SETS, algorithm, MaxSeconds(PATIENCE), watcher=watchers.Failing(method))


def test_the_watcher_is_notified_of_the_improvements_in_the_trace() -> None:
    recorder = Recorder()
    outcome = search(SETS, PSMINOBS(2, 0.5, minobs=QUICK), threads=2, watcher=recorder)
    assert recorder.improvements == list(outcome.trace)
    frame = outcome.trace.to_frame()
    assert frame["score"].to_list() == [step.score for step in recorder.improvements]
