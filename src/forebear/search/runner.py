"""Running the chains of a search side by side until a rule stops them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from forebear._util.watcher import Watcher
from forebear.budget import LEAST_RUN_SECONDS
from forebear.search.alternatives import best_distinct
from forebear.search.space import Individual, as_order
from forebear.search.stop import ENDS_ALL, Standing, StopRule, time_limit
from forebear.search.threads import Workers
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.search.space import SearchSpace


TICK_SECONDS = 0.2
"""How often watchers hear where the chains stand: often enough for a live view."""


class Chain(Protocol):
    """One search, advanced generation by generation."""

    @property
    def space(self) -> SearchSpace:
        """The sets searched now."""

    @property
    def best(self) -> Individual:
        """The best found so far among those at hand."""

    def networks(self) -> Sequence[NDArray[np.int32]]:
        """Good networks at hand: ranks (from 0) among all sets."""

    def advance(self, workers: Workers) -> None:
        """Make one generation."""

    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue, as numbers and arrays."""


@dataclass
class Runner:
    """A running chain: its best network, and why it stopped.

    If it ``keeps`` states, a generation that the time or a signal cuts short is
    not part of them: a resumed search makes it again from its start.
    """

    number: int
    chain: Chain | None  # None if it ran elsewhere
    started: float
    keeps: bool = False
    best: Individual | None = None
    best_space: SearchSpace | None = None
    score: float = float("-inf")
    generation: int = 0
    improved_at: tuple[float, int] = (0.0, 0)
    reason: str | None = None
    found_elsewhere: Sequence[NDArray[np.int32]] = ()
    grown_elsewhere: ParentSets | None = None
    before: dict[str, Any] | None = None  # the chain, before a generation that was cut short

    @classmethod
    def resumed(
        cls,
        number: int,
        chain: Chain,
        space: SearchSpace,
        started: float,
        state: dict[str, Any],
    ) -> Runner:
        """Make a runner that continues from a saved state; ``space`` has all sets."""
        best = state["best"]
        order, ranks = as_order(best["order"]), as_order(best["ranks"])
        score = space.score(ranks)
        if score != best["score"] or (ranks < space.best_ranks(order)).any():
            raise ValueError("its best network is not one of these parent sets")
        at, generation = state["improved_at"]
        return cls(
            number=number,
            chain=chain,
            started=started,
            best=Individual(int(best["ticks"]), order, ranks),
            best_space=space,
            score=score,
            generation=int(state["generation"]),
            improved_at=(float(at), int(generation)),
        )

    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue, as numbers and arrays."""
        best = None
        if self.best is not None:
            score, now = self._best_now()
            best = {"score": score, "ticks": now.score, "order": now.order, "ranks": now.ranks}
        whole = self.before or (None if self.chain is None else self.chain.state())
        return {
            "generation": self.generation - (self.before is not None),
            "improved_at": list(self.improved_at),
            "best": best,
            "chain": whole,
        }

    def step(self, workers: Workers) -> Improvement | None:
        """Make one generation and tell if it found something better."""
        if self.chain is None:
            raise AssertionError("this chain ran elsewhere")
        whole = self.chain.state() if self.keeps else None
        self.chain.advance(workers)
        self.generation += 1
        self.before = whole if workers.budget.spent else None
        found = self.chain.best
        gets_on = getattr(self.chain, "gets_on", None)
        if gets_on and gets_on():
            self.improved_at = (time.perf_counter() - self.started, self.generation)
        # Ticks compare only within the same sets.
        sets = self.chain.space.parent_sets
        same = self.best_space is None or self.best_space.parent_sets is sets
        if self.best is not None and same and found.score <= self.best.score:
            return None
        # Ticks are rounded: what they call better may be worse by the last digits.
        score, before, first = self.chain.space.score(found.ranks), self.score, self.best is None
        if score < before or (not same and score == before):
            return None
        seconds = time.perf_counter() - self.started
        self.best, self.best_space, self.score = found, self.chain.space, score
        self.improved_at = (seconds, self.generation)
        better = first or score > before
        return Improvement(self.number, seconds, self.generation, score) if better else None

    def best_ranks(self) -> tuple[float, NDArray[np.int64]]:
        """The score of the best network, and the ranks (from 0) of its sets among all sets."""
        if self.chain is None and self.best is not None:
            return self.score, self.best.ranks.astype(np.int64)
        score, best = self._best_now()
        return score, best.ranks.astype(np.int64)

    def networks(self) -> NDArray[np.int32]:
        """The best distinct networks that it has, best first, as ranks (from 0) among all sets."""
        if self.chain is None or self.best is None or self.best_space is None:
            return np.array(self.found_elsewhere, dtype=np.int32)
        _, best = self._best_now()
        return best_distinct(self.chain.space.parent_sets, [best.ranks, *self.chain.networks()])

    @property
    def all_sets(self) -> ParentSets | None:
        """All sets that its networks are made of, as they are now."""
        return self.grown_elsewhere if self.chain is None else self.chain.space.parent_sets

    def sets_are(self, sets: ParentSets) -> bool:
        """Whether its networks are made of these sets."""
        return self.all_sets is None or self.all_sets is sets

    def _best_now(self) -> tuple[float, Individual]:
        """The best network and its score, with ranks among all sets as they are now."""
        if self.best is None or self.best_space is None or self.chain is None:
            raise AssertionError("there is no network yet")
        best, space = self.best, self.chain.space
        if self.best_space.parent_sets is space.parent_sets:
            ranks = self.best_space.full_ranks(best.ranks)
            return self.score, Individual(best.score, best.order, ranks)
        growing: Any = self.chain  # only chains whose sets grow come here
        now = growing.renewed(best)
        return space.score(now.ranks), now

    def standing(self) -> Standing:
        """Say how far it is."""
        seconds = time.perf_counter() - self.started
        when, generation = self.improved_at
        return Standing(
            seconds, self.generation, self.score, seconds - when, self.generation - generation
        )


@dataclass(frozen=True)
class Outcome:
    """What the chains came to."""

    runners: Sequence[Runner]
    trace: Trace
    seconds: float
    stop_reason: str
    lost: tuple[str, ...] = ()

    @property
    def parent_sets(self) -> ParentSets | None:
        """The sets of the best network's chain, as they are at the end."""
        return self.winner.all_sets

    @property
    def winner(self) -> Runner:
        """The chain with the best network; the first of equals."""
        return max(self.runners, key=lambda runner: (runner.score, -runner.number))


