"""Early networks: searched for a moment in small sets that grow, before the search itself.

With fewer than 20 variables all parent sets are scored before the search, which can take seconds,
so the sets of up to two parents come first; the search starts from the network found in them. With
more variables, the search meets it when it stalls. In both cases the watcher hears of the network,
and it is the result if the run ends before there is a better one.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import LimitError
from forebear._util.watcher import Quiet
from forebear.budget import (
    EARLY_GENERATIONS,
    EARLY_IDLE_GENERATIONS,
    EARLY_SHARE,
    LEAST_SEARCH_SECONDS,
)
from forebear.learning.algorithms import NamedAlgorithm
from forebear.learning.growth import can_grow, make_growth, with_guest
from forebear.learning.searching import make_result
from forebear.learning.start import initial_orders
from forebear.parentsets.coverage import CUT_SHORT
from forebear.scoring.growing import network_sets
from forebear.search.algorithm import make_runners
from forebear.search.growth import Guest
from forebear.search.psminobs import PSMINOBS
from forebear.search.runner import run
from forebear.search.stop import AnyOf, NoImprovement, Target, make_stop, parts_of
from forebear.search.trace import Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.learning.start import StartNetwork
    from forebear.learning.steps import Means
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.scoring.job import Job
    from forebear.search.growth import Growth
    from forebear.search.runner import Outcome

_ENDS_THE_RUN = ("interrupted", "cancelled", "target")
"""Reasons to stop an early search after which no other search follows."""


class Early:
    """The best network so far, while parent sets are being scored.

    Parameters
    ----------
    known
        What the user knows. There are no early networks if orders cannot enforce it.
    request
        The search that follows. Only those that could have found the network themselves have it:
        a user who asks for hill climbing should get that.
    means
        The time, and what there is for scoring.
    start
        The network that the user starts from. Default: none.

    Attributes
    ----------
    result
        The network, or None. It is one of the ``sets``.
    ended
        Why the run ends with this network, or None if it goes on.
    """

    def __init__(
        self,
        known: Enforced,
        request: SearchRequest,
        means: Means,
        start: StartNetwork | None = None,
    ) -> None:
        self.result: Result | None = None
        self.sets: ParentSets | None = None
        self.ended: str | None = None
        self._known = known
        self._means = means
        self._start = start
        self._asked = request
        made = request.algorithm.made
        own = made if isinstance(made, PSMINOBS) else PSMINOBS()
        name = "ps-minobs" if request.exact is not None else request.algorithm.name
        searches = request.exact is not None or isinstance(made, PSMINOBS)
        self._possible = searches and own.rate in (None, 1.0) and known.relations.are_orders
        self._request = replace(
            request,
            algorithm=NamedAlgorithm(name, replace(own, chains=1)),
            executor=None,
            checkpoint=None,
        )
        self._growth: Growth | None = None
        self._begun = 0.0

    @property
    def orders(self) -> list[NDArray[np.int32]]:
        """Where the search should start.

        Under a generation limit nowhere else than it would without: whether there is an early
        network depends on the cache.
        """
        if self.result is None or not self._request.timed:
            return []
        return [np.array(self.result.order, dtype=np.int32)]

    def score_and_search(self, job: Job, max_parents: int | None) -> None:
        """Score the smallest sets of a job, and search them. They grow if they can."""
        if not self._possible:
            return
        request = replace(self._request, watcher=Quiet(self._request.watcher))
        means = replace(self._means, watcher=request.watcher, cache=None, executor=None)
        try:
            growth = make_growth(job, self._known, means, max_parents, request, self._start)
        except LimitError:  # what follows says better what is wrong
            return
        grows = can_grow(request, self._known, job.data.n_variables)
        self.search(growth.first, growth if grows else None)

    def search(self, sets: ParentSets, growth: Growth | None = None) -> None:
        """Search sets for a moment, from the network so far."""
        if not self._possible or self.ended is not None:
            return
        request, clock, relations = self._request, self._means.clock, self._known.relations
        given = [] if request.stop is None else parts_of(request.stop)
        targets = [rule for rule in given if isinstance(rule, Target)]
        share = clock.share(EARLY_SHARE)
        seconds = None if share is None else max(share, LEAST_SEARCH_SECONDS)
        rule = make_stop(
            AnyOf(NoImprovement(generations=EARLY_IDLE_GENERATIONS), *targets),
            time_limit=seconds if request.timed else None,
            # When the time is over, the first climb is enough: sets of many rows grow slowly.
            generations=1 if clock.expired else EARLY_GENERATIONS,
        )
        started = time.perf_counter()
        self._begun = self._begun or started
        runners = make_runners(
            sets,
            request.algorithm.search,
            seed=request.seed,
            started=started,
            orders=[*initial_orders(request.start, sets, relations), *self.orders],
            growth=None if growth is None else replace(growth, opens=True),
            relations=relations,
            threads=request.threads,
        )
        outcome = run(runners, stop=rule, threads=request.threads, watcher=request.watcher)
        clock.lap("search")
        ends = outcome.stop_reason in _ENDS_THE_RUN
        if outcome.winner.score == -math.inf and not ends:
            return  # variables lack parents that they must have; the search goes on
        self._take(outcome, sets, growth)
        if ends:
            self.ended = outcome.stop_reason

    def _take(self, outcome: Outcome, sets: ParentSets, growth: Growth | None) -> None:
        """Note what a search has found, if it is better than the network so far."""
        request = self._request
        if growth is not None:
            sets = outcome.parent_sets or sets
            self._growth = growth
        made = request.algorithm
        found = make_result(
            sets, outcome, made.name, made.search, request.seed, self._known.relations
        )
        joined = self.joined(found, outcome.runners[0].started)
        if self.result is not None and self.result.score > found.score:
            # It has larger sets than these: small ones grow, others have a limit.
            self.result = replace(self.result, trace=joined.trace)
        else:
            self.result, self.sets = joined, sets

    def joined(self, result: Result, started: float) -> Result:
        """Add the trace so far to a result of a search that started then."""
        if self.result is None:
            return result
        later = started - self._begun
        shifted = (one._replace(seconds=one.seconds + later) for one in result.trace)
        return replace(result, trace=Trace([*self.result.trace, *shifted]))

    def unless_better(self, result: Result, sets: ParentSets) -> tuple[Result, ParentSets]:
        """Return a result over some sets, or that of this order if it is better.

        Sets that grow lack those of this network until the search meets it. Then the result is
        one of the sets at hand.
        """
        own = self.result
        if own is None or not self._request.timed or result.score >= own.score:
            return result, sets
        found = replace(result, order=own.order)
        over_all = found.over(sets)
        if over_all.score >= own.score:
            return over_all, sets
        return found.over(self.sets_at_hand()), self.sets_at_hand()

    def sets_at_hand(self) -> ParentSets:
        """Return the sets that the network is made of."""
        if self.sets is None:
            raise AssertionError("there is no network yet")
        return self.sets

    def end(self, reason: str) -> bool:
        """Let the run end with this network; return whether there is one."""
        if self.result is None:
            return False
        self.ended = reason
        return True

    def final(self) -> Result:
        """Return the network that the run ends with."""
        if self.result is None or self.ended is None:
            raise AssertionError("the run goes on")
        made = self.result.provenance
        if self.ended == "time":
            made = {**made, CUT_SHORT: True}
        return replace(self.result, stop_reason=self.ended, provenance=made)

    @property
    def grows(self) -> bool:
        """Whether the sets at hand can grow on."""
        return self._growth is not None

    def growth(self) -> Growth:
        """Return how the first sets grow in the search that follows, which meets this network."""
        if self._growth is None or self.sets is None or self.result is None:
            raise AssertionError("the sets have not grown")
        ranks = np.array([choice.rank - 1 for choice in self.result.choices])
        guest = Guest(np.array(self.result.order, dtype=np.int32), network_sets(self.sets, ranks))
        return with_guest(self._growth, guest, self._known, self._asked, self._means)
