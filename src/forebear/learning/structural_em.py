"""Structural expectation maximisation: networks from tables with missing values (Friedman, 1997).

The first network is learnt from the available rows. Then, in turns: every row is completed several
times, by draws from a network (expectation); a network is learnt from the completed rows, starting
from the best one (maximisation). A network is accepted only if it raises the criterion, so the best
one so far is always at hand, and the rounds end when the criterion no longer rises. Every search
has half of the time left, and ends when half of that has brought no better network.

The criterion approximates the score of the observed values (Cheeseman and Stutz, 1996): the score
of the completed rows, plus the log-likelihood of the observed values, less that of the completed
rows. For BIC it is the BIC of the observed values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, LimitError, Parameter, TimeLimitError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import show_bytes
from forebear._util.watcher import Relay
from forebear.budget import LEAST_SEARCH_SECONDS
from forebear.network.expectation_maximization import copies_for, expect, observed_likelihoods
from forebear.scoring.network_score import score_network
from forebear.scoring.scores import AIC, FNML
from forebear.search.parent_set_sources import FEW_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from forebear.data.dataset import Dataset
    from forebear.learning.problem import Problem
    from forebear.learning.run import Run
    from forebear.network.expectation_maximization import Expectation
    from forebear.result import Result
    from forebear.scoring.scores import Score

_NO_TIME = "the time limit was reached"


@dataclass(frozen=True)
class _State:
    """The best network so far, the rows that it completes, and its criterion."""

    result: Result
    completed: Dataset
    criterion: float


@dataclass
class StructuralEM:
    """Learns from a table with missing values, in rounds.

    Parameters
    ----------
    problem
        The table, the score, the limit on parents and the knowledge.
    run
        The run that all rounds are parts of.
    learn_once
        Learns the network of a round.
    """

    problem: Problem
    run: Run
    learn_once: Callable[[Problem, Run], Result]
    rounds: int = 0
    _most: int = 0
    _best: _State | None = None
    _ended: str | None = None
    _stopped: str | None = None

    def __post_init__(self) -> None:
        if self.run.checkpoint is not None:
            raise ForebearError(
                Parameter("missing", "em"),
                " searches several times, so it cannot be resumed: leave ",
                Parameter("checkpoint"),
                " out, or pass ",
                Parameter("missing", "available"),
            )

    def learn(self) -> Result:
        """Learn until nothing better is found or the time is over."""
        first = self._first()
        try:
            self._improve(first)
        except (TimeoutError, TimeLimitError):  # the best network so far is at hand
            self._ended = _NO_TIME
        except LimitError as error:
            self._ended = str(error)
        except KeyboardInterrupt:
            self._stopped = "interrupted"
        result = first if self._best is None else self._best.result
        if self._stopped is not None:
            self._ended = f"the run was {self._stopped}"
            result = replace(result, stop_reason=self._stopped)
        return self._described(result)

    def _improve(self, first: Result) -> None:
        """Complete the rows and learn from them, in rounds."""
        if self._stopped is not None:
            return
        self._best = best = self._judged(first)
        self.run.watcher.em_round(0, best.criterion, first)
        for richer in self._completions():
            self.rounds += 1
            rows = best.completed if richer is None else richer
            found = self._search(rows, self.problem.score, best.result)
            state = self._judged(found)
            self.run.watcher.em_round(self.rounds, state.criterion, found)
            rises = state.criterion > best.criterion
            self._best = best = state if rises else best
            if richer is None and not rises:
                break

    def _first(self) -> Result:
        """Learn from the available rows: a good network, at once."""
        search = partial(self._search, self._available, self.problem.score, self.run.start)
        try:
            return search()
        except TimeLimitError:  # then this is all that there is time for
            return search(last=True)

    def _completions(self) -> Iterator[Dataset | None]:
        """Yield the rows of every round: completed by a richer network first, then by the best.

        Rows that a network completes have no dependences but its own, so searching them mostly
        finds the same network again. Rows completed by one with more arcs than needed do not hide
        what the first network lacks.
        """
        if self._has_time():
            kind = AIC() if isinstance(self.problem.score, FNML) else FNML()
            richer = self._search(self._available, kind, self.run.start)
            if self._stopped is None:
                yield self._expect(richer).completed
        while self._has_time():
            yield None

    @cached_property
    def _available(self) -> Dataset:
        return replace(self.problem.table, missing="available")

    def _has_time(self) -> bool:
        """Whether there is time for another search, and none was stopped from outside."""
        if self._stopped is not None:
            return False
        if self.run.clock.left() > LEAST_SEARCH_SECONDS:
            return True
        self._ended = _NO_TIME
        return False

    def _search(self, table: Dataset, score: Score, start: Any, *, last: bool = False) -> Result:
        """Learn one network in half of the time left, or in all of it if this is the ``last``."""
        clock = self.run.clock
        seconds = clock.share(1.0) if last else clock.half()
        # Completed rows are never the same again, so only the first sets are worth keeping.
        cache = self.run.cache if table.has_missing else None
        watcher = Relay(self.run.watcher, ["started"]) if self._most else self.run.watcher
        run = self.run.part(seconds, start, cache=cache, watcher=watcher)
        problem = replace(self.problem, table=table, score=score, max_parents=self._limit())
        result = self.learn_once(problem, run)
        self._most = max(self._most, 1, *map(len, result.network.parents))
        if result.stop_reason in ("interrupted", "cancelled"):
            self._stopped = result.stop_reason
        clock.lap("search")
        return result

    def _limit(self) -> int | None:
        """Return the largest parent set of a search.

        Where all sets are scored before the search, every round after the first scores sets of up
        to one parent more than the networks so far have. All would take most of the time.
        """
        if self.problem.max_parents is not None or not self._most:
            return self.problem.max_parents
        small = self.problem.table.n_variables < FEW_VARIABLES
        most = self._most + 1
        most = max(most, self.problem.known.constraints(most).least_parents)
        return min(most, self.problem.table.n_variables - 1) if small else None

    def _expect(self, result: Result) -> Expectation:
        """Fit a network, and complete the rows by it."""
        self._check_memory()
        left = self.run.clock.left()
        found = expect(
            result.network,
            self.problem.table,
            seed=self.run.seed % 2**62,  # the core takes 64 bits
            threads=self.run.threads,
            seconds=None if math.isinf(left) else max(left, LEAST_SEARCH_SECONDS),
        )
        self.run.clock.lap("complete")
        return found

    def _check_memory(self) -> None:
        """Refuse to complete rows that would not fit in memory several times."""
        rows = self.problem.table.n_rows * copies_for(self.problem.table.n_rows)
        # Four bytes per value as it is drawn, two as a code, and copies of both while they are
        # arranged and counted.
        needed = 12 * rows * self.problem.table.n_variables
        limit = self.run.max_memory or memory_bytes()
        if resident_bytes() + needed > limit:
            raise LimitError(f"completing the rows takes {show_bytes(needed)} of memory")

    def _judged(self, result: Result) -> _State:
        """Complete the rows by a network, and compute its criterion."""
        found = self._expect(result)
        expected = score_network(result.network, found.completed, self.problem.score)
        per_row = observed_likelihoods(found.fitted, found.completed.codes)
        # Rows whose likelihood is not known count as they were completed.
        completed = per_row.reshape(self.problem.table.n_rows, -1).mean(axis=1)
        difference = found.log_likelihoods - completed
        self.run.clock.lap("complete")
        return _State(result, found.completed, expected + float(np.nansum(difference)))

    def _described(self, result: Result) -> Result:
        """Note what was done."""
        made = {
            **result.provenance,
            "rows": self.problem.table.n_rows,
            "missing": "em",
            "missing_share": self.problem.table.missing_share,
            "em_rounds": self.rounds,
            # The score of the first network is that of the available rows.
            "em_completed": "missing" not in result.provenance,
        }
        if self._best is not None:
            made["observed_score"] = self._best.criterion
        if self._ended is not None:
            made["em_ended"] = self._ended
        return replace(result, provenance=made)
