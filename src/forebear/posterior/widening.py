"""Widening: parent sets for sampling, including dominated sets within a margin.

A search does not need dominated sets, which score less than one of their subsets. A sum over
networks does. With 1,000 rows, a parent without influence costs about 3.5 nats, so a hundred sets
with such a parent together have more weight than the set without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.executors import interruptible
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT

DEFAULT_PRIOR = "sparse"
"""The usual choice of samplers (Friedman and Koller, 2003). With hundreds of variables, "uniform"
expects many parents per variable."""

DEFAULT_MARGIN = 8.0
"""A set is pruned if a subset scores this many nats more: it has less than 0.04 % of the weight of
the subset. With 1,000 rows of alarm, 4 nats kept half as many sets, and probabilities of arcs
differed more than twice as much from those of a long run; 16 nats kept five times as many, and
probabilities differed as much as with 8."""


class Widening:
    """The parent sets of a table for sampling. The sets that chains use can be extended.

    All sets of a few parents are scored, then the neighbors of the best, and so on. The provenance
    of the sets records how far this went.

    Parameters
    ----------
    first
        The sets of a search. At first, sets have no more parents than these.
        Sets of the largest size are extended later if chains use them.
    job
        The table, the score with its prior over networks, and the constraints.
    max_parents
        The largest parent set of every variable.
    margin
        A set is pruned if a subset scores higher by this many nats.
    budget
        If it is spent, the work ends early, and variables have fewer sets.
    families
        All sets are scored up to the largest size with at most this many families: a few seconds.
    expanded
        The largest number of further families to score, divided among the variables.
    sets
        The largest number of sets to keep, divided among the variables: about 0.5 GB.

    Attributes
    ----------
    sets
        The parent sets.
    explored
        For every set, whether all allowed sets with one parent more were scored.
    """

    def __init__(
        self,
        first: ParentSets,
        job: Job,
        max_parents: Sequence[int],
        *,
        margin: float,
        budget: _core.Budget,
        families: int = 8_000_000,
        expanded: int = 30_000_000,
        sets: int = 4_000_000,
    ) -> None:
        constraints, n = job.constraints, job.data.n_variables
        self._most = [min(own, MAX_PARENTS_LIMIT, n - 1) for own in max_parents]
        useful = constraints.useful
        self._widen = partial(
            _core.widen,
            table=job.table,
            chi_squared=job.score.critical_values(job.data.arities, max(*self._most, 1)),
            useful=[] if useful is None else useful.astype(np.uint8).ravel().tolist(),
            needing=constraints.most_useful,
            max_parents=self._most,
            margin=margin,
            most_expanded=expanded // (n * n),
            most_sets=max(2, sets // n),
            **job.core_arguments,
        )
        largest = min(max(self._most), first.max_parents)
        complete = complete_size(n, largest, families)
        about = {
            **{k: x for k, x in first.provenance.items() if k != "families"},
            "margin": margin,
            "prior": job.score.prior,
            SCORED_UP_TO: complete,
            "grown": 0,
        }
        self.sets: ParentSets
        self.explored: NDArray[np.uint8]
        self._take(
            first, about, budget, complete=complete, largest=largest, explored=None, used=None
        )

    def grow(self, used: NDArray[np.bool_], budget: _core.Budget) -> bool:
        """Score the neighbors of some sets; return whether there are more sets now."""
        before = len(self.sets)
        about = dict(self.sets.provenance)
        self._take(
            self.sets,
            about,
            budget,
            complete=0,
            largest=MAX_PARENTS_LIMIT,
            explored=self.explored,
            used=used.astype(np.uint8),
        )
        about["grown"] += len(self.sets) - before
        return len(self.sets) > before

    def _take(
        self, sets: ParentSets, about: dict[str, Any], budget: _core.Budget, **how: Any
    ) -> None:
        job = partial(
            self._widen,
            offsets=np.ascontiguousarray(sets.offsets),
            scores=np.ascontiguousarray(sets.scores),
            parents=np.ascontiguousarray(sets.parents),
            budget=budget,
            **how,
        )
        offsets, scores, parents, self.explored, cut = interruptible(job, budget)
        about["max_parents"] = max(self._most)
        about["unexpanded"] = int((self.explored == 0).sum())
        about["cut"] = about.get("cut", 0) + cut
        self.sets = ParentSets(
            names=sets.names, offsets=offsets, scores=scores, parents=parents, provenance=about
        )


def complete_size(n_variables: int, most: int, families: int) -> int:
    """Return the largest size for which scoring all sets up to it takes at most ``families``."""
    whole = Constraints(n_variables)
    larger = range(2, most + 1)
    return max((size for size in larger if whole.families(size) <= families), default=min(1, most))
