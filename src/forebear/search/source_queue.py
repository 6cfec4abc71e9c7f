"""SourceQueue: the order of the sources of parent sets, and the work that they may do.

Work is counted, not timed, so the sets scored by a given generation are the same on every machine.
The sources do about as much work as the search. The variables that the best network explains worst
are scored first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import scored_sizes
from forebear.scoring.job import Job
from forebear.search.chain import Solution
from forebear.search.parent_set_sources import (
    FEW_VARIABLES,
    AllSets,
    CandidateSets,
    Pairs,
    Slice,
    Source,
    Table,
)

CANDIDATE_STAGES = ((20, 3), (20, 4), (20, 5), (30, 4), (30, 5), (40, 5))
"""Stages after all pairs: the number of candidate parents of each variable, and the size up to
which all sets of them are scored. More parents come before more candidates, because these sets are
fewer and better (benchmarks/results/growth.md)."""

LEAST_SLICE = 20_000_000
MOST_SLICE = 400_000_000
"""Work of a slice: at least about 50 ms, unless less is left, because starting a slice takes up to
40 ms with 889 variables; at most about a second, because a slice that the time limit interrupts is
lost."""

WORK_PER_GENERATION = 400_000
WORK_PER_CLIMB = 300
"""Work of a generation of the search, in addition to its growth: a constant, and an amount per
variable and climb. A source with a share of 1 then takes about as long as the search."""

GROWN_PARENTS = 3
"""The typical number of parents of a set that growth scores."""

KEPT_SETS = 200_000
FEWEST_SETS = 100
"""Scored sets that are kept, in all and per variable at least. With up to 74 variables, all pairs
are kept."""


def all_sources() -> list[Source]:
    """Return all sources, in the order in which a search uses them."""
    return [AllSets(), Pairs(), *(CandidateSets(*stage) for stage in CANDIDATE_STAGES)]


@dataclass
class SourceQueue:
    """The sources of a chain, one after another. Only the thread of the chain uses it.

    Parameters
    ----------
    table
        The table whose families the sources score.
    index
        The index of the current source.
    order
        The order in which the current source scores the variables; empty before it starts.
    done
        The number of these variables that are done.
    credit
        The work that the sources may do now.
    planned
        The end of the next slice, and its work; (0, 0) if not yet determined.
    scored
        The number of parents up to which all sets of every variable were scored.
    dropped
        Whether some of these sets were dropped because there were too many.
    slices
        The sets that were scored, by slice or merged.
    sources
        The sources, in the order in which they are used.
    """

    table: Table
    index: int = 0
    order: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    done: int = 0
    credit: float = 0.0
    planned: tuple[int, float] = (0, 0.0)
    scored: NDArray[np.int64] = field(init=False)
    dropped: bool = False
    slices: list[ParentSets] = field(default_factory=list)
    sources: list[Source] = field(default_factory=all_sources)

    @classmethod
    def over(cls, job: Job, max_parents: Sequence[int], memory: int) -> SourceQueue:
        """Create the queue for a table. With few variables, all sets are kept."""
        n = job.data.n_variables
        most = None if n < FEW_VARIABLES else max(FEWEST_SETS, KEPT_SETS // n)
        return cls(Table(job, max_parents, memory, most))

    def __post_init__(self) -> None:
        self.scored = np.zeros(self.table.n, dtype=np.int64)
        self._skip_useless()

    @property
    def exhausted(self) -> bool:
        """Whether all sources are done."""
        return self.index >= len(self.sources)

    def state(self) -> dict[str, Any]:
        """Return the progress of the sources as plain data."""
        return {
            "place": self.index,
            "order": self.order,
            "done": self.done,
            "credit": self.credit,
            "planned": self.planned,
            "scored": self.scored,
            "dropped": self.dropped,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.index, self.done = int(state["place"]), int(state["done"])
        self.credit, self.dropped = float(state["credit"]), bool(state["dropped"])
        end, work = state["planned"]
        self.planned = int(end), float(work)
        self.order = np.asarray(state["order"], dtype=np.int32)
        self.scored = np.asarray(state["scored"], dtype=np.int64)
        self._record_complete_size()

    def _skip_useless(self) -> None:
        """Skip sources whose sets are already scored or not allowed."""
        while not self.exhausted and not self.sources[self.index].has_sets(self.table):
            self.index += 1

    def add_credit(self, climbs: int, families: int) -> None:
        """Credit the source with its share of the work of a generation.

        The work follows from the numbers of climbs and of scored families.
        """
        if self.exhausted:
            return
        work = float(WORK_PER_GENERATION) + WORK_PER_CLIMB * self.table.n * climbs
        work += families * self.table.work_per_set(GROWN_PARENTS)
        self.credit += self.sources[self.index].share * work

    def _plan(self, sets: ParentSets) -> tuple[int, float]:
        """Choose where the next slice ends, and return its work."""
        source, total, end = self.sources[self.index], 0.0, self.done
        most = min(max(LEAST_SLICE, self.credit), MOST_SLICE)
        while end < self.table.n:
            work = source.work(self.table, sets, self.order, end)
            if end > self.done and total + work > most:
                break
            total, end = total + work, end + 1
        return end, total

    def score_slice(
        self, sets: ParentSets, best: Solution, budget: _core.Budget
    ) -> ParentSets | None:
        """Score the next slice; None if there is none, or not enough credit, time or memory.

        Candidate parents are chosen by their scores in ``sets``. The order of the variables is
        chosen by their scores in ``best``.
        """
        if self.exhausted:
            return None
        if not len(self.order):
            local = best.sets.scores[best.sets.offsets[:-1] + best.ranks]
            self.order, self.done = np.argsort(local, kind="stable").astype(np.int32), 0
        if self.planned[0] == 0:
            self.planned = self._plan(sets)
        end, work = self.planned
        if self.credit < work:
            return None
        piece = Slice(sets, self.order, range(self.done, end), budget)
        scored_sets = self.sources[self.index].score(self.table, piece)
        if budget.spent:
            return None
        if scored_sets is None:  # out of memory: go to the next source
            end = len(self.order)
        else:
            self._record_sizes(scored_sets)
            self.slices.append(scored_sets)
            if sum(map(len, self.slices)) > 2 * KEPT_SETS:
                self._merge_slices()
        self.credit, self.planned, self.done = self.credit - work, (0, 0.0), end
        if self.done == len(self.order):
            self.index, self.order, self.done = self.index + 1, self.order[:0], 0
            self._skip_useless()
        return scored_sets

    def _record_sizes(self, scored_sets: ParentSets) -> None:
        """Record the size up to which all sets of each variable were scored."""
        sizes = scored_sizes(scored_sets.provenance, self.table.n)
        self.scored = np.maximum(self.scored, sizes)
        if sizes.any():
            most = self.table.most_sets
            self.dropped |= most is not None and bool((scored_sets.counts >= most).any())
            self._record_complete_size()

    def _record_complete_size(self) -> None:
        """Record the size up to which all sets were scored, so that no source scores them again."""
        complete = max(self.table.job.max_parents, int(self.scored.min()))
        self.table = replace(self.table, job=replace(self.table.job, max_parents=complete))

    def best_sets(self, count: int) -> list[ParentSets]:
        """Return the scored sets, limited to the ``count`` best of each variable."""
        self._merge_slices()
        return [sets.better_than(sets.scores_at(count + 1)) for sets in self.slices]

    def _merge_slices(self) -> None:
        """Merge all slices, and drop the worst sets if there are too many."""
        if len(self.slices) > 1:
            self.slices = [self._keep_best(self.slices[0].merge(*self.slices[1:]))]

    def _keep_best(self, sets: ParentSets) -> ParentSets:
        """Return the best sets of each variable, if there are too many."""
        if self.table.most_sets is None:
            return sets
        best = sets.better_than(sets.scores_at(self.table.most_sets + 1))
        complete = int(self.scored.max()) + 1
        self.dropped |= bool(sets.sizes[:complete].sum() > best.sizes[:complete].sum())
        return best
