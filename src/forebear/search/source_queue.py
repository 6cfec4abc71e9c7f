"""SourceQueue: chooses the parent sets to score next, and limits the work.

Work is counted, not timed, so the sets scored by a given generation are the same on every machine.
The sources get about the same amount of work as the search. The variables that the best network
explains worst are scored first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.parentsets.coverage import scored_sizes
from forebear.search.parent_set_sources import FEW_VARIABLES, Slice, Source, Table, all_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear import _core
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job
    from forebear.search.chain import FoundNetwork

LEAST_SLICE = 20_000_000
MOST_SLICE = 400_000_000
"""Work of a slice at least, unless less is left: about 50 ms. Every slice has a start of its own,
which takes up to 40 ms with 889 variables. At most it is a second: what is not finished when the
time ends is lost."""

WORK_PER_GENERATION = 400_000
WORK_PER_CLIMB = 300
"""Work of a generation of the search: some, and this much per variable and climb, besides what
growth has done. A source with a share of 1 then takes about as long as the search."""

GROWN_PARENTS = 3
"""The number of parents of a typical set that grows."""

KEPT_SETS = 200_000
FEWEST_SETS = 100
"""Sets that are kept of what the sources have scored, divided among the variables. With up to 74
variables these are all pairs."""


@dataclass
class SourceQueue:
    """The sources of a search, one after the other.

    Parameters
    ----------
    table
        The table that they score.
    place
        The index of the current source.
    order
        The variables in the order in which this source scores them; empty before it starts.
    done
        The number of these variables that are done.
    credit
        The work that may be done now.
    planned
        The end of the next slice, and its work; (0, 0) if not yet determined.
    scored
        The number of parents up to which all sets of every variable were scored.
    dropped
        Whether some of these sets were dropped because there were too many.
    stock
        The sets that were scored, per slice or all together.
    """

    table: Table
    place: int = 0
    order: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    done: int = 0
    credit: float = 0.0
    planned: tuple[int, float] = (0, 0.0)
    scored: NDArray[np.int64] = field(init=False)
    dropped: bool = False
    stock: list[ParentSets] = field(default_factory=list)
    sources: list[Source] = field(default_factory=all_sources)

    @classmethod
    def over(cls, job: Job, max_parents: Sequence[int], memory: int) -> SourceQueue:
        """Create the queue for a table. With few variables, all sets are kept."""
        n = job.data.n_variables
        most = None if n < FEW_VARIABLES else max(FEWEST_SETS, KEPT_SETS // n)
        return cls(Table(job, max_parents, memory, most))

    def __post_init__(self) -> None:
        self.scored = np.zeros(self.table.n, dtype=np.int64)
        self._skip_sources()

    @property
    def exhausted(self) -> bool:
        """Whether all sources are done."""
        return self.place >= len(self.sources)

    def state(self) -> dict[str, Any]:
        """Return the progress of the sources as plain data."""
        return {
            "place": self.place,
            "order": self.order,
            "done": self.done,
            "credit": self.credit,
            "planned": self.planned,
            "scored": self.scored,
            "dropped": self.dropped,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.place, self.done = int(state["place"]), int(state["done"])
        self.credit, self.dropped = float(state["credit"]), bool(state["dropped"])
        end, work = state["planned"]
        self.planned = int(end), float(work)
        self.order = np.asarray(state["order"], dtype=np.int32)
        self.scored = np.asarray(state["scored"], dtype=np.int64)
        self._note_known()

    def _skip_sources(self) -> None:
        """Skip sources that have nothing to score because their sets are too small or too large."""
        while not self.exhausted and not self.sources[self.place].has_sets(self.table):
            self.place += 1

    def earn(self, climbs: int, families: int) -> None:
        """Allow as much work as a generation does that makes some climbs and scores families."""
        if self.exhausted:
            return
        work = float(WORK_PER_GENERATION) + WORK_PER_CLIMB * self.table.n * climbs
        work += families * self.table.work_of_a_set(GROWN_PARENTS)
        self.credit += self.sources[self.place].share * work

    def _plan(self, sets: ParentSets) -> tuple[int, float]:
        """Choose where the next slice ends, and return its work."""
        source, total, end = self.sources[self.place], 0.0, self.done
        most = min(max(LEAST_SLICE, self.credit), MOST_SLICE)
        while end < self.table.n:
            work = source.work(self.table, sets, self.order, end)
            if end > self.done and total + work > most:
                break
            total, end = total + work, end + 1
        return end, total

    def score_slice(
        self, sets: ParentSets, best: FoundNetwork, budget: _core.Budget
    ) -> ParentSets | None:
        """Score the next slice; None if there is none, or no credit, time or memory for it.

        ``sets`` show which candidates are good, ``best`` which variables need other parents most.
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
        found = self.sources[self.place].score(self.table, piece)
        if budget.spent:
            return None
        if found is None:  # there is no memory for this source
            end = len(self.order)
        else:
            self._note_scored(found)
            self.stock.append(found)
            if sum(map(len, self.stock)) > 2 * KEPT_SETS:
                self._pack_stock()
        self.credit, self.planned, self.done = self.credit - work, (0, 0.0), end
        if self.done == len(self.order):
            self.place, self.order, self.done = self.place + 1, self.order[:0], 0
            self._skip_sources()
        return found

    def _note_scored(self, found: ParentSets) -> None:
        """Note up to which size all sets of every variable are scored."""
        sizes = scored_sizes(found.provenance, self.table.n)
        self.scored = np.maximum(self.scored, sizes)
        if sizes.any():
            most = self.table.most_sets
            self.dropped |= most is not None and bool((found.counts >= most).any())
            self._note_known()

    def _note_known(self) -> None:
        """Note the size up to which all sets are scored, so that no source does it again."""
        known = max(self.table.job.max_parents, int(self.scored.min()))
        self.table = replace(self.table, job=replace(self.table.job, max_parents=known))

    def best_sets(self, count: int) -> list[ParentSets]:
        """Return the scored sets, limited to the ``count`` best of each variable."""
        self._pack_stock()
        return [sets.better_than(sets.scores_at(count + 1)) for sets in self.stock]

    def _pack_stock(self) -> None:
        """Merge all slices, and drop the sets that are not kept."""
        if len(self.stock) > 1:
            self.stock = [self.keep_best(self.stock[0].merge(*self.stock[1:]))]

    def keep_best(self, sets: ParentSets) -> ParentSets:
        """Drop the worst of the sets that were scored, if there are too many."""
        if self.table.most_sets is None:
            return sets
        kept = sets.better_than(sets.scores_at(self.table.most_sets + 1))
        complete = int(self.scored.max()) + 1
        self.dropped |= bool(sets.sizes[:complete].sum() > kept.sizes[:complete].sum())
        return kept
