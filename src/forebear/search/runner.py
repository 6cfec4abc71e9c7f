"""Run the chains of a search in parallel until a rule stops them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from forebear._util.watcher import TICK_SECONDS, Watcher
from forebear.budget import LEAST_STEP_SECONDS
from forebear.search.alternatives import Alternative
from forebear.search.chain import Chain, Solution, solution_fields
from forebear.search.incumbent import Incumbent
from forebear.search.stop import ENDS_ALL, Standing, StopRule, time_limit
from forebear.search.threads import Workers
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from forebear.search.checkpoint import Checkpointer


@dataclass
class Runner:
    """A running chain: its best network, and the reason why it stopped.

    If ``saves_states`` is true, the state before each generation is kept. A generation that the
    time limit or a signal stopped is not saved: a resumed search repeats it from its start.

    The thread of the chain changes a runner; other threads may call ``standing``.
    """

    number: int
    chain: Chain
    started: float
    saves_states: bool = False
    best: Solution | None = None
    generation: int = 0
    improved_at: tuple[float, int] = (0.0, 0)
    reason: str | None = None
    state_before: dict[str, Any] | None = None  # of the chain, if its last generation was stopped
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def score(self) -> float:
        """The score of the best network."""
        return float("-inf") if self.best is None else self.best.score

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        best = None
        if self.best is not None:
            best = solution_fields(self.best, with_sets=self.chain.sets_grow)
        return {
            "generation": self.generation - (self.state_before is not None),
            "improved_at": list(self.improved_at),
            "best": best,
            "chain": self.state_before or self.chain.state(),
        }

    def step(self, workers: Workers) -> Improvement | None:
        """Run one generation; return the improvement if there is a better network."""
        state = self.chain.state() if self.saves_states else None
        self.chain.advance(workers)
        self.state_before = state if workers.budget.spent else None
        progressing = self.chain.is_progressing()
        with self._lock:
            self.generation += 1
            if progressing:
                self.improved_at = (time.perf_counter() - self.started, self.generation)
        return self.update_best()

    def update_best(self) -> Improvement | None:
        """Record the best network of the chain; return the improvement if it is better."""
        solution = self.chain.best
        if self.best is not None and solution.score <= self.best.score:
            return None
        seconds = time.perf_counter() - self.started
        with self._lock:
            self.best, self.improved_at = solution, (seconds, self.generation)
        return Improvement(self.number, seconds, self.generation, solution.score)

    def standing(self) -> Standing:
        """Return the progress of the chain."""
        with self._lock:
            seconds = time.perf_counter() - self.started
            generation, score, (when, improved) = self.generation, self.score, self.improved_at
        return Standing(
            seconds, generation, score, seconds - when, generation - improved, self.chain.runs
        )


@dataclass(frozen=True)
class Outcome:
    """The chains after a search, and the best network.

    ``lost`` describes work that failed on an executor.
    """

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
    """Run chains in parallel until a rule stops them. An interrupt returns the networks so far.

    All chains share ``threads`` worker threads. Under a generation limit, the result does not
    depend on their number. Times count from the ``started`` of the runners. All networks are
    offered to the ``incumbent``, and ``keeper`` writes checkpoints. ``between`` is called between
    generations, in the thread of the chain; it may return a reason to stop.
    """
    started = min(runner.started for runner in runners)
    limit = time_limit(stop)
    spent = time.perf_counter() - started
    left = None if limit is None else max(limit - spent, LEAST_STEP_SECONDS)
    watcher = watcher or Watcher()
    incumbent = incumbent or Incumbent(watcher)
    for runner in runners:
        if runner.best is not None:  # the search is resumed
            incumbent.offer(runner.best, chain=runner.number)
    for runner in runners:
        runner.saves_states |= keeper is not None
    with Workers(threads, left) as workers:
        watcher.started(workers.budget.cancel)

        def offer(runner: Runner, improvement: Improvement | None) -> None:
            if improvement is not None and runner.best is not None:
                incumbent.offer(runner.best, improvement)

        def drive(runner: Runner, workers: Workers) -> None:
            if runner.generation:  # a resumed chain may already be at its limit
                runner.reason = stop(runner.standing())
            while runner.reason is None:
                offer(runner, runner.step(workers))
                if between is not None and not workers.budget.spent:
                    runner.reason = between(runner, workers)
                    offer(runner, runner.update_best())
                runner.reason = runner.reason or stop(runner.standing())
                if runner.reason in ENDS_ALL:
                    workers.budget.cancel()
                elif runner.reason is None and workers.budget.spent:
                    runner.reason = "cancelled" if workers.budget.cancelled else "time"
                if keeper:
                    seconds = time.perf_counter() - started
                    keeper.offer(runner.number, runner.state, incumbent, seconds)

        def tick() -> None:
            watcher.standing([runner.standing() for runner in runners])

        try:
            reason = _drive_all(runners, drive, workers, tick)
        finally:
            if keeper:
                states = {runner.number: runner.state() for runner in runners if runner.generation}
                keeper.close(states, incumbent, time.perf_counter() - started)
            for runner in runners:
                runner.chain.suspend()
    return Outcome(runners, incumbent, time.perf_counter() - started, reason)


def _drive_all(
    runners: Sequence[Runner],
    drive: Callable[[Runner, Workers], None],
    workers: Workers,
    tick: Callable[[], None],
) -> str:
    """Run all chains in parallel, each in its own thread; return why they stopped."""

    started = threading.Event()

    def work(runner: Runner, workers: Workers) -> None:
        started.wait()
        try:
            drive(runner, workers)
        except BaseException:  # the other chains must not continue
            workers.budget.cancel()
            raise
        finally:
            workers.close_queue()

    interrupted = False
    with ThreadPoolExecutor(len(runners)) as drivers:
        # All queues are opened before the first job, so that each chain has its share of threads
        # from the start. No chain starts before interrupts are caught below.
        try:
            queues = [workers.with_new_queue() for _ in runners]
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
