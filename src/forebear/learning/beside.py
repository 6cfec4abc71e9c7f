"""run_beside(): a search and a proof that run beside each other.

The search has all threads as long as it finds better networks. When it has found none for a while,
a proof starts, with a thread of its own. If there is only one thread, the two take turns. The
networks of each join the other, and the search goes on with the sets that the proof leaves. If the
search finds something better after all, the proof stands still until it is quiet again, and so it
does when it has had its share of the time.

Sets that grow make a proof void, so another one starts when they have not grown for a while. Under
relations they would grow all the time, so the search adds none while a proof works. Once the best
network of the sets at hand is proven, the search asks for more of them.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from forebear.budget import TURN_SECONDS
from forebear.search.runner import run
from forebear.search.stop import AnyOf
from forebear.search.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebear._util.watcher import Watcher
    from forebear.learning.prover import Prover
    from forebear.parentsets.collection import ParentSets
    from forebear.search.runner import Keeper, Outcome, Runner
    from forebear.search.stop import Standing, StopRule
    from forebear.search.threads import Workers

_PAUSED = "paused"
"""The reason to stop of a chain that is run again."""


class Prospect(Protocol):
    """The proof that a search may have."""

    @property
    def quiet_seconds(self) -> float:
        """How long a search must find nothing better before a proof starts."""

    def seconds_beside(self, idle: float, gap: float) -> float:
        """How long a proof with this gap may work beside a search that is idle for so long."""

    def begin(self, runner: Runner, threads: int) -> Prover:
        """Start a proof of the best network of a chain, over all its sets."""


def run_beside(
    runners: Sequence[Runner],
    *,
    stop: StopRule,
    threads: int,
    proof: Prospect,
    grows: bool,
    keeper: Keeper | None = None,
    watcher: Watcher | None = None,
) -> Outcome:
    """Run chains, and a proof beside them when they find nothing better.

    If the proof ends first, so does the search. Otherwise the proof is where it was when the rule
    stopped the search.
    """
    trace = Trace()
    pair = _Pair(runners, trace, proof, grows=grows)

    def search(until: Callable[[], bool], threads: int) -> Outcome:
        return run(
            runners,
            stop=AnyOf(stop, _Once(until)),
            threads=threads,
            trace=trace,
            keeper=None if keeper is None else _KeptOpen(keeper),
            watcher=watcher,
            meet=pair.meet,
        )

    try:
        outcome = search(pair.is_quiet, threads)
        while _is_paused(outcome) and not pair.complete:
            try:
                pair.resume(threads)
                if threads > 1:
                    outcome = search(pair.is_over, threads - 1)
                while threads == 1 and _is_paused(outcome) and not pair.is_over():
                    pair.give_turn()
                    outcome = search(pair.turn_is_over, 1)
                pair.settle()
            except KeyboardInterrupt:  # while it waited for the proof
                return replace(outcome, stop_reason="interrupted")
            if _is_paused(outcome):
                outcome = search(pair.is_quiet, threads)
    finally:
        if keeper is not None:
            keeper.close(runners, trace, time.perf_counter() - runners[0].started)
    return replace(outcome, stop_reason="optimal") if pair.complete else outcome


def _is_paused(outcome: Outcome) -> bool:
    """Whether chains stopped only to be run again."""
    over = outcome.stop_reason in ("target", "time", "cancelled", "interrupted")
    return not over and any(runner.reason == _PAUSED for runner in outcome.runners)


class _KeptOpen:
    """A keeper that is closed later: the search goes on."""

    def __init__(self, keeper: Keeper) -> None:
        self.offer = keeper.offer

    def close(self, runners: Sequence[Runner], trace: Trace, seconds: float) -> None:
        """Do nothing."""


class _Once:
    """A rule that stops all chains as soon as something is true for one of them."""

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds = holds
        self._decided = False

    def __call__(self, standing: Standing) -> str | None:
        del standing
        self._decided = self._decided or self._holds()
        return _PAUSED if self._decided else None


class _Pair:
    """A search and a proof: what each knows of the other."""

    def __init__(
        self, runners: Sequence[Runner], trace: Trace, proof: Prospect, *, grows: bool
    ) -> None:
        self.complete = False  # proven, and there are no more sets to ask for
        self._runners = runners
        self._trace = trace
        self._proof = proof
        self._grows = grows
        self._prover: Prover | None = None
        self._heard: dict[int, int] = {}
        self._better = 0  # networks found when the proof last began to work
        self._asks = False
        self._sets: ParentSets | None = None
        self._grown_at = 0.0
        self._quiet = proof.quiet_seconds
        self._turn = (0.0, 0.0)
        self._worked = 0.0  # how long proofs have worked, and since when this one does
        self._working_since: float | None = None
        self._gap = math.inf  # the smallest that a proof has come to: a later one will, too

    # ---- rules ------------------------------------------------------------------------------

    def is_quiet(self) -> bool:
        """Whether a proof should start or continue."""
        if self.complete:
            return True
        if self._asks or (self._prover is not None and self._prover.ended and not self._grown()):
            return False  # it has nothing more to prove
        idle = self._idle()
        if self._seconds_left(idle) < TURN_SECONDS:
            return False
        if self._can_hold():
            return idle >= self._quiet
        return min(idle, time.perf_counter() - self._grown_at) >= self._quiet

    def _idle(self) -> float:
        """How long the search has found nothing better."""
        return min(runner.standing().idle_seconds for runner in self._runners)

    def _seconds_left(self, idle: float) -> float:
        """How long a proof may still work."""
        since = self._working_since
        now = 0.0 if since is None else time.perf_counter() - since
        if self._prover is not None:
            self._gap = min(self._gap, self._prover.gap)
        return self._proof.seconds_beside(idle, self._gap) - self._worked - now

    def is_over(self) -> bool:
        """Whether the search should have all threads again."""
        prover = self._prover
        return prover is None or prover.ended or (self._must_wait() and prover.exchange.stands)

    def _must_wait(self) -> bool:
        """Whether the proof should wait: the search finds better networks, or it had its share."""
        return len(self._trace) > self._better or self._seconds_left(self._idle()) <= 0

    def turn_is_over(self) -> bool:
        """Whether it is the turn of the proof, or it has none for now."""
        return self.is_over() or time.perf_counter() >= sum(self._turn)

    # ---- the proof --------------------------------------------------------------------------

    def resume(self, threads: int) -> None:
        """Let the proof work: the same as before if the sets are the same."""
        best = max(self._runners, key=lambda runner: runner.score)
        if self._prover is None or self._grown():
            self._stop()
            self._prover = self._proof.begin(best, threads=1)
            self._heard.clear()
        elif threads > 1:
            self._prover.exchange.let_work(float("inf"))
        self._hold(True)
        self._better = len(self._trace)
        if threads > 1:
            self._working_since = time.perf_counter()

    def give_turn(self) -> None:
        """Let the proof work while the search stands still; the search then has as long."""
        if self._prover is None:
            raise AssertionError("there is no proof to work on")
        begun = time.perf_counter()
        self._prover.exchange.let_work(TURN_SECONDS)
        self._prover.exchange.wait()
        now = time.perf_counter()
        self._worked += now - begun
        self._turn = (now, max(TURN_SECONDS, now - begun))

    def settle(self) -> None:
        """Let the search have all threads: the proof has ended or stands still."""
        prover = self._prover
        self._hold(False)
        if self._working_since is not None:
            self._worked += time.perf_counter() - self._working_since
            self._working_since = None
        if prover is None:
            return
        if self._grown():
            self._quiet *= 2  # a proof that was in vain: wait longer for the next one
            self._stop()
        elif prover.proven:
            self._asks = self._grows
            self.complete = not self._grows

    def _can_hold(self) -> bool:
        """Whether the chains can stop adding sets while a proof works on those at hand."""
        return all(hasattr(runner.chain, "hold") for runner in self._runners)

    def _hold(self, held: bool) -> None:
        for runner in self._runners if self._can_hold() else ():
            chain: Any = runner.chain
            chain.hold(held)

    def _stop(self) -> None:
        if self._prover is not None:
            self._prover.discard()
        self._prover = None

    def _grown(self) -> bool:
        """Whether there are sets that the proof does not know."""
        return self._prover is not None and any(
            runner.all_sets is not self._prover.parent_sets for runner in self._runners
        )

    # ---- between two generations --------------------------------------------------------------

    def meet(self, runner: Runner, workers: Workers) -> None:
        """Tell a chain and the proof of each other's findings."""
        if self._grows and runner.all_sets is not self._sets:
            self._sets, self._grown_at = runner.all_sets, time.perf_counter()
        if self._asks:
            self._asks = False
            growing: Any = runner.chain
            self.complete = not growing.ask_for_more(workers) and not workers.budget.spent
        prover = self._prover
        if prover is None:
            return
        if runner.all_sets is not prover.parent_sets:
            prover.abandon()
            return
        if runner.score > prover.exchange.known:
            prover.exchange.offer(*runner.best_ranks())
        if self._must_wait() and not prover.exchange.stands:
            prover.exchange.let_work(0.0)
        version, news = prover.exchange.news()
        if version == self._heard.get(runner.number, 0):
            return
        self._heard[runner.number] = version
        chain: Any = runner.chain
        if news.survivors is not None and hasattr(chain, "narrow"):
            chain.narrow(workers, news.survivors)
        if news.network is not None and hasattr(chain, "welcome"):
            chain.welcome(workers, *news.network)
