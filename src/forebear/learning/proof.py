"""Proof: a bound on the optimal score, proven between the runs of the search and after it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import LimitError
from forebear._util.watcher import Relay
from forebear.budget import DEFAULT_SECONDS, LEAST_STEP_SECONDS, PROOF_SHARE
from forebear.knowledge.relations import Relations
from forebear.learning.run import Run
from forebear.parentsets.collection import ParentSets
from forebear.proof.certificate import warn_of_no_certificate
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES
from forebear.proof.exact_search import Exact, find_exact
from forebear.result import Result, negligible
from forebear.search.chain import Solution
from forebear.search.incumbent import Incumbent
from forebear.search.runner import Runner
from forebear.search.threads import Workers
from forebear.search.trace import Improvement

if TYPE_CHECKING:
    from forebear.learning.search_and_prove import SearchRecord

STEPS_PER_RUN = 2
STEPS_FACTOR = 4
"""Steps of the proof attempt after the first run of the search, and the factor for each further
attempt; runs grow by the same factor. A step is a round of the dual ascent or a linear program. On
jester-train, attempts take 1 of 9 s of the search with 2 steps at first, and 6 s with 16."""


class Proof:
    """A bound on the score of every network of some parent sets.

    Whenever the search stalls, exact search is attempted, each time with more steps. It is
    attempted once more in the time left after the search. A better network that it finds is offered
    to the search, or becomes the result. Under a generation limit, the result must not depend on
    the speed of the machine. A bound is then proven only with up to 20 variables, where it takes
    little time.

    Parameters
    ----------
    incumbent
        The best network so far. Exact search may improve it.
    run
        The run that the proof belongs to.
    reserve
        Seconds that must be left when the proof ends.
    relations
        The relations that networks must respect.
    """

    def __init__(
        self,
        incumbent: Incumbent,
        n_variables: int,
        run: Run,
        reserve: float,
        relations: Relations,
    ) -> None:
        certify = run.certify
        requested = certify is True or run.certificate is not None
        self.incumbent = incumbent
        self._run = run
        self._reserve = reserve
        # The core numbers variables in 16 bits.
        possible = n_variables < np.iinfo(np.uint16).max
        self._relations = relations
        few = n_variables <= DYNAMIC_VARIABLES and relations.are_orders
        self._enabled = possible and (requested or (certify is None and (run.timed or few)))
        self._share = 0.5 if requested else PROOF_SHARE
        self._requested = requested
        self._runs = 0  # runs of the search at the last attempt
        self._solved: Result | None = None  # by the last attempt
        self._bound = math.inf
        self._interrupted = False
        self._optimal = False  # whether the last attempt proved the optimum of its sets

    def leave_time(self, seconds: float) -> float:
        """Return the part of these seconds that the proof leaves to the search."""
        return seconds * (1 - self._share) if self._enabled else seconds

    @property
    def between_runs(self) -> Callable[[Runner, Workers], str | None] | None:
        """The function to call between generations; None if no proof is attempted there.

        With several chains there is none, because each chain extends its own collection of sets.
        """
        run = self._run
        one = run.algorithm.search.chains == 1
        tried = self._enabled and run.timed and one and run.executor is None
        return self._try_proof if tried else None

    def _try_proof(self, runner: Runner, workers: Workers) -> str | None:
        """Attempt a proof if the chain has stalled; return "optimal" if it succeeds."""
        chain = runner.chain
        if runner.best is None:
            return None
        # Once the network is proven optimal for the current sets, only further sets can improve it.
        again = self._optimal and chain.exhausted
        if chain.runs <= self._runs and not again:
            return None
        self._runs, self._optimal = chain.runs, False
        steps = count(STEPS_PER_RUN * STEPS_FACTOR ** (chain.runs - (not again)), -1)

        def proceed() -> bool:
            return next(steps) > 0 and not workers.budget.spent

        before = self.incumbent.best
        try:
            solved = self._solve(
                chain.parent_sets(), self._most_seconds(), workers.threads, proceed
            )
        except (LimitError, MemoryError):  # the search continues without a proof
            return None
        if self.incumbent.best is not before:
            chain.offer(workers, self.incumbent.best)
        elif solved.stop_reason == "optimal":
            if not chain.add_sets(workers):
                self._solved = solved
                return "optimal"
            self._optimal = True
        return None

    def _solve(
        self,
        sets: ParentSets,
        seconds: float,
        threads: int,
        proceed: Callable[[], bool] | None = None,
        certificate: Path | str | None = None,
    ) -> Result:
        """Run exact search from the incumbent, and offer it the network found."""
        best = self.incumbent.best
        choices = [sets.find(v, own) for v, own in enumerate(best.parents)]
        ranks = np.array([0 if one is None else one.rank - 1 for one in choices])
        result, *_ = find_exact(
            sets,
            Exact(),
            time_limit=max(seconds, LEAST_STEP_SECONDS),
            threads=threads,
            seed=self._run.seed,
            orders=[best.order],
            networks=[ranks] if None not in choices else [],
            relations=self._relations,
            # Between generations, cancelling the search also ends this attempt.
            watcher=Relay(
                self._run.watcher, ["bounding", "started"] if proceed is None else ["bounding"]
            ),
            certificate=certificate,
            warm_up=False,
            proceed=proceed,
        )
        # Under a generation limit, a resumed search must end with the same network.
        if self._run.timed and result.score > best.score + negligible(best.score):
            self.incumbent.offer(_as_solution(sets, result), self._improvement(result.score))
        return result

    def _improvement(self, score: float) -> Improvement:
        """Return an improvement for the trace, assigned to the chain that was best before."""
        last = self.incumbent.trace.improvements[-1:] or [Improvement(1, 0.0, 0, score)]
        chain, _, generation, _ = last[0]
        return Improvement(chain, self._run.clock.spent(), generation, score)

    def _most_seconds(self) -> float:
        """Return the seconds available for a proof."""
        seconds = self._run.clock.left() - self._reserve
        return min(seconds, DEFAULT_SECONDS) if self._run.clock.limit is None else seconds

    def prove(self, sets: ParentSets, record: SearchRecord) -> None:
        """Bound the score of all networks of the sets that the search ended with.

        A better network is offered to the incumbent. Other good networks are added to the
        ``record``. The incumbent is kept even if the proof fails.
        """
        if not self._enabled:
            return
        try:
            self._prove(sets, record)
        except KeyboardInterrupt:
            self._interrupted = True
        except (LimitError, MemoryError):  # the result has no bound
            pass
        self._run.clock.lap("bound")

    def _prove(self, sets: ParentSets, record: SearchRecord) -> None:
        reason, seconds = record.fields["stop_reason"], self._most_seconds()
        if not self._requested and self._run.timed:
            # If the search ended early, the proof does not use all the time that is left.
            seconds = min(seconds, max(1.0, self._share * 2 * record.fields["seconds"]))
        run, solved = self._run, self._solved if reason == "optimal" else None
        if reason == "interrupted":
            return
        # A proof that ended the search counts even if it took all the time.
        if seconds > 0 and (solved is None or run.certificate is not None):
            solved = self._solve(sets, seconds, run.threads, certificate=run.certificate)
            record.alternatives.extend(solved.alternatives)
        if solved is None:
            return
        self._bound = math.inf if solved.bound is None else solved.bound
        self._interrupted = solved.stop_reason == "interrupted"

    def attach_bound(self, result: Result) -> Result:
        """Add the bound to the result."""
        if math.isfinite(self._bound):
            result = replace(result, bound=max(self._bound, result.score))
        elif self._run.certificate is not None:
            warn_of_no_certificate(self._run.certificate)
        if self._interrupted:
            result = replace(result, stop_reason="interrupted")
        if result.status == "optimal":
            return replace(result, stop_reason="optimal")
        if result.stop_reason == "optimal":  # only among the sets that were scored in time
            return replace(result, stop_reason="time")
        return result


def _as_solution(sets: ParentSets, result: Result) -> Solution:
    """Return the network of a result as a solution of the search."""
    ranks = np.array([choice.rank - 1 for choice in result.choices], dtype=np.int32)
    return Solution(result.score, np.array(result.order, dtype=np.int32), sets, ranks)