class Keeper(Protocol):
    """Keeps what a search would need to be resumed."""

    def offer(self, runner: Runner, trace: Trace, seconds: float) -> None:
        """See a chain after a generation, from its own thread."""

    def close(self, runners: Sequence[Runner], trace: Trace, seconds: float) -> None:
        """See all chains at the end."""


def start_runners(chains: Sequence[Chain], started: float) -> list[Runner]:
    """Make a runner for each chain."""
    return [Runner(number, chain, started) for number, chain in enumerate(chains, 1)]


def run(
    runners: Sequence[Runner],
    *,
    stop: StopRule,
    threads: int,
    trace: Trace | None = None,
    keeper: Keeper | None = None,
    watcher: Watcher | None = None,
    meet: Callable[[Runner, Workers], None] | None = None,
) -> Outcome:
    """Run chains side by side. If it is interrupted, it returns what was found.

    All chains share ``threads`` workers, so that the result under a generation limit does not
    depend on the number of threads. Time counts from the start that the runners note. ``trace``
    holds what was found before a resumed search; ``keeper`` writes checkpoints. ``meet`` is called
    between generations, in the thread of the chain. The same runners can be run again.
    """
    started = min(runner.started for runner in runners)
    limit = time_limit(stop)
    spent = time.perf_counter() - started
    left = None if limit is None else max(limit - spent, LEAST_RUN_SECONDS)
    trace = Trace() if trace is None else trace
    watcher = watcher or Watcher()
    for runner in runners:
        runner.keeps = keeper is not None
    with Workers(threads, left) as workers:
        watcher.started(workers.budget.cancel)
        lock = threading.Lock()

        def drive(runner: Runner, workers: Workers) -> None:
            if runner.generation:  # it may be over already
                runner.reason = stop(runner.standing())
            while runner.reason is None:
                improvement = runner.step(workers)
                if improvement is not None:
                    with lock:
                        trace.add(improvement)
                        watcher.improved(improvement)
                if meet is not None and not workers.budget.spent:
                    meet(runner, workers)
                runner.reason = stop(runner.standing())
                if runner.reason in ENDS_ALL:
                    workers.budget.cancel()
                elif runner.reason is None and workers.budget.spent:
                    runner.reason = "cancelled" if workers.budget.cancelled else "time"
                if keeper:
                    keeper.offer(runner, trace, time.perf_counter() - started)

        def tick() -> None:
            watcher.standing([runner.standing() for runner in runners])

        try:
            reason = _drive_all(runners, drive, workers, tick)
        finally:
            if keeper:
                keeper.close(runners, trace, time.perf_counter() - started)
            for runner in runners:
                _rest(runner)
    return Outcome(runners, trace, time.perf_counter() - started, reason)


def _rest(runner: Runner) -> None:
    """Let a chain forget the threads that it had."""
    rest = getattr(runner.chain, "rest", None)
    if rest:
        rest()


def _drive_all(
    runners: Sequence[Runner],
    drive: Callable[[Runner, Workers], None],
    workers: Workers,
    tick: Callable[[], None],
) -> str:
    """Drive all chains at once, in turns if threads are fewer; tell why they stopped."""

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
    return next(
        (reason for reason in ("target", "time", "cancelled") if reason in reasons), reasons[0]
    )
