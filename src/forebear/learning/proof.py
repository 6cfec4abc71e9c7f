"""How far from the optimum a network can be: proven before the search, or after it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import LimitError
from forebear._util.watcher import Watcher
from forebear.bound.bound import find_bound
from forebear.budget import (
    CORE_DYNAMIC_VARIABLES,
    PROOF_MOST_SECONDS,
    PROOF_SHARE,
    PROOF_SHARE_ASKED,
)
from forebear.exact.certificate import warn_of_no_certificate
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact
from forebear.knowledge.orders import ordered_sets, predecessors
from forebear.knowledge.relations import Relations
from forebear.result import negligible
from forebear.search.alternatives import Alternative, with_alternatives
from forebear.search.chain import FoundNetwork
from forebear.search.stop import AnyOf, Target
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear.bound.bound import Bound
    from forebear.budget import Clock
    from forebear.learning.request import SearchRequest
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.runner import Runner
    from forebear.search.stop import StopRule
    from forebear.search.threads import Workers

_SLACK = 1e-9
"""Relative: a score this near the bound is the bound."""

STEPS_PER_RUN = 2
STEPS_FACTOR = 4
"""Steps of the proof that is tried after the first run of the search, and how many times more after
each further one, as runs take that many times longer. A step is a round of the dual ascent or a
linear program. With 16 steps first, proofs took 6 of 9 s of the search on jester-train, with 2 they
take 1 s."""

_LEAST_SECONDS = 0.01
"""A proof gets this long at least: its first round is quick and says something."""


class Proof:
    """A bound on the score of every network of some parent sets.

    Problems of up to 18 variables are solved before the search, which then ends when it has the
    optimum. Otherwise exact search is tried whenever the search has come to a standstill, each time
    with more steps, and once more in the time left after the search. If it finds a better network,
    that joins the search, or is the result.

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
        self._relations = relations or Relations()
        self._known: Bound | None = None
        self._runs = 0  # of the search, after which a proof was tried
        self._best: Result | None = None  # of the last proof that was tried
        self._optimal = False  # whether that proved the best network of the sets it had
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

    def rule(self, wanted: StopRule | None) -> StopRule | None:
        """Add to the user's rule that a search ends at the optimum."""
        rules = [] if wanted is None else [wanted]
        # Which of several chains is the first at the optimum depends on the machine.
        repeats = not self._request.timed and self._request.algorithm.search.chains > 1
        if self._known is not None and self.solved and not repeats:
            rules.insert(0, Target(self._known.bound - _SLACK * abs(self._known.bound)))
        return AnyOf(*rules) if rules else None

    @property
    def between_runs(self) -> Callable[[Runner, Workers], str | None] | None:
        """What to call between the generations of the search; None if no proof is tried there.

        Under a generation limit the result must not depend on the speed of the machine. Chains
        whose sets grow have collections of their own.
        """
        request = self._request
        one = request.algorithm.search.chains == 1
        tried = self._wanted and not self.solved and request.timed and one
        return self._try if tried and request.executor is None else None

    def _try(self, runner: Runner, workers: Workers) -> str | None:
        """Try a proof if the chain has come to a standstill; return "optimal" if it is proven."""
        chain = runner.chain
        if chain is None or runner.best is None:
            return None
        # Once the best network of the present sets is proven, only other sets can change it.
        again = self._optimal and chain.exhausted
        if chain.runs <= self._runs and not again:
            return None
        self._runs, self._optimal = chain.runs, False
        sets = chain.parent_sets()
        choices = [sets.find(v, own) for v, own in enumerate(runner.best.parents)]
        ranks = np.array([0 if one is None else one.rank - 1 for one in choices])
        steps = count(STEPS_PER_RUN * STEPS_FACTOR ** (chain.runs - (not again)), -1)

        def proceed() -> bool:
            return next(steps) > 0 and not workers.budget.spent

        try:
            self._best = self._solve(
                sets, runner.best.order, ranks, self._most_seconds(), workers.threads, proceed
            )
        except (LimitError, MemoryError):  # then there is no proof
            return None
        if self._best.score > runner.best.score + negligible(runner.best.score):
            chain.offer(workers, _found(sets, self._best))
        elif self._best.stop_reason == "optimal":
            if not chain.add_sets(workers):
                self._sets = sets
                return "optimal"
            self._optimal = True
        return None

    def _solve(
        self,
        sets: ParentSets,
        order: NDArray[np.int32],
        ranks: NDArray[np.integer],
        seconds: float,
        threads: int,
        proceed: Callable[[], bool] | None = None,
        certificate: Path | str | None = None,
    ) -> Result:
        """Run exact search from a network."""
        result, *_ = find_exact(
            sets,
            Exact(),
            time_limit=max(seconds, _LEAST_SECONDS),
            threads=threads,
            seed=self._request.seed,
            orders=[order],
            networks=[ranks],
            relations=self._relations,
            watcher=Bounding(self._request.watcher, alone=proceed is None),
            certificate=certificate,
            warm_up=False,
            proceed=proceed,
        )
        return result

    def _most_seconds(self) -> float:
        """Return the seconds that there are for a proof from now on."""
        seconds = self._clock.left() - self._reserve
        return min(seconds, PROOF_MOST_SECONDS) if self._clock.limit is None else seconds

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
        tried = self._best
        if tried is not None and tried.score > result.score + negligible(result.score):
            result = self._improved(result, tried)  # the time ended before it joined the search
        seconds = self._most_seconds()
        if not self._asked:  # a search that ended early leaves more time than a proof is worth
            seconds = min(seconds, max(1.0, self._share * 2 * result.seconds))
        if seconds <= 0 or result.stop_reason == "interrupted":
            return result
        request = self._request
        best = self._best
        if best is None or result.stop_reason != "optimal" or request.certificate is not None:
            order = np.array(result.order, dtype=np.int32)
            ranks = np.array([choice.rank - 1 for choice in result.choices])
            best = self._solve(
                self._sets,
                order,
                ranks,
                seconds,
                request.threads,
                certificate=request.certificate,
            )
        if best.score > result.score + negligible(result.score):
            result = self._improved(result, best)
        bound = math.inf if best.bound is None else best.bound
        return _bounded(result, bound, best.stop_reason)

    def _improved(self, result: Result, best: Result) -> Result:
        """Take the better network, with the alternatives and the trace of both."""
        better = result.of_network(self._sets, best.network.parents)
        own = Alternative(better.score, better.network.parents)
        trace = Trace([*result.trace])
        generations = max(result.generations, default=0)
        trace.add(Improvement(result.winner, self._clock.spent(), generations, better.score))
        return replace(
            better,
            alternatives=with_alternatives(own, [*best.alternatives, *result.alternatives]),
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


def _found(sets: ParentSets, result: Result) -> FoundNetwork:
    """Return the network of a result over some sets, as the search takes it."""
    ranks = np.array([choice.rank - 1 for choice in result.choices], dtype=np.int32)
    return FoundNetwork(result.score, np.array(result.order, dtype=np.int32), sets, ranks)


class Bounding(Watcher):
    """Passes on the bound, but not the steps of exact search.

    If it runs ``alone``, it also passes on how to cancel it. Otherwise cancelling the search ends
    it.
    """

    def __init__(self, watcher: Watcher, *, alone: bool) -> None:
        self._watcher = watcher
        self._alone = alone

    def started(self, cancel: Callable[[], None]) -> None:
        """Pass on how to cancel exact search."""
        if self._alone:
            self._watcher.started(cancel)

    def bounding(self, bound: float, score: float | None) -> None:
        """Pass on the bound so far."""
        self._watcher.bounding(bound, score)


def _bounded(result: Result, bound: float, reason: str) -> Result:
    """Note a bound if it is better than the one known, and that the user wants to stop."""
    known = math.inf if result.bound is None else result.bound
    result = replace(result, bound=max(min(known, bound), result.score))
    return replace(result, stop_reason="interrupted") if reason == "interrupted" else result
