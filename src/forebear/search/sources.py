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

from forebear.parentsets.collection import ParentSets
from forebear.scoring.candidates import best_candidates
from forebear.scoring.constraints import Constraints
from forebear.scoring.footprint import walk_bytes
from forebear.scoring.job import ScoringRun
from forebear.scoring.packing import keep_while_used

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear import _core
    from forebear.scoring.job import Job
    from forebear.search.chain import FoundNetwork

STAGES = ((20, 3), (20, 4), (20, 5), (30, 4), (30, 5), (40, 5))
"""Candidates of each variable, and parents: after all pairs, all sets of these are scored. More
parents of few candidates come before more candidates: they are fewer sets, and worth more
(benchmarks/results/growth.md)."""

MOST_VARIABLES = 30_000
"""With more variables only pairs are scored: the table of allowed arcs takes a byte per pair of
variables, 900 MB for as many."""

BITS = 300
"""Rows that are counted by bits in the time that one takes otherwise, with two states each: 0.01 to
0.04 and 2 to 4 ns per row were measured."""

LEAST_SLICE = 20_000_000
MOST_SLICE = 400_000_000
"""Work of a slice at least, unless less is left: about 50 ms. Every slice has a start of its own,
which takes up to 40 ms with 889 variables. At most it is a second: what is not finished when the
time ends is lost."""

WORK_PER_GENERATION = 400_000
WORK_PER_CLIMB = 300
"""Work that sources may do after a generation: some, this much per variable and climb, and as much
as growth has done. They then take a third to a half of the time. With half and twice as much, none
of 13 tables that were kept aside differed beyond the noise, except andes, which was 7 nats behind
with twice as much (benchmarks/results/anytime.md)."""

PAIR = 2
"""The number of parents that the first stage scores."""

GROWN_PARENTS = 3
"""The number of parents of a typical set that grows."""

STOCK_SETS = 200_000
FEWEST_SETS = 100
"""Sets that are kept of what the sources have scored, divided among the variables. With up to 74
variables these are all pairs."""


