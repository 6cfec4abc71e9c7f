"""How far from the optimum a network can be: proven before the search, or after it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import LimitError
from forebear.bound.bound import find_bound
from forebear.budget import (
    CORE_DYNAMIC_VARIABLES,
    PROOF_BESIDE_SHARE,
    PROOF_IDLE_SHARE,
    PROOF_IDLE_SHARE_MANY,
    PROOF_LEAST_IDLE,
    PROOF_LEAST_QUIET,
    PROOF_MANY_VARIABLES,
    PROOF_MOST_SECONDS,
    PROOF_NEAR_NATS,
    PROOF_QUIET_SHARE,
    PROOF_SHARE,
    PROOF_SHARE_ASKED,
)
from forebear.exact.certificate import warn_of_no_certificate
from forebear.knowledge.orders import ordered_sets, predecessors
from forebear.knowledge.relations import Relations
from forebear.learning.prover import Prover
from forebear.result import negligible
from forebear.search.alternatives import Alternative, within_limits
from forebear.search.stop import AnyOf, NoImprovement, Target
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.bound.bound import Bound
    from forebear.budget import Clock
    from forebear.learning.request import SearchRequest
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.runner import Runner
    from forebear.search.stop import StopRule

_SLACK = 1e-9
"""Relative: a score this near the bound is the bound."""

_LEAST_SECONDS = 0.01
"""A proof gets this long at least: its first round is quick and says something."""


class Proof:
    """A bound on the score of every network of some parent sets.

    Problems of up to 18 variables are solved before the search, which then ends when it has the
    optimum. Otherwise exact search starts from the network that the search found: beside the search
    when that finds nothing better (``learning/beside.py``), and alone in the time left after it. If
    it finds a better network, that is the result.

    Parameters
    ----------
    parent_sets
        The sets that were scored.
    request
        The search that the proof belongs to.
    clock
        The time of the whole run.
    reserve
        Seconds that must be left when the proof ends.
    grows
        Whether the sets grow: then nothing can be proven before the search.
    relations
        What networks have to respect.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        request: SearchRequest,
        clock: Clock,
        reserve: float = 0.0,
        *,
        grows: bool = False,
        relations: Relations | None = None,
    ) -> None:
        certify, n = request.certify, parent_sets.n_variables
        asked = certify is True or request.certificate is not None
        self._sets = parent_sets
        self._request = request
        self._clock = clock
        self._reserve = reserve
        # The core bounds problems whose variables have numbers of 16 bits.
        possible = parent_sets.parents.dtype == np.uint16
        self._wanted = possible and (asked or (certify is None and request.timed))
        self._share = PROOF_SHARE_ASKED if asked else PROOF_SHARE
        self._asked = asked
        self._ends_idle_search = False
        self._search_seconds = 0.0
        self._grows = grows
        self._relations = relations or Relations()
        self._known: Bound | None = None
        self._prover: Prover | None = None
        early = certify is not False and request.certificate is None and not grows
        # What such a bound says of networks that respect relations is often too little. Where the
        # proof must not take its own time, it is all there is.
        early &= self._relations.are_orders or not request.timed
        if early and n <= CORE_DYNAMIC_VARIABLES:
            # Under a generation limit the proof must not depend on the speed of the machine.
            seconds = min(clock.left() / 2, PROOF_MOST_SECONDS) if request.timed else math.inf
            self._known = self._bound(seconds)
            clock.lap("bound")

    @property
    def solved(self) -> bool:
        """Whether no network exceeds the bound that is known, and one reaches it."""
        solved = self._known is not None and self._known.stop_reason == "optimal"
        return solved and self._relations.are_orders

    def leave_time(self, seconds: float) -> float:
        """Return what the proof leaves of the search time."""
        return seconds * (1 - self._share) if self._wanted and not self.solved else seconds

    def rule(self, wanted: StopRule | None, seconds: float | None) -> StopRule | None:
        """Add to the user's rule that a search ends at the optimum.

        If the user asks for a proof, it also ends when it is idle.
        """
        rules = [] if wanted is None else [wanted]
        # Which of several chains is the first at the optimum depends on the machine.
        repeats = not self._request.timed and self._request.algorithm.search.chains > 1
        if self._known is not None and self.solved and not repeats:
            rules.insert(0, Target(self._known.bound - _SLACK * abs(self._known.bound)))
        elif self._wanted and self._request.timed and seconds is not None:
            self._search_seconds = seconds
            self._ends_idle_search = self._asked
            if self._asked:
                rules.append(NoImprovement(seconds=self._idle_seconds(seconds)))
        return AnyOf(*rules) if rules else None

    def _idle_seconds(self, seconds: float) -> float:
        """Return after how long without improvement a search of some seconds ends."""
        many = self._sets.n_variables > PROOF_MANY_VARIABLES or not self._relations.are_orders
        return max(
            PROOF_LEAST_IDLE, seconds * (PROOF_IDLE_SHARE_MANY if many else PROOF_IDLE_SHARE)
        )

    @property
    def runs_beside(self) -> bool:
        """Whether the proof can run beside the search."""
        request = self._request
        # Under a generation limit the result must not depend on the speed of the machine. Chains
        # whose sets grow have collections of their own.
        one = not self._grows or request.algorithm.search.chains == 1
        here = request.executor is None
        return self._wanted and not self.solved and request.timed and here and one

    @property
    def quiet_seconds(self) -> float:
        """How long a search must find nothing better before a proof starts."""
        return max(PROOF_LEAST_QUIET, PROOF_QUIET_SHARE * self._search_seconds)

    def seconds_beside(self, idle: float, gap: float) -> float:
        """How long a proof may work beside a search that has found nothing better for so long.

        The gap is the one that the proof has come to.
        """
        if self._asked:
            return math.inf
        seconds = self._share * self._search_seconds
        is_near = gap <= PROOF_NEAR_NATS * self._sets.n_variables
        return seconds + PROOF_BESIDE_SHARE * idle if is_near else seconds

    def begin(self, runner: Runner, threads: int) -> Prover:
        """Start a proof of the best network of a chain, over all its sets."""
        sets, best = runner.all_sets, runner.best
        if sets is None or best is None:
            raise AssertionError("the chain has run here, and has a network")
        return self._begin(sets, best.order, *runner.best_ranks(), threads)

    def _begin(
        self,
        parent_sets: ParentSets,
        order: NDArray[np.int32],
        score: float,
        ranks: NDArray[np.integer],
        threads: int,
    ) -> Prover:
        self._prover = Prover(
            parent_sets,
            order,
            score,
            ranks,
            self._relations,
            seconds=max(self._most_seconds(), _LEAST_SECONDS),
            threads=threads,
            seed=self._request.seed,
            watcher=self._request.watcher,
            certificate=self._request.certificate,
        )
        return self._prover

    def _most_seconds(self) -> float:
        """Return the seconds that there are for a proof from now on."""
        seconds = self._clock.left() - self._reserve
        return min(seconds, PROOF_MOST_SECONDS) if self._clock.limit is None else seconds

    def close(self) -> None:
        """End a proof that nobody wants."""
        if self._prover is not None:
            self._prover.discard()

    def of(self, result: Result, parent_sets: ParentSets | None = None) -> Result:
        """Add the bound over the sets as they are now. The result is kept, whatever happens."""
        self._sets = parent_sets or self._sets
        if self._known is not None:
            result = replace(result, bound=max(self._known.bound, result.score))
        elif self._wanted:
            try:
                result = self._prove(result)
            except KeyboardInterrupt:
                result = replace(result, stop_reason="interrupted")
            except (LimitError, MemoryError):  # then there is no proof
                pass
            self._clock.lap("bound")
        if self._request.certificate is not None and result.bound is None:
            warn_of_no_certificate(self._request.certificate)
        return replace(result, stop_reason="optimal") if result.status == "optimal" else result

    def _prove(self, result: Result) -> Result:
        idle = self._ends_idle_search and result.stop_reason == "no improvement"
        seconds = self._most_seconds()
        if not idle:
            seconds = min(seconds, max(1.0, self._share * 2 * result.seconds))
        prover, threads = self._prover, self._request.threads
        if prover is None or prover.parent_sets is not self._sets:
            self.close()
            if seconds <= 0 or result.stop_reason == "interrupted":
                return result
            order = np.array(result.order, dtype=np.int32)
            ranks = np.array([choice.rank - 1 for choice in result.choices])
            prover = self._begin(self._sets, order, result.score, ranks, threads)
        if idle:  # the proof goes on until the time is over
            result = replace(result, stop_reason="time")
        if result.stop_reason == "interrupted":
            seconds = 0.0
        best = prover.result(max(seconds, _LEAST_SECONDS), threads)
        if best.score > result.score + negligible(result.score):
            result = self._improved(result, best)
        bound = math.inf if best.bound is None else best.bound
        return _bounded(result, bound, best.stop_reason)

    def _improved(self, result: Result, best: Result) -> Result:
        """Take the better network, with the alternatives and the trace of both."""
        better = result.of_network(self._sets, best.network.parents)
        own = Alternative(better.score, better.network.parents)
        others = dict.fromkeys(
            one for one in (*best.alternatives, *result.alternatives) if one != own
        )
        trace = Trace([*result.trace])
        generations = max(result.generations, default=0)
        trace.add(Improvement(result.winner, self._clock.spent(), generations, better.score))
        return replace(
            better,
            alternatives=within_limits([own, *sorted(others, key=lambda one: -one.score)]),
            trace=trace,
        )

    def _bound(self, seconds: float) -> Bound:
        earlier = predecessors(self._relations.before)
        return find_bound(
            ordered_sets(self._sets, earlier),
            time_limit=None if math.isinf(seconds) else max(seconds, _LEAST_SECONDS),
            rounds=_UNLIMITED if math.isinf(seconds) else None,
            threads=self._request.threads,
            watcher=self._request.watcher,
        )


_UNLIMITED = 2**31
"""More rounds than the exact solution of a small problem takes: it ends by itself."""


def _bounded(result: Result, bound: float, reason: str) -> Result:
    """Note a bound if it is better than the one known, and that the user wants to stop."""
    known = math.inf if result.bound is None else result.bound
    result = replace(result, bound=max(min(known, bound), result.score))
    return replace(result, stop_reason="interrupted") if reason == "interrupted" else result
