"""Run the chains of a search in parallel until a rule stops them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forebear._util.watcher import TICK_SECONDS, Watcher
from forebear.budget import LEAST_SEARCH_SECONDS
from forebear.search.chain import found_fields
from forebear.search.incumbent import Incumbent
from forebear.search.stop import ENDS_ALL, Standing, StopRule, time_limit
from forebear.search.threads import Workers
from forebear.search.trace import Improvement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebear.search.alternatives import Alternative
    from forebear.search.chain import Chain, FoundNetwork
    from forebear.search.checkpoint import Checkpointer
    from forebear.search.trace import Trace


@dataclass
class Runner:
    """A running chain: its best network, and why it stopped.

    If it ``keeps`` states, they do not include a generation that was stopped by
    the time limit or a signal: a resumed search repeats it from its start.
    """

    number: int
    chain: Chain
    started: float
    keeps: bool = False
    best: FoundNetwork | None = None
    generation: int = 0
    improved_at: tuple[float, int] = (0.0, 0)
    reason: str | None = None
    before: dict[str, Any] | None = None  # the chain, before a generation that was cut short

    @property
    def score(self) -> float:
        """The score of the best network."""
        return float("-inf") if self.best is None else self.best.score

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        best = None
        if self.best is not None:
            best = found_fields(self.best, with_sets=self.chain.sets_grow)
        return {
            "generation": self.generation - (self.before is not None),
            "improved_at": list(self.improved_at),
            "best": best,
            "chain": self.before or self.chain.state(),
        }

    def step(self, workers: Workers) -> Improvement | None:
        """Run one generation and return whether it improved the best network."""
        whole = self.chain.state() if self.keeps else None
        self.chain.advance(workers)
        self.generation += 1
        self.before = whole if workers.budget.spent else None
        if self.chain.is_progressing():
            self.improved_at = (time.perf_counter() - self.started, self.generation)
        return self.take_best()

    def take_best(self) -> Improvement | None:
        """Keep the best network of the chain if it is better."""
        found = self.chain.best
        if self.best is not None and found.score <= self.best.score:
            return None
        seconds = time.perf_counter() - self.started
        self.best, self.improved_at = found, (seconds, self.generation)
        return Improvement(self.number, seconds, self.generation, found.score)

    def standing(self) -> Standing:
        """Return the state of the chain."""
        seconds = time.perf_counter() - self.started
        when, generation = self.improved_at
        return Standing(
            seconds,
            self.generation,
            self.score,
            seconds - when,
            self.generation - generation,
            self.chain.runs,
        )


@dataclass(frozen=True)
class Outcome:
    """The outcome of the chains."""

    runners: Sequence[Runner]
    incumbent: Incumbent
    seconds: float
    stop_reason: str
    lost: tuple[str, ...] = ()

    @property
    def trace(self) -> Trace:
        """Every improvement of every chain."""
        return self.incumbent.trace

    def networks(self) -> list[Alternative]:
        """Return good networks of all chains."""
        return [one for runner in self.runners for one in runner.chain.networks()]

    @property
    def winner(self) -> Runner:
        """The chain with the best network; the first in case of ties."""
        return max(self.runners, key=lambda runner: (runner.score, -runner.number))


def run(
    runners: Sequence[Runner],
    *,
    stop: StopRule,
    threads: int,
    incumbent: Incumbent | None = None,
    keeper: Checkpointer | None = None,
    watcher: Watcher | None = None,
    between: Callable[[Runner, Workers], str | None] | None = None,
) -> Outcome:
    """Run chains in parallel. If the run is interrupted, return the networks found so far.

    All chains share ``threads`` workers, so that the result under a generation limit does not
    depend on the number of threads. Time counts from the start that the runners note. All networks
    are offered to the ``incumbent``; ``keeper`` writes checkpoints. ``between`` is
    called between generations, in the thread of the chain; it may return a reason to stop.
    """
    started = min(runner.started for runner in runners)
    limit = time_limit(stop)
    spent = time.perf_counter() - started
    left = None if limit is None else max(limit - spent, LEAST_SEARCH_SECONDS)
    watcher = watcher or Watcher()
    incumbent = incumbent or Incumbent(watcher)
    for runner in runners:
        if runner.best is not None:  # of a search that is resumed
            incumbent.offer(runner.best, chain=runner.number)
    for runner in runners:
        runner.keeps |= keeper is not None
    with Workers(threads, left) as workers:
        watcher.started(workers.budget.cancel)

        def offer(runner: Runner, improvement: Improvement | None) -> None:
            if improvement is not None and runner.best is not None:
                incumbent.offer(runner.best, improvement)

        def drive(runner: Runner, workers: Workers) -> None:
            if runner.generation:  # it may be over already
                runner.reason = stop(runner.standing())
            while runner.reason is None:
                offer(runner, runner.step(workers))
                if between is not None and not workers.budget.spent:
                    runner.reason = between(runner, workers)
                    offer(runner, runner.take_best())
                runner.reason = runner.reason or stop(runner.standing())
                if runner.reason in ENDS_ALL:
                    workers.budget.cancel()
                elif runner.reason is None and workers.budget.spent:
                    runner.reason = "cancelled" if workers.budget.cancelled else "time"
                if keeper:
                    seconds = time.perf_counter() - started
                    keeper.offer(runner.number, runner.state, incumbent.trace, seconds)

        def tick() -> None:
            watcher.standing([runner.standing() for runner in runners])

        try:
            reason = _drive_all(runners, drive, workers, tick)
        finally:
            if keeper:
                states = {runner.number: runner.state() for runner in runners if runner.generation}
                keeper.close(states, incumbent.trace, time.perf_counter() - started)
            for runner in runners:
                runner.chain.rest()
    return Outcome(runners, incumbent, time.perf_counter() - started, reason)


def _drive_all(
    runners: Sequence[Runner],
    drive: Callable[[Runner, Workers], None],
    workers: Workers,
    tick: Callable[[], None],
) -> str:
    """Run all chains in parallel, in turns if there are fewer threads; return why they stopped."""

    started = threading.Event()

    def work(runner: Runner, workers: Workers) -> None:
        started.wait()
        try:
            drive(runner, workers)
        except BaseException:  # otherwise the other chains would continue
            workers.budget.cancel()
            raise
        finally:
            workers.leave()

    interrupted = False
    with ThreadPoolExecutor(len(runners)) as drivers:
        # All queues are there before the first jobs, so that each chain has its share at once. No
        # chain starts before an interrupt that it causes would be caught.
        try:
            queues = [workers.beside() for _ in runners]
            futures = [drivers.submit(work, *both) for both in zip(runners, queues, strict=True)]
        except BaseException:
            workers.budget.cancel()
            started.set()
            raise
        pending = set(futures)
        while pending:
            try:
                started.set()
                while pending:
                    _, pending = wait(pending, TICK_SECONDS, return_when=FIRST_COMPLETED)
                    tick()
            except KeyboardInterrupt:
                interrupted = True
                workers.budget.cancel()
            except BaseException:
                workers.budget.cancel()
                raise
    for future in futures:
        future.result()
    reasons = [runner.reason or "" for runner in runners]
    if interrupted:
        return "interrupted"
    ends = ("optimal", "target", "time", "cancelled")
    return next((reason for reason in ends if reason in reasons), reasons[0])
