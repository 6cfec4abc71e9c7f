"""Structural expectation maximisation: networks from tables with missing values (Friedman, 1997).

The first network is learnt from the available rows. Then, in turns: every row is completed several
times, by draws from a network (expectation); a network is learnt from the completed rows, starting
from the best one (maximisation). A network is accepted only if it raises the criterion, so the best
one so far is always at hand, and the criterion never falls.

The criterion approximates the score of the observed values (Cheeseman and Stutz, 1996): the score
of the completed rows, plus the log-likelihood of the observed values, less that of the completed
rows. For BIC it is the BIC of the observed values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, LimitError, Parameter, TimeLimitError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import show_bytes
from forebear._util.watcher import Quiet
from forebear.budget import (
    EM_FIRST_SHARE,
    EM_IDLE_SHARE,
    EM_LEAST_IDLE,
    EM_LEAST_SECONDS,
    EM_ROUND_SHARE,
    EM_ROUNDS,
    GROWING_VARIABLES,
    Clock,
)
from forebear.learning.pipeline import learn_once
from forebear.network.expectation import copies_for, expect
from forebear.scoring.packing import keep_packed
from forebear.scoring.rescoring import score_network
from forebear.scoring.scores import AIC, FNML
from forebear.search.stop import AnyOf, NoImprovement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from forebear.data.dataset import Dataset
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.learning.steps import Means
    from forebear.network.expectation import Expectation
    from forebear.result import Result
    from forebear.scoring.scores import Score

_CODE_BYTES = 12
"""Memory per completed value: four bytes as it is drawn, two as a code, and copies of both while
they are arranged and counted."""

_NO_TIME = "the time limit was reached"

_STOPPED = ("interrupted", "cancelled")

_SEEDS = 2**62
"""Seeds of draws are below this: the core takes 64 bits."""


class _StoppedError(Exception):
    """A search was stopped from outside, so no other starts."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _check_not_stopped(result: Result) -> None:
    if result.stop_reason in _STOPPED:
        raise _StoppedError(result.stop_reason)


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
    table
        The table.
    score
        The score.
    max_parents
        The largest parent set, or None.
    known
        The knowledge that every network respects.
    request
        The search of every round.
    means
        Time, memory, cache and executor.
    """

    table: Dataset
    score: Score
    max_parents: int | None
    known: Enforced
    request: SearchRequest
    means: Means
    rounds: int = 0
    _most: int = 0
    _ended: str | None = None

    def __post_init__(self) -> None:
        if self.request.checkpoint is not None:
            raise ForebearError(
                Parameter("missing", "em"),
                " searches several times, so it cannot be resumed: leave ",
                Parameter("checkpoint"),
                " out, or pass ",
                Parameter("missing", "available"),
            )

    def learn(self, save_sets: Path | str | None = None) -> Result:
        """Learn until nothing better is found or the time is over."""
        first = self._first(save_sets)
        best = None
        stopped = None
        try:
            _check_not_stopped(first)
            best = self._judged(first)
            self.request.watcher.expected(0, best.criterion, first)
            for richer in self._completions():
                self.rounds += 1
                rows = best.completed if richer is None else richer
                found = self._search(rows, self.score, EM_ROUND_SHARE, best.result, save_sets)
                state = self._judged(found)
                self.request.watcher.expected(self.rounds, state.criterion, found)
                rises = state.criterion > best.criterion
                best = state if rises else best
                _check_not_stopped(found)
                if richer is None and not rises:
                    break
        except (TimeoutError, TimeLimitError):  # the best network so far is at hand
            self._ended = _NO_TIME
        except LimitError as error:
            self._ended = str(error)
        except KeyboardInterrupt:
            stopped = "interrupted"
        except _StoppedError as error:
            stopped = error.reason
        result = first if best is None else best.result
        if stopped is not None:
            self._ended = f"the run was {stopped}"
            result = replace(result, stop_reason=stopped)
        return self._described(result, best)

    def _first(self, save_sets: Path | str | None) -> Result:
        """Learn from the available rows: a good network, at once."""
        rest = (self._available, self.score)
        try:
            return self._search(*rest, EM_FIRST_SHARE, self.request.start, save_sets)
        except TimeLimitError:  # then this is all that there is time for
            return self._search(*rest, 1.0, self.request.start, save_sets)

    def _completions(self) -> Iterator[Dataset | None]:
        """Yield the rows of every round: completed by a richer network first, then by the best.

        Rows that a network completes have no dependences but its own, so searching them mostly
        finds the same network again. Rows completed by one with more arcs than needed do not hide
        what the first network lacks.
        """
        if self._goes_on():
            kind = AIC() if isinstance(self.score, FNML) else FNML()
            richer = self._search(self._available, kind, EM_FIRST_SHARE, self.request.start, None)
            _check_not_stopped(richer)
            yield self._expect(richer).completed
        while self._goes_on():
            yield None

    @cached_property
    def _available(self) -> Dataset:
        return replace(self.table, missing="available")

    def _goes_on(self) -> bool:
        if self.rounds >= EM_ROUNDS:
            return False
        if self.means.clock.left() > EM_LEAST_SECONDS:
            return True
        self._ended = _NO_TIME
        return False

    def _search(
        self,
        table: Dataset,
        score: Score,
        share: float,
        start: Any,
        save_sets: Path | str | None,
    ) -> Result:
        """Learn one network in a share of the time left; the last round has it all."""
        last = self.rounds == EM_ROUNDS
        seconds = self.means.clock.share(1.0 if last else share)
        request = replace(self.request, time_limit=seconds, start=start)
        if self._most:
            request = replace(request, watcher=Quiet(request.watcher))
        if request.exact is None and seconds is not None:
            idle = NoImprovement(seconds=max(EM_IDLE_SHARE * seconds, EM_LEAST_IDLE))
            request = replace(
                request, stop=idle if request.stop is None else AnyOf(request.stop, idle)
            )
        # Completed rows are never the same again, so only the first sets are worth keeping.
        cache = self.means.cache if table.has_missing else None
        means = replace(self.means, clock=Clock(seconds), cache=cache, watcher=request.watcher)
        with keep_packed(table):
            result = learn_once(table, score, self._limit(), self.known, request, means, save_sets)
        self._most = max(self._most, 1, *map(len, result.network.parents))
        self.means.clock.lap("search")
        return result

    def _limit(self) -> int | None:
        """Return the largest parent set of a search.

        Where all sets are scored before the search, every round after the first scores sets of up
        to one parent more than the networks so far have. All would take most of the time.
        """
        if self.max_parents is not None or not self._most:
            return self.max_parents
        small = self.table.n_variables < GROWING_VARIABLES
        most = self._most + 1
        most = max(most, self.known.constraints(self.table.names, most).least_parents)
        return min(most, self.table.n_variables - 1) if small else None

    def _expect(self, result: Result) -> Expectation:
        """Fit a network, and complete the rows by it."""
        self._check_memory()
        left = self.means.clock.left()
        found = expect(
            result.network,
            self.table,
            seed=self.request.seed % _SEEDS,
            threads=self.request.threads,
            seconds=None if math.isinf(left) else max(left, EM_LEAST_SECONDS),
        )
        self.means.clock.lap("complete")
        return found

    def _check_memory(self) -> None:
        """Refuse to complete rows that would not fit in memory several times."""
        rows = self.table.n_rows * copies_for(self.table.n_rows)
        needed = _CODE_BYTES * rows * self.table.n_variables
        limit = self.means.max_memory or memory_bytes()
        if resident_bytes() + needed > limit:
            raise LimitError(f"completing the rows takes {show_bytes(needed)} of memory")

    def _judged(self, result: Result) -> _State:
        """Complete the rows by a network, and compute its criterion."""
        found = self._expect(result)
        expected = score_network(result.network, found.completed, self.score)
        per_row = found.fitted.log_likelihoods(found.completed.codes)
        # Rows whose likelihood is not known count as they were completed.
        difference = found.log_likelihoods - per_row.reshape(self.table.n_rows, -1).mean(axis=1)
        self.means.clock.lap("complete")
        return _State(result, found.completed, expected + float(np.nansum(difference)))

    def _described(self, result: Result, best: _State | None) -> Result:
        """Note what was done."""
        made = {
            **result.provenance,
            "rows": self.table.n_rows,
            "missing": "em",
            "missing_share": self.table.missing_share,
            "em_rounds": self.rounds,
            # The score of the first network is that of the available rows.
            "em_completed": "missing" not in result.provenance,
        }
        if best is not None:
            made["observed_score"] = best.criterion
        if self._ended is not None:
            made["em_ended"] = self._ended
        return replace(result, provenance=made)
