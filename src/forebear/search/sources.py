"""Sources: parent sets that are scored between the generations of a search, slice by slice.

Growth meets only the neighbours of sets that a good network uses. A parent that explains nothing
alone is never met that way, so all pairs of parents come first, then all sets of a few good
candidates, with more parents and candidates each time. Work is counted, not timed: the sources get
about as much as the search, so what is scored by a generation is the same on every machine. The
variables that the best network explains worst come first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import LimitError
from forebear.parentsets.collection import ParentSets
from forebear.scoring.candidates import best_candidates
from forebear.scoring.constraints import Constraints
from forebear.scoring.footprint import walk_bytes
from forebear.scoring.job import ScoringRun

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear import _core
    from forebear.scoring.job import Job
    from forebear.search.chain import FoundNetwork

STAGES = ((20, 3), (20, 4), (20, 5), (30, 4), (30, 5), (40, 5))
"""Candidates of each variable, and parents: after all pairs, all sets of these are scored. More
parents of few candidates come before more candidates: they are fewer sets, and worth more
(benchmarks/results/growth.md)."""

BITS = 300
"""Rows that are counted by bits in the time that one takes otherwise, with two states each."""

LEAST_SLICE = 20_000_000
"""Rows counted in a slice at least, unless fewer are left: every slice prepares the table anew."""

WORK_PER_GENERATION = 200_000
WORK_PER_CLIMB = 150
"""Rows that sources may count after a generation: some, and this many per variable and climb, and
as many as growth has counted. They then take about as long as the search."""

STOCK_SETS = 200_000
FEWEST_SETS = 100
"""Sets that are kept of what the sources have scored, divided among the variables."""


GROWN_PARENTS = 3
"""The number of parents of a typical set that grows."""


@dataclass
class Sources:
    """The parent sets that are scored beside a search.

    Parameters
    ----------
    job
        The table, the score and the constraints.
    max_parents
        The largest parent set of every variable.
    memory
        Bytes that scoring may take.
    stage
        The stage that is being scored: 0 for pairs, then the ``STAGES``.
    order
        The variables in the order in which this stage takes them; empty before it starts.
    done
        How many of these are done.
    credit
        The work that sources may do now.
    """

    job: Job
    max_parents: list[int]
    memory: int
    stage: int = 0
    order: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    done: int = 0
    credit: float = 0.0
    cut: bool = False  # whether sets were dropped, for there were too many
    _pairs: Job | None = None

    def __post_init__(self) -> None:
        self._skip_stages()

    @property
    def exhausted(self) -> bool:
        """Whether all stages are done."""
        return self.stage > len(STAGES)

    @property
    def pairs_of(self) -> int:
        """The number of variables of which all pairs of parents were scored."""
        if self.job.max_parents >= 2 or self.stage > 0:
            return self.job.data.n_variables
        return self.done

    @property
    def complete(self) -> int:
        """The number of parents up to which all sets were scored, and none was dropped."""
        return 2 if self.stage > 0 and not self.cut and self.job.max_parents < 2 else 0

    def state(self) -> dict[str, Any]:
        """Return how far the sources are, as plain data."""
        return {
            "stage": self.stage,
            "order": self.order,
            "done": self.done,
            "credit": self.credit,
            "cut": self.cut,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.stage, self.done = int(state["stage"]), int(state["done"])
        self.credit, self.cut = float(state["credit"]), bool(state["cut"])
        self.order = np.asarray(state["order"], dtype=np.int32)

    def earn(self, climbs: int, families: int) -> None:
        """Allow as much work as a generation takes that makes some climbs and scores families."""
        n = self.job.data.n_variables
        self.credit += WORK_PER_GENERATION + WORK_PER_CLIMB * n * climbs
        self.credit += families * self._work_of_a_set(GROWN_PARENTS)

    def score_slice(
        self, sets: ParentSets, best: FoundNetwork, budget: _core.Budget
    ) -> ParentSets | None:
        """Score the next slice; None if there is none, or no credit, time or memory for it.

        ``sets`` tell which candidates are good, ``best`` which variables need other parents most.
        """
        if self.exhausted:
            return None
        if not len(self.order):
            local = best.sets.scores[best.sets.offsets[:-1] + best.ranks]
            self.order, self.done = np.argsort(local, kind="stable").astype(np.int32), 0
        score = self._score_pairs if self.stage == 0 else self._score_candidates
        end = self._slice_end()
        if end == self.done:
            return None
        found = None
        try:
            found = score(sets, self.done, end, budget)
        except (LimitError, MemoryError):
            if budget.spent:
                return None
            end, self.cut = len(self.order), True  # there is no memory for this stage
        if found is None and budget.spent:
            return None
        self.done = end
        if self.done == len(self.order):
            self.stage, self.order, self.done, self._pairs = self.stage + 1, self.order[:0], 0, None
            self._skip_stages()
        return found

    def _skip_stages(self) -> None:
        """Skip stages that have nothing to score: smaller or larger sets than are wanted."""
        most = max(self.max_parents)
        while not self.exhausted:
            parents = 2 if self.stage == 0 else STAGES[self.stage - 1][1]
            if self.job.max_parents < parents <= most:
                return
            self.stage += 1

    def _slice_end(self) -> int:
        """Return where the slice ends that the credit allows, and take the credit."""
        n = self.job.data.n_variables
        places = np.arange(self.done, n, dtype=np.float64)
        if self.stage == 0:
            sets, parents = (n - 1 - places) * (n - 2 - places) / 2, 2
        else:
            candidates, parents = STAGES[self.stage - 1]
            each = sum(math.comb(min(candidates, n - 1), k) for k in range(1, parents + 1))
            sets = np.full(len(places), float(each))
        work = np.cumsum(sets * self._work_of_a_set(parents))
        least = min(work[-1], max(work[0], LEAST_SLICE))
        if self.credit < least:
            return self.done
        slices = int(np.searchsorted(work, self.credit, side="right"))
        self.credit -= float(work[slices - 1])
        return self.done + slices

    def _work_of_a_set(self, parents: int) -> float:
        """Return the rows that scoring a set counts, and the cells that it adds up."""
        rows, states = self.job.data.n_rows, float(self.job.data.arities.mean())
        counted = rows * min(1.0, (states - 1.0) ** (parents + 1) / BITS)
        return float(counted + min(rows, states ** (parents + 1)))

    def _score_pairs(
        self, sets: ParentSets, begin: int, end: int, budget: _core.Budget
    ) -> ParentSets | None:
        """Score all pairs that have one of these variables as child or parent, and no earlier one.

        Every variable up to the last is then complete: all its pairs were scored.
        """
        del sets
        if self._pairs is None:
            self._pairs = permuted_job(replace(self.job, max_parents=2), self.order)
            if walk_bytes(self._pairs) > self.memory:
                self._pairs = None
                raise MemoryError
        run = ScoringRun(
            replace(self._pairs, max_sets=self.most_sets),
            byte_limit=self.memory,
            part=range(begin, end),
            budget=budget,
        )
        return self._collected(run, self.order, budget)

    def _score_candidates(
        self, sets: ParentSets, begin: int, end: int, budget: _core.Budget
    ) -> ParentSets | None:
        """Score all sets of the best candidates of some variables."""
        given = self.job.constraints
        candidates, parents = STAGES[self.stage - 1]
        own = self.order[begin:end].tolist()
        columns = sorted({*own, *(p for v in own for p in self._candidates(sets, v, candidates))})
        if len(columns) < 2:
            return None
        place = {v: i for i, v in enumerate(columns)}
        allowed = np.eye(len(columns), dtype=bool)
        for v in own:
            for p in self._candidates(sets, v, candidates):
                allowed[place[v], place[p]] = given.allowed is None or given.allowed[v, p]
        required = {
            place[v]: tuple(place[p] for p in given.required[v]) for v in own if v in given.required
        }
        job = replace(
            self.job,
            data=self.job.data.select(columns),
            constraints=Constraints(len(columns), allowed, required),
            max_parents=min(parents, len(columns) - 1),
            max_sets=self.most_sets,
        )
        if walk_bytes(job) > self.memory:
            raise MemoryError
        run = ScoringRun(job, byte_limit=self.memory, budget=budget)
        return self._collected(run, np.array(columns), budget, own)

    def _candidates(self, sets: ParentSets, v: int, most: int) -> list[int]:
        must = self.job.constraints.required.get(v, ())
        return list(dict.fromkeys([*must, *best_candidates(sets, v, most).tolist()]))

    @property
    def most_sets(self) -> int:
        """How many sets of a variable are kept."""
        return max(FEWEST_SETS, STOCK_SETS // self.job.data.n_variables)

    def _collected(
        self,
        run: ScoringRun,
        columns: NDArray[np.integer],
        budget: _core.Budget,
        only: list[int] | None = None,
    ) -> ParentSets | None:
        """Run, and return the sets of these columns as sets of all variables."""
        if run.run() != "done" or budget.spent:
            if budget.spent:
                return None
            raise MemoryError
        offsets, scores, parents = run.arrays()
        self.cut |= self.stage == 0 and bool((np.diff(offsets) >= self.most_sets).any())
        return renumbered(self.job, offsets, scores, parents, columns, only)


def permuted_job(job: Job, order: NDArray[np.integer]) -> Job:
    """Return a job over the same variables in another order."""
    given, place = job.constraints, np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    allowed = None if given.allowed is None else given.allowed[np.ix_(order, order)]
    required = {
        int(place[v]): tuple(sorted(place[list(own)].tolist())) for v, own in given.required.items()
    }
    return replace(
        job,
        data=job.data.select(order.tolist()),
        constraints=Constraints(len(order), allowed, required),
    )


def renumbered(
    job: Job,
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    parents: NDArray[Any],
    columns: NDArray[np.integer],
    only: list[int] | None,
) -> ParentSets:
    """Return sets of some columns as sets of all variables of a job; others have the empty set.

    ``only`` lists the variables whose sets are kept. Default: all.
    """
    n, none = job.data.n_variables, np.iinfo(job.id_type).max
    known = np.iinfo(parents.dtype).max
    names = np.append(columns, none).astype(job.id_type)
    members = names[np.where(parents == known, len(columns), parents)]
    members.sort(axis=0)  # ascending, and unused places last
    child = np.repeat(columns, np.diff(offsets))
    keep = np.ones(len(child), dtype=bool) if only is None else np.isin(child, only)
    order = np.flatnonzero(keep)[np.argsort(child[keep], kind="stable")]
    scores, members, child = scores[order], members[:, order], child[order]
    lacking = np.setdiff1d(np.arange(n), child[members[0] == none])
    at = np.searchsorted(child, lacking, side="right")  # every variable has the empty set
    scores = np.insert(scores, at, -np.inf)
    members = np.insert(members, at, none, axis=1)
    counts = np.bincount(np.insert(child, at, lacking), minlength=n)
    return ParentSets(
        names=job.data.names,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        scores=scores,
        parents=np.ascontiguousarray(members),
        provenance={**job.provenance, "max_parents": len(members), "max_parents_of_all": 0},
    )
