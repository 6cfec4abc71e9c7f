"""Sources of parent sets that a search scores in addition to the neighbors of sets in use.

Growth finds only neighbors of the sets that good networks use. A parent that explains nothing alone
is never found that way. There are therefore three other sources: all sets (few variables only), all
pairs of parents, and all sets of a few good candidate parents. In one call, a source scores a
slice: some of the variables, in a given order. ``source_queue.py`` defines the order of sources.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.errors import LimitError
from forebear._util.machine import resident_bytes
from forebear.budget import QUICK_WORK
from forebear.data.packed_table import merged_rows
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO, scored_field
from forebear.scoring.all_sets import can_score_all, can_score_all_quickly, collect_all
from forebear.scoring.candidates import best_candidates
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job, ScoringRun
from forebear.scoring.max_parents import (
    MAX_PARENTS_LIMIT,
    possible_max_parents,
    preferred_max_parents,
)
from forebear.scoring.memory_estimate import least_bytes

FEW_VARIABLES = 20
"""With fewer variables, all parent sets are scored, or all of up to six parents, if they are not
too many."""

BITS = 300
"""Counting by bits handles this many rows of binary variables in the time of one row otherwise:
0.01 to 0.04 ns and 2 to 4 ns per row were measured."""


@dataclass(frozen=True)
class Table:
    """The table whose families a source scores, with the limits.

    Attributes
    ----------
    job
        The table, the score and the constraints; sets of up to its ``max_parents`` are scored.
    max_parents
        The largest parent set of every variable.
    memory
        Memory limit for scoring, in bytes.
    most_sets
        The largest number of sets of a variable to keep. Default: all.
    """

    job: Job
    max_parents: Sequence[int]
    memory: int
    most_sets: int | None = None

    @property
    def n(self) -> int:
        """The number of variables."""
        return self.job.data.n_variables

    def work_per_set(self, parents: int) -> float:
        """Return the work of scoring a set: the rows that are counted, and the cells added up."""
        rows, states = self.job.counted_rows, float(self.job.data.arities.mean())
        counting = rows * min(1.0, (states - 1.0) ** (parents + 1) / BITS)
        return float(counting + min(rows, states ** (parents + 1)))

    def within_limits(self, sets: ParentSets) -> ParentSets:
        """Leave out sets that are too large for their variable."""
        sizes = (sets.parents != sets.none).sum(axis=0)
        return sets.filter(sizes <= np.asarray(self.max_parents)[sets.child])

    def score(
        self,
        job: Job,
        columns: NDArray[np.integer],
        budget: _core.Budget,
        complete: NDArray[np.integer] | None = None,
        part: range | None = None,
    ) -> ParentSets | None:
        """Score a job over these columns; None if time or memory are insufficient.

        ``complete`` is the size up to which all sets of every variable are then scored.
        """
        if least_bytes(job) > self.memory:
            return None
        run = ScoringRun(job, byte_limit=self.memory, part=part, budget=budget)
        if run.run() != "done":
            return None
        sizes = np.zeros(self.n, dtype=np.int64) if complete is None else complete
        try:
            return self._renumbered(*run.arrays(), columns, sizes)
        except MemoryError:
            return None

    def _renumbered(
        self,
        offsets: NDArray[np.int64],
        scores: NDArray[np.float64],
        parents: NDArray[Any],
        columns: NDArray[np.integer],
        complete: NDArray[np.integer],
    ) -> ParentSets:
        """Return sets over reordered columns as sets of this table, with the empty sets.

        Sets that are too large for their variable are left out.
        """
        job, none = self.job, np.iinfo(self.job.id_type).max
        names = np.append(columns, none).astype(job.id_type)
        members = names[np.where(parents == np.iinfo(parents.dtype).max, self.n, parents)]
        members.sort(axis=0)  # ascending, and unused places last
        child = np.repeat(columns, np.diff(offsets))
        allowed = (members != none).sum(axis=0) <= np.asarray(self.max_parents)[child]
        provenance = {
            **job.provenance,
            "max_parents": len(members),
            SCORED_UP_TO: scored_field(complete),
        }
        return ParentSets.ranked(
            job.data.names, child[allowed], scores[allowed], members[:, allowed], provenance
        )


class Slice(NamedTuple):
    """The sets that a source scores in one call."""

    sets: ParentSets  # scored so far
    order: NDArray[np.int32]  # of all variables
    part: range  # the places in this order
    budget: _core.Budget


class Source(ABC):
    """One kind of parent sets, scored in slices.

    Attributes
    ----------
    share
        The work that the source may do, relative to the search. With 1.5 for all sources, four of
        seven tables were 2 to 30 nats behind after 10 s, and one was 24 ahead
        (benchmarks/results/anytime.md).
    """

    share = 0.25

    @abstractmethod
    def has_sets(self, table: Table) -> bool:
        """Return whether there are allowed sets that are larger than those scored so far."""

    @abstractmethod
    def work(self, table: Table, sets: ParentSets, order: NDArray[np.int32], place: int) -> float:
        """Return the work for the variable at a place of the order.

        The unit is a row that is counted, or a cell that is added up.
        """

    @abstractmethod
    def score(self, table: Table, piece: Slice) -> ParentSets | None:
        """Score a slice; None if time or memory are insufficient.

        The provenance of the result contains the size up to which all sets of every variable were
        scored.
        """


class AllSets(Source):
    """All sets of few variables, of any size or up to a given size. There is only one slice."""

    def has_sets(self, table: Table) -> bool:
        """Return whether there are few enough variables, families and rows."""
        return self._any_size(table) or self._max_parents(table) > table.job.max_parents

    def _any_size(self, table: Table) -> bool:
        job = table.job
        return (
            table.n < FEW_VARIABLES
            and job.max_parents < table.n - 1
            and max(table.max_parents) >= min(MAX_PARENTS_LIMIT, table.n - 1)
            and can_score_all_quickly(job)
            and can_score_all(job, resident_bytes() + table.memory)
        )

    def _max_parents(self, table: Table) -> int:
        """Return the size up to which all sets are scored; 0 if there are too many."""
        n, job = table.n, table.job
        most = min(preferred_max_parents(n), max(table.max_parents), possible_max_parents(n))
        work = job.constraints.families(most) * job.counted_rows
        return most if n < FEW_VARIABLES and work <= QUICK_WORK else 0

    def work(self, table: Table, sets: ParentSets, order: NDArray[np.int32], place: int) -> float:
        """Return 0: with few variables, the sets are scored at once."""
        return 0.0

    def score(self, table: Table, piece: Slice) -> ParentSets | None:
        """Score all sets."""
        if self._any_size(table):
            run = ScoringRun(table.job, table.memory, budget=piece.budget, all_sizes=True)
            try:
                sets = collect_all(run) if run.run() == "done" else None
            except (LimitError, MemoryError):
                return None
            return None if sets is None else table.within_limits(sets)
        job = replace(table.job, max_parents=self._max_parents(table))
        complete = np.full(table.n, job.max_parents)
        return table.score(job, np.arange(table.n), piece.budget, complete)


class Pairs(Source):
    """All pairs of parents. A slice scores the families whose first variable is in the slice.

    When the slice of a variable is done, all pairs of that variable have been scored.

    With a share of 1, diabetes (413 variables) was 160 nats behind after 30 s, and two tables of
    889 variables were equal after 3 s; with a share of 2, 45 ahead and 90 to 1,400 behind
    (benchmarks/results/anytime.md).
    """

    share = 1.5

    def __init__(self) -> None:
        self._permuted: tuple[NDArray[np.int32], Job] | None = None

    def has_sets(self, table: Table) -> bool:
        """Return whether pairs are allowed and not scored yet."""
        return table.job.max_parents < 2 <= max(table.max_parents)

    def work(self, table: Table, sets: ParentSets, order: NDArray[np.int32], place: int) -> float:
        """Return the work for the pairs among the variables that follow in the order."""
        return math.comb(table.n - 1 - place, 2) * table.work_per_set(2)

    def score(self, table: Table, piece: Slice) -> ParentSets | None:
        """Score the pairs of a slice."""
        _, order, part, budget = piece
        if self._permuted is None or self._permuted[0] is not order:
            self._permuted = order, permuted_job(replace(table.job, max_parents=2), order)
        job = replace(self._permuted[1], max_sets=table.most_sets)
        complete = np.zeros(table.n, dtype=np.int64)
        complete[order[: part.stop]] = 2
        if job.shared_walk:
            return table.score(job, order, budget, complete, part)
        # Each variable is scored separately.
        job = replace(job, constraints=constraints_of(job, dict.fromkeys(part, np.arange(table.n))))
        return table.score(job, order, budget, complete)


@dataclass
class CandidateSets(Source):
    """All sets of the best candidates of each variable.

    Parameters
    ----------
    candidates
        The number of candidate parents of each variable.
    parents
        The size of the largest sets.
    """

    candidates: int
    parents: int

    def has_sets(self, table: Table) -> bool:
        """Return whether such sets are allowed and not scored yet."""
        is_new = table.job.max_parents < self.parents <= max(table.max_parents)
        # The table of allowed arcs takes a byte per pair of variables.
        return is_new and table.n**2 <= table.memory

    def work(self, table: Table, sets: ParentSets, order: NDArray[np.int32], place: int) -> float:
        """Return the work for the sets of one variable."""
        own = len(best_candidates(sets, int(order[place]), self.candidates))
        count = sum(math.comb(own, k) for k in range(1, self.parents + 1))
        return count * table.work_per_set(self.parents)

    def score(self, table: Table, piece: Slice) -> ParentSets | None:
        """Score the sets of the variables of a slice."""
        own = piece.order[piece.part.start : piece.part.stop].tolist()
        candidates = {v: best_candidates(piece.sets, v, self.candidates) for v in own}
        job = replace(
            table.job,
            constraints=constraints_of(table.job, candidates),
            max_parents=min(self.parents, table.n - 1),
            max_sets=table.most_sets,
        )
        return table.score(job, np.arange(table.n), piece.budget)


def constraints_of(job: Job, candidates: Mapping[int, NDArray[np.integer]]) -> Constraints:
    """Return the constraints of a job, with the given candidates; other variables have none."""
    given, n = job.constraints, job.data.n_variables
    allowed = np.eye(n, dtype=bool)
    for v, own in candidates.items():
        allowed[v, own] = True
        allowed[v, list(given.required.get(v, ()))] = True
    if given.allowed is not None:
        allowed &= given.allowed
    required = {v: given.required[v] for v in candidates if v in given.required}
    return Constraints(n, allowed, required)


def permuted_job(job: Job, order: NDArray[np.integer]) -> Job:
    """Return the same job with its variables in another order, and with equal rows merged."""
    given, place = job.constraints, np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    allowed = None if given.allowed is None else given.allowed[np.ix_(order, order)]
    required = {
        int(place[v]): tuple(sorted(place[list(own)].tolist())) for v, own in given.required.items()
    }
    return replace(
        job,
        data=merged_rows(job.data).select(order.tolist()),
        constraints=Constraints(len(order), allowed, required),
    )
