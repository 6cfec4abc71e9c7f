"""GrowingSets: parent sets that are extended at the request of the search, in the core."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.errors import LimitError
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO, scored_field
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT

SET_BYTES = 120
"""Memory per set: 48 bytes in the store, and up to 38 in the arrays, of which there are two copies
while the search switches to new arrays."""


FAMILY_BYTES = 100
"""Memory per family whose score is stored: an entry in each of two tables, of up to 43 bytes. A
variable that has used its share of the memory is not extended any more. Without this limit, one
generation of 889 variables with large sets could request more memory than the machine has."""


MAX_PARENTS_WITH_MISSING = 8
"""Largest parent set that growth makes if values are missing. All its 256 subsets must be scored as
well, and few rows have values for more variables."""


class GrowingSets:
    """A collection of parent sets to which the neighbors of sets in use can be added.

    Parameters
    ----------
    first
        The sets to start from. Every variable has the empty set.
    job
        The table, the score and the constraints that they were scored with.
    max_parents
        The largest parent set of every variable.
    max_memory
        Memory for the sets, in bytes; if a variable exceeds its share, its worst sets are dropped.
    candidates
        The candidate parents of every variable. Default: all that the constraints allow.
    whole
        Whether all sets of ``first`` are kept, because they were grown before. By default, those
        that are dominated or not allowed are left out.

    Attributes
    ----------
    complete
        For every variable, the number of parents up to which all sets were scored.
    families_before, requests_before
        The numbers of families and of requests before this object was created.
    """

    def __init__(
        self,
        first: ParentSets,
        job: Job,
        max_parents: Sequence[int],
        max_memory: int,
        candidates: list[list[int]] | None = None,
        *,
        whole: bool = False,
    ) -> None:
        n = job.data.n_variables
        self.max_parents = [min(most, MAX_PARENTS_LIMIT, n - 1) for most in max_parents]
        self._first = first
        self._most_bytes = max_memory
        self.families_before = self.requests_before = 0
        self.complete = first.complete
        self._store = _core.GrowingSets.make(
            table=job.table,
            chi_squared=job.score.critical_values(job.data.arities, max(self.max_parents)),
            max_parents=self.max_parents,
            candidates=candidates or [],
            most_sets=max(2, max_memory // (SET_BYTES * n)),
            most_families=max_memory // (FAMILY_BYTES * n),
            **(self._margin_arguments(job) if job.margin else {}),
            **job.core_arguments,
        )
        self._constraints = job.constraints
        self.add(first, job.threads, whole=whole)

    def _margin_arguments(self, job: Job) -> dict[str, Any]:
        """Return the arguments of a collection for sampling.

        A search requires arcs one after another, so it needs no dominated sets with useful arcs.
        """
        complete = int(self.complete.min())
        return {"margin": job.margin, "complete": complete, **job.constraints.core_useful}

    @property
    def families(self) -> int:
        """The number of families scored on demand."""
        return self.families_before + self._store.families

    @property
    def requests(self) -> int:
        """The number of families that growth has requested, including those already scored.

        A family counts once for every set that it extends by one parent. Unlike ``families``, this
        does not depend on which scores are stored, so it is the same in a resumed search.
        """
        return self.requests_before + self._store.requests

    def extended(self, sets: ParentSets) -> NDArray[np.bool_]:
        """Return for every set whether all allowed sets with one parent more were scored.

        ``sets`` is the current collection.
        """
        sizes = (sets.parents != sets.none).sum(axis=0)
        scored = (sizes < self.complete[sets.child]) | self._store.extended().astype(bool)
        return np.asarray(scored | (sizes >= np.array(self.max_parents)[sets.child]))

    def requested(self) -> dict[str, NDArray[Any]]:
        """Return the sets whose larger neighbors were requested, as arrays of their keys."""
        keys = [self._store.requested(v) for v in range(len(self.max_parents))]
        return {
            "counts": np.array([len(own) for own in keys]),
            "keys": np.array(list(chain.from_iterable(keys)), dtype=np.uint64),
        }

    def note_requested(self, requested: dict[str, NDArray[Any]]) -> None:
        """Record the requests that were made before this object was created."""
        ends = np.cumsum(requested["counts"])
        if len(ends) != len(self.max_parents) or ends[-1] != len(requested["keys"]):
            raise ValueError("the requests are for other variables")
        for v, own in enumerate(np.split(requested["keys"], ends[:-1])):
            self._store.note_requested(v, np.ascontiguousarray(own, dtype=np.uint64))

    def restart(
        self, first: ParentSets, threads: int = 1, constraints: Constraints | None = None
    ) -> None:
        """Drop all sets and continue from other ones. The scores of families are kept.

        Sets that violate the constraints are left out. Default: the constraints remain the same.
        """
        self._constraints = constraints or self._constraints
        self._store.clear(**self._constraints.core_arguments)
        self.complete = first.complete
        self.add(first, threads)

    def add(self, sets: ParentSets, threads: int = 1, *, whole: bool = False) -> bool:
        """Add sets that were scored elsewhere, and return whether the collection has changed.

        Without ``whole``, sets that are dominated or not allowed are left out. The collection has
        also changed if the complete size of a variable has increased.
        """
        before, self._changed = self.complete, True
        self.complete = np.maximum(before, sets.complete)
        added = self._store.add(
            np.ascontiguousarray(sets.offsets),
            np.ascontiguousarray(sets.scores),
            np.ascontiguousarray(sets.parents),
            whole,
            threads,
        )
        return added > 0 or bool((self.complete > before).any())

    def grow(
        self, networks: Sequence[NDArray[np.int32]], threads: int, budget: _core.Budget
    ) -> int:
        """Score the neighbors of the sets that some networks use; return how many are kept.

        Beyond the memory limit, no set is added.
        """
        self._changed = self._store.bytes <= self._most_bytes
        if not self._changed:
            return 0
        return self._store.grow(np.concatenate(networks).astype(np.int32), threads, budget)

    def score(self, families: Iterable[tuple[int, Sequence[int]]]) -> None:
        """Score sets that are not empty, (child, parents) pairs, and add those not dominated."""
        self._changed = True
        self._store.score([(child, sorted(parents)) for child, parents in families])

    def gains(
        self, network: Sequence[Sequence[int]], scores: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.float64]:
        """Return the gain in score of each child from each further parent.

        The network is given by its parents, in ascending order, and local scores. The parent is
        added to the child's parents, or replaces one of them. Element [child, parent] is minus
        infinity if the arc is not allowed, and 0 if it exists.
        """
        return self._store.gains([list(own) for own in network], scores, threads)

    def translate(self, ranks: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the current ranks of the sets that had these ranks before the last change."""
        if not self._changed:
            return ranks
        return self._store.translate(np.ascontiguousarray(ranks, dtype=np.int32))

    def sets(self, threads: int = 1) -> ParentSets:
        """Return the current collection."""
        offsets, scores, parents = self._store.arrays(threads)
        provenance = {
            **self._first.provenance,
            "max_parents": len(parents),
            SCORED_UP_TO: scored_field(self.complete),
            "grown_families": self.families,
        }
        return ParentSets(self._first.names, offsets, scores, parents, provenance)


def network_sets(
    parent_sets: ParentSets, ranks: NDArray[np.integer]
) -> tuple[ParentSets, NDArray[np.int32]]:
    """Return a collection of the sets of one network and the empty sets.

    The network is given by the ranks of its sets, from 0. The second value has their ranks in the
    new collection.
    """
    places = parent_sets.offsets[:-1] + ranks
    keep = parent_sets.is_empty
    keep[places] = True
    sets = parent_sets.filter(keep)
    sets = replace(sets, provenance={**sets.provenance, SCORED_UP_TO: 0})
    own = np.searchsorted(np.flatnonzero(keep), places) - sets.offsets[:-1]
    return sets, own.astype(np.int32)


def growable_max_parents(job: Job) -> int:
    """Return the largest ``max_parents`` of growing sets.

    With missing values, the score of a set requires the scores of all its subsets. MIT is limited
    by the number of its critical values.
    """
    for most in range(
        MAX_PARENTS_WITH_MISSING if job.data.has_missing else MAX_PARENTS_LIMIT, 0, -1
    ):
        try:
            job.score.check(job.data.arities, most)
        except LimitError:
            continue
        return most
    return 1
