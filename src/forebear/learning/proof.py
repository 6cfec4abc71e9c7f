"""How far from the optimum a network can be: proven between runs of the search, and after it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import LimitError
from forebear._util.watcher import Relay
from forebear.budget import DEFAULT_SECONDS, PROOF_SHARE
from forebear.proof.certificate import warn_of_no_certificate
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES
from forebear.proof.exact_search import Exact, find_exact
from forebear.result import negligible
from forebear.search.chain import Solution
from forebear.search.trace import Improvement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forebear.knowledge.relations import Relations
    from forebear.learning.run import Run
    from forebear.learning.search_and_prove import SearchRecord
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.incumbent import Incumbent
    from forebear.search.runner import Runner
    from forebear.search.threads import Workers

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

    Exact search is tried whenever the search has come to a standstill, each time with more steps,
    and once more in the time left after the search. If it finds a better network, that joins the
    search, or is the result. Under a generation limit there is only a bound, for up to 20
    variables, which takes a moment: nothing may depend on the speed of the machine.

    Parameters
    ----------
    incumbent
        The best network so far, which exact search may improve.
    run
        The run that the proof belongs to.
    reserve
        Seconds that must be left when the proof ends.
    relations
        What networks have to respect.
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
        asked = certify is True or run.certificate is not None
        self.incumbent = incumbent
        self._run = run
        self._reserve = reserve
        # The core bounds problems whose variables have numbers of 16 bits.
        possible = n_variables < np.iinfo(np.uint16).max
        self._relations = relations
        few = n_variables <= DYNAMIC_VARIABLES and relations.are_orders
        self._wanted = possible and (asked or (certify is None and (run.timed or few)))
        self._share = 0.5 if asked else PROOF_SHARE
        self._asked = asked
        self._runs = 0  # of the search, after which a proof was tried
        self._solved: Result | None = None  # by the last proof that was tried
        self._bound = math.inf
        self._interrupted = False
        self._optimal = False  # whether that proved the best network of the sets it had

    def leave_time(self, seconds: float) -> float:
        """Return what the proof leaves of the search time."""
        return seconds * (1 - self._share) if self._wanted else seconds

    @property
    def between_runs(self) -> Callable[[Runner, Workers], str | None] | None:
        """What to call between the generations of the search; None if no proof is tried there.

        Several chains whose sets grow have collections of their own.
        """
        run = self._run
        one = run.algorithm.search.chains == 1
        tried = self._wanted and run.timed and one and run.executor is None
        return self._try if tried else None

    def _try(self, runner: Runner, workers: Workers) -> str | None:
        """Try a proof if the chain has come to a standstill; return "optimal" if it is proven."""
        chain = runner.chain
        if runner.best is None:
            return None
        # Once the best network of the present sets is proven, only other sets can change it.
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
        except (LimitError, MemoryError):  # then there is no proof
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
        """Run exact search from the incumbent, and offer what it finds."""
        best = self.incumbent.best
        choices = [sets.find(v, own) for v, own in enumerate(best.parents)]
        ranks = np.array([0 if one is None else one.rank - 1 for one in choices])
        result, *_ = find_exact(
            sets,
            Exact(),
            time_limit=max(seconds, _LEAST_SECONDS),
            threads=threads,
            seed=self._run.seed,
            orders=[best.order],
            networks=[ranks] if None not in choices else [],
            relations=self._relations,
            # Beside a search, cancelling the search ends this, too.
            watcher=Relay(
                self._run.watcher, ["bounding", "started"] if proceed is None else ["bounding"]
            ),
            certificate=certificate,
            warm_up=False,
            proceed=proceed,
        )
        # Under a generation limit, a search that is resumed must end with the same network.
        if self._run.timed and result.score > best.score + negligible(best.score):
            self.incumbent.offer(_found(sets, result), self._improvement(result.score))
        return result

    def _improvement(self, score: float) -> Improvement:
        """Return an improvement for the trace: that of the chain which was ahead before."""
        last = self.incumbent.trace.improvements[-1:] or [Improvement(1, 0.0, 0, score)]
        chain, _, generation, _ = last[0]
        return Improvement(chain, self._run.clock.spent(), generation, score)

    def _most_seconds(self) -> float:
        """Return the seconds that there are for a proof from now on."""
        seconds = self._run.clock.left() - self._reserve
        return min(seconds, DEFAULT_SECONDS) if self._run.clock.limit is None else seconds

    def prove(self, sets: ParentSets, about: SearchRecord) -> None:
        """Bound the networks of the sets as they are after the search.

        What exact search finds is offered to the incumbent; ``about`` gets the networks that it
        met. The incumbent is kept, whatever happens.
        """
        if not self._wanted:
            return
        try:
            self._prove(sets, about)
        except KeyboardInterrupt:
            self._interrupted = True
        except (LimitError, MemoryError):  # then there is no proof
            pass
        self._run.clock.lap("bound")

    def _prove(self, sets: ParentSets, about: SearchRecord) -> None:
        reason, seconds = about.fields["stop_reason"], self._most_seconds()
        if not self._asked and self._run.timed:
            # A search that ended early leaves more time than a proof is worth.
            seconds = min(seconds, max(1.0, self._share * 2 * about.fields["seconds"]))
        if seconds <= 0 or reason == "interrupted":
            return
        run, solved = self._run, self._solved
        if solved is None or reason != "optimal" or run.certificate is not None:
            solved = self._solve(sets, seconds, run.threads, certificate=run.certificate)
            about.alternatives.extend(solved.alternatives)
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
        return replace(result, stop_reason="optimal") if result.status == "optimal" else result


def _found(sets: ParentSets, result: Result) -> Solution:
    """Return the network of a result over some sets, as the search takes it."""
    ranks = np.array([choice.rank - 1 for choice in result.choices], dtype=np.int32)
    return Solution(result.score, np.array(result.order, dtype=np.int32), sets, ranks)