@dataclass
class Sources:
    """The parent sets that are scored beside a search.

    Work is measured in rows that are counted one by one, and cells that are added up.

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
    planned
        Where the next slice ends, and its work; (0, 0) if that was not decided.
    pairs
        How many variables were done when all pairs of parents were scored.
    cut
        Whether pairs were dropped or left out, as there were too many.
    """

    job: Job
    max_parents: list[int]
    memory: int
    stage: int = 0
    order: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    done: int = 0
    credit: float = 0.0
    planned: tuple[int, float] = (0, 0.0)
    pairs: int = 0
    cut: bool = False
    _pairs: Job | None = None

    def __post_init__(self) -> None:
        self._skip_stages()

    # ---- how far it is --------------------------------------------------------------------------

    @property
    def exhausted(self) -> bool:
        """Whether all stages are done."""
        return self.stage > len(STAGES)

    @property
    def pairs_of(self) -> int:
        """The number of variables of which all pairs of parents were scored."""
        return self.pairs if self.job.max_parents < 2 else self.job.data.n_variables

    @property
    def complete(self) -> int:
        """The number of parents up to which all sets were scored, and none was dropped."""
        scored = self.stage > 0 and not self.cut and self.job.max_parents < PAIR
        return PAIR if scored and max(self.max_parents) >= PAIR else 0

    @property
    def most_sets(self) -> int:
        """How many sets of a variable are kept."""
        return max(FEWEST_SETS, STOCK_SETS // self.job.data.n_variables)

    def state(self) -> dict[str, Any]:
        """Return how far the sources are, as plain data."""
        names = ("stage", "order", "done", "credit", "planned", "pairs", "cut")
        return {name: getattr(self, name) for name in names}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.stage, self.done = int(state["stage"]), int(state["done"])
        self.credit = float(state["credit"])
        self.pairs, self.cut = int(state["pairs"]), bool(state["cut"])
        end, work = state["planned"]
        self.planned = int(end), float(work)
        self.order = np.asarray(state["order"], dtype=np.int32)

    def _skip_stages(self) -> None:
        """Skip stages that have nothing to score: smaller or larger sets than are wanted."""
        most, n = max(self.max_parents), self.job.data.n_variables
        while not self.exhausted:
            parents = 2 if self.stage == 0 else STAGES[self.stage - 1][1]
            if self.job.max_parents < parents <= most and (self.stage == 0 or n <= MOST_VARIABLES):
                return
            self.stage += 1

    # ---- work -----------------------------------------------------------------------------------

    def earn(self, climbs: int, families: int) -> None:
        """Allow as much work as a generation does that makes some climbs and scores families."""
        n = self.job.data.n_variables
        self.credit += WORK_PER_GENERATION + WORK_PER_CLIMB * n * climbs
        self.credit += families * self._work_of_a_set(GROWN_PARENTS)

    def _work_of_a_set(self, parents: int) -> float:
        """Return the rows that scoring a set counts, and the cells that it adds up."""
        rows, states = self.job.data.n_rows, float(self.job.data.arities.mean())
        counted = rows * min(1.0, (states - 1.0) ** (parents + 1) / BITS)
        return float(counted + min(rows, states ** (parents + 1)))

    def _plan(self, sets: ParentSets) -> tuple[int, float]:
        """Choose where the next slice ends, and return its work."""
        n, total, end = self.job.data.n_variables, 0.0, self.done
        most = min(max(LEAST_SLICE, self.credit), MOST_SLICE)
        while end < n:
            if self.stage == 0:
                work = math.comb(n - 1 - end, 2) * self._work_of_a_set(2)
            else:
                candidates, parents = STAGES[self.stage - 1]
                own = len(best_candidates(sets, int(self.order[end]), candidates))
                count = sum(math.comb(own, k) for k in range(1, parents + 1))
                work = count * self._work_of_a_set(parents)
            if end > self.done and total + work > most:
                break
            total, end = total + work, end + 1
        return end, total

    # ---- scoring --------------------------------------------------------------------------------

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
        if self.planned[0] == 0:
            self.planned = self._plan(sets)
        end, work = self.planned
        if self.credit < work:
            return None
        pairs = self.stage == 0
        found = self._score_pairs(end, budget) if pairs else self._score(sets, end, budget)
        if budget.spent:
            return None
        if found is None:  # there is no memory for this stage
            end, self.cut = len(self.order), self.cut or pairs
        elif pairs:
            self.pairs = end
        self.credit, self.planned, self.done = self.credit - work, (0, 0.0), end
        if self.done == len(self.order):
            self.stage, self.order, self.done, self._pairs = self.stage + 1, self.order[:0], 0, None
            self._skip_stages()
        return found

    def _score_pairs(self, end: int, budget: _core.Budget) -> ParentSets | None:
        """Score all pairs of which the first of the three variables is among those up to the end.

        All pairs of parents of a variable up to the end are then scored.
        """
        if self._pairs is None:
            self._pairs = permuted_job(replace(self.job, max_parents=2), self.order)
            keep_while_used(self._pairs.data)
        job = replace(self._pairs, max_sets=self.most_sets)
        part: range | None = range(self.done, end)
        if not job.together:  # each variable is then scored by itself
            part, given = None, job.constraints
            allowed = np.eye(len(self.order), dtype=bool)
            if given.allowed is not None:
                allowed[self.done : end] = given.allowed[self.done : end]
            required = {v: own for v, own in given.required.items() if self.done <= v < end}
            constraints = Constraints(len(self.order), allowed, required)
            job = replace(job, constraints=constraints)
        found = self._scored(job, self.order, budget, part)
        self.cut |= found is not None and bool((found.counts >= self.most_sets).any())
        return found

    def _score(self, sets: ParentSets, end: int, budget: _core.Budget) -> ParentSets | None:
        """Score all sets of the best candidates of the variables up to the end."""
        given, n = self.job.constraints, self.job.data.n_variables
        candidates, parents = STAGES[self.stage - 1]
        allowed = np.eye(n, dtype=bool)
        own = self.order[self.done : end].tolist()
        for v in own:
            allowed[v, best_candidates(sets, v, candidates)] = True
            allowed[v, list(given.required.get(v, ()))] = True
        if given.allowed is not None:
            allowed &= given.allowed
        required = {v: given.required[v] for v in own if v in given.required}
        job = replace(
            self.job,
            constraints=Constraints(n, allowed, required),
            max_parents=min(parents, n - 1),
            max_sets=self.most_sets,
        )
        return self._scored(job, np.arange(n), budget)

    def _scored(
        self,
        job: Job,
        columns: NDArray[np.integer],
        budget: _core.Budget,
        part: range | None = None,
    ) -> ParentSets | None:
        """Score a job over these columns; None if there is no time or memory for it."""
        if walk_bytes(replace(job, threads=1)) > self.memory:  # the same on any number of threads
            return None
        run = ScoringRun(job, byte_limit=self.memory, part=part, budget=budget)
        if run.run() != "done":
            return None
        try:
            return renumbered(self.job, *run.arrays(), columns, self.max_parents)
        except MemoryError:
            return None


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
    max_parents: Sequence[int],
) -> ParentSets:
    """Return sets of variables in another order as sets of a job. All have the empty set.

    Sets that are too large for their variable are left out.
    """
    n, none = job.data.n_variables, np.iinfo(job.id_type).max
    names = np.append(columns, none).astype(job.id_type)
    members = names[np.where(parents == np.iinfo(parents.dtype).max, n, parents)]
    members.sort(axis=0)  # ascending, and unused places last
    child = np.repeat(columns, np.diff(offsets))
    allowed = (members != none).sum(axis=0) <= np.asarray(max_parents)[child]
    order = np.argsort(child, kind="stable")
    order = order[allowed[order]]
    scores, members, child = scores[order], members[:, order], child[order]
    lacking = np.setdiff1d(np.arange(n), child[members[0] == none])
    at = np.searchsorted(child, lacking, side="right")
    counts = np.bincount(np.insert(child, at, lacking), minlength=n)
    return ParentSets(
        names=job.data.names,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        scores=np.insert(scores, at, -np.inf),
        parents=np.ascontiguousarray(np.insert(members, at, none, axis=1)),
        provenance={**job.provenance, "max_parents": len(members), "max_parents_of_all": 0},
    )
