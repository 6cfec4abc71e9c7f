"""Structural expectation maximization: networks from tables with missing values (Friedman, 1997).

The first network is learned from the available rows. Each round then has two steps. Expectation:
every row is completed several times, by draws from a network. Maximization: a network is learned
from the completed rows, starting from the best network so far. A network is accepted only if it
raises the criterion, and the rounds end when the criterion no longer rises. Every search gets half
of the time left, and ends after half of that without improvement.

The criterion approximates the score of the observed values (Cheeseman and Stutz, 1996): the score
of the completed rows, plus the log-likelihood of the observed values, minus that of the completed
rows. For BIC, it is the BIC of the observed values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from forebear._util.errors import ForebearError, LimitError, Parameter, TimeLimitError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import show_bytes
from forebear._util.watcher import Relay
from forebear.budget import LEAST_STEP_SECONDS
from forebear.data.dataset import Dataset
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.network.expectation_maximization import (
    Expectation,
    copies_for,
    expect,
    observed_likelihoods,
)
from forebear.result import Result
from forebear.scoring.network_score import score_network
from forebear.scoring.scores import AIC, FNML, Score
from forebear.search.parent_set_sources import FEW_VARIABLES

_NO_TIME = "the time limit was reached"


@dataclass(frozen=True)
class _State:
    """A network, the rows that it completed, and its criterion."""

    result: Result
    completed: Dataset
    criterion: float


@dataclass
class StructuralEM:
    """Learns a network from a table with missing values, in rounds.

    Parameters
    ----------
    problem
        The table, the score, the limit on parents and the knowledge.
    run
        The run; every round is a part of it.
    learn_once
        The function that learns the network of a round.
    """

    problem: Problem
    run: Run
    learn_once: Callable[[Problem, Run], Result]
    rounds: int = 0
    _largest: int = 0
    _best: _State | None = None
    _end_reason: str | None = None
    _stop_reason: str | None = None

    def __post_init__(self) -> None:
        if self.run.checkpoint is not None or self.run.certificate is not None:
            done = "be resumed" if self.run.checkpoint is not None else "write a certificate"
            raise ForebearError(
                Parameter("missing", "em"),
                f" searches several times, so it cannot {done}: pass ",
                Parameter("missing", "available"),
            )

    def learn(self) -> Result:
        """Learn until the criterion no longer rises or the time limit is reached."""
        first = self._learn_first()
        try:
            self._improve(first)
        except (TimeoutError, TimeLimitError):  # the best network so far is the result
            self._end_reason = _NO_TIME
        except LimitError as error:
            self._end_reason = str(error)
        except KeyboardInterrupt:
            self._stop_reason = "interrupted"
        result = first if self._best is None else self._best.result
        if self._stop_reason is not None:
            self._end_reason = f"the run was {self._stop_reason}"
            result = replace(result, stop_reason=self._stop_reason)
        return self._add_provenance(result)

    def _improve(self, first: Result) -> None:
        """Complete the rows and learn from them, round by round."""
        if self._stop_reason is not None:
            return
        self._best = best = self._evaluate(first)
        self.run.watcher.em_round(0, best.criterion, first)
        for richer in self._completions():
            self.rounds += 1
            rows = best.completed if richer is None else richer
            result = self._search(rows, self.problem.score, best.result)
            state = self._evaluate(result)
            self.run.watcher.em_round(self.rounds, state.criterion, result)
            rises = state.criterion > best.criterion
            self._best = best = state if rises else best
            if richer is None and not rises:
                break

    def _learn_first(self) -> Result:
        """Learn the first network, from the available rows."""
        search = partial(self._search, self._available, self.problem.score, self.run.start)
        try:
            return search()
        except TimeLimitError:  # there is only time for one search
            return search(last=True)

    def _completions(self) -> Iterator[Dataset | None]:
        """Yield the rows of every round; None stands for the rows that the best network completed.

        The completed values have only the dependences of the network that completed them, so a
        search mostly finds that network again. The rows of the first round are therefore completed
        by a network with more arcs, which has dependences that the first network lacks.
        """
        if self._has_time():
            own = self.problem.score
            richer_score = (AIC if isinstance(own, FNML) else FNML)(prior=own.prior)
            richer = self._search(self._available, richer_score, self.run.start)
            if self._stop_reason is None:
                yield self._expect(richer).completed
        while self._has_time():
            yield None

    @cached_property
    def _available(self) -> Dataset:
        return replace(self.problem.table, missing="available")

    def _has_time(self) -> bool:
        """Return whether there is time for another search, and the user has not ended the run."""
        if self._stop_reason is not None:
            return False
        if self.run.clock.left() > LEAST_STEP_SECONDS:
            return True
        self._end_reason = _NO_TIME
        return False

    def _search(self, table: Dataset, score: Score, start: Any, *, last: bool = False) -> Result:
        """Learn one network in half of the time left, or in all of it for the ``last`` search."""
        clock = self.run.clock
        seconds = clock.share(1.0) if last else clock.half()
        # Completed rows differ each time, so only the sets of the available rows are cached.
        cache = self.run.cache if table.has_missing else None
        watcher = Relay(self.run.watcher, ["started"]) if self._largest else self.run.watcher
        run = self.run.part(seconds, start, cache=cache, watcher=watcher)
        problem = replace(self.problem, table=table, score=score, max_parents=self._limit())
        result = self.learn_once(problem, run)
        self._largest = max(self._largest, 1, *map(len, result.network.parents))
        if result.stop_reason in ("interrupted", "cancelled"):
            self._stop_reason = result.stop_reason
        clock.lap("search")
        return result

    def _limit(self) -> int | None:
        """Return the largest parent set of a search.

        If all sets are scored before the search, every search after the first is limited to one
        parent more than the largest parent set so far. All sets would take most of the time.
        """
        if self.problem.max_parents is not None or not self._largest:
            return self.problem.max_parents
        small = self.problem.table.n_variables < FEW_VARIABLES
        most = self._largest + 1
        most = max(most, self.problem.enforcement.constraints(most).least_parents)
        return min(most, self.problem.table.n_variables - 1) if small else None

    def _expect(self, result: Result) -> Expectation:
        """Fit a network, and complete the rows with it."""
        self._check_memory()
        left = self.run.clock.left()
        expectation = expect(
            result.network,
            self.problem.table,
            seed=self.run.seed % 2**62,  # the core takes 64 bits
            threads=self.run.threads,
            seconds=None if math.isinf(left) else max(left, LEAST_STEP_SECONDS),
        )
        self.run.clock.lap("complete")
        return expectation

    def _check_memory(self) -> None:
        """Reject a table whose completed rows would not fit in memory."""
        rows = self.problem.table.n_rows * copies_for(self.problem.table.n_rows)
        # Four bytes per drawn value, two per code, and copies of both while they are arranged and
        # counted.
        needed = 12 * rows * self.problem.table.n_variables
        limit = self.run.max_memory or memory_bytes()
        if resident_bytes() + needed > limit:
            raise LimitError(f"completing the rows needs {show_bytes(needed)} of memory")

    def _evaluate(self, result: Result) -> _State:
        """Complete the rows with a network, and compute its criterion."""
        expectation = self._expect(result)
        expected = score_network(result.network, expectation.completed, self.problem.score)
        per_row = observed_likelihoods(expectation.fitted, expectation.completed.codes)
        # A row whose observed likelihood is unknown contributes no difference.
        completed = per_row.reshape(self.problem.table.n_rows, -1).mean(axis=1)
        difference = expectation.log_likelihoods - completed
        self.run.clock.lap("complete")
        return _State(result, expectation.completed, expected + float(np.nansum(difference)))

    def _add_provenance(self, result: Result) -> Result:
        """Add the details of the rounds to the provenance of the result."""
        provenance = {
            **result.provenance,
            "rows": self.problem.table.n_rows,
            "missing": "em",
            "missing_share": self.problem.table.missing_share,
            "em_rounds": self.rounds,
            # The score of the first network is that of the available rows.
            "em_completed": "missing" not in result.provenance,
        }
        if self._best is not None:
            provenance["observed_score"] = self._best.criterion
        if self._end_reason is not None:
            provenance["em_ended"] = self._end_reason
        return replace(result, provenance=provenance)
