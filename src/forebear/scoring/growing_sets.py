"""GrowingSets: parent sets that are extended at the request of the search, in the core."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from forebear import _core
from forebear._util.errors import LimitError
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO, scored_field
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from forebear.scoring.job import Job

SET_BYTES = 120
"""Memory per set: 48 bytes in the store, up to 38 in the arrays, and room for a second copy of the
arrays while the search moves to them."""


FAMILY_BYTES = 100
"""Memory per family whose score is remembered: an entry of two tables, of up to 43 bytes each. A
variable with its share of the memory is not asked for more: one generation of 889 variables with
large sets could otherwise ask for more than the machine holds."""


MAX_PARENTS_WITH_MISSING = 8
"""Largest parent set that grows where values are missing: it has 256 subsets, each of which must be
scored, too. Few rows have values for more variables than that."""


Core: TypeAlias = "tuple[int, tuple[int, ...]]"
"""A variable, and parents that it may have to have: their arcs may lower the score."""


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
        Whether ``first`` is such a collection already; all of it is then kept unchanged.
    cores
        The cores that were required of that collection.

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
        cores: Iterable[Core] = (),
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
            **job.core_arguments,
        )
        self.cores: list[Core] = []
        self.require(cores, [], job.threads, _core.Budget(None))
        self.add(first, job.threads, whole=whole)

    @property
    def families(self) -> int:
        """The number of families scored on demand."""
        return self.families_before + self._store.families

    @property
    def requests(self) -> int:
        """The number of families that growth has requested, including those already scored.

        Each counts once per set that it adds one parent to. Unlike ``families``, this does not
        depend on what is remembered, so that it is the same in a search that is resumed.
        """
        return self.requests_before + self._store.requests

    def requested(self) -> dict[str, NDArray[Any]]:
        """Return the sets whose larger neighbors were requested, as arrays of their keys."""
        keys = [self._store.requested(v) for v in range(len(self.max_parents))]
        return {
            "counts": np.array([len(own) for own in keys]),
            "keys": np.array(list(chain.from_iterable(keys)), dtype=np.uint64),
        }

    def note_requested(self, requested: dict[str, NDArray[Any]]) -> None:
        """Record the requests that were provenance before this object was created."""
        ends = np.cumsum(requested["counts"])
        if len(ends) != len(self.max_parents) or ends[-1] != len(requested["keys"]):
            raise ValueError("what was asked for is of other variables")
        for v, own in enumerate(np.split(requested["keys"], ends[:-1])):
            self._store.note_requested(v, np.ascontiguousarray(own, dtype=np.uint64))

    def restart(self, first: ParentSets, threads: int = 1) -> None:
        """Forget all sets, and start again from these. The scores of families are remembered."""
        self._store.clear()
        self.complete = first.complete
        self.add(first, threads)

    def add(self, sets: ParentSets, threads: int = 1, *, whole: bool = False) -> bool:
        """Add sets that were scored elsewhere: those that no subset beats, or the whole.

        Return whether there are more sets now, or more is known of them.
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
        """Score the neighbors of the sets that some networks use; return how many stay.

        Beyond the memory limit nothing is added any more.
        """
        self._changed = self._store.bytes <= self._most_bytes
        if not self._changed:
            return 0
        return self._store.grow(np.concatenate(networks).astype(np.int32), threads, budget)

    def require(
        self,
        cores: Iterable[Core],
        networks: Sequence[NDArray[np.int32]],
        threads: int,
        budget: _core.Budget,
    ) -> None:
        """Let variables have the parents of a core, whatever that costs.

        The set of each core is scored, and those of the networks with the core added, with their
        neighbors. From now on the best of all sets with a core stay, and grow.
        """
        wanted = list(cores)
        needs = [(child, list(members)) for child, members in wanted]
        self.cores = list(dict.fromkeys([*self.cores, *wanted]))
        self._changed = True
        ranks = np.concatenate([*networks, []]).astype(np.int32)
        self._store.require(needs, ranks, threads, budget)

    def gains(self, network: NDArray[np.int32], threads: int = 1) -> NDArray[np.float64]:
        """Return what each child gains by another parent, beside those it has or instead of one.

        Element [child, parent] is minus infinity where that is not allowed, and 0 where it has it.
        """
        return self._store.gains(np.ascontiguousarray(network, dtype=np.int32), threads)

    def translate(self, ranks: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the present ranks of sets that had these ranks before the last change."""
        if not self._changed:
            return ranks
        return self._store.translate(np.ascontiguousarray(ranks, dtype=np.int32))

    def sets(self, threads: int = 1) -> ParentSets:
        """Return all sets as they are now."""
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
    """Return the sets of one network, given by their ranks (from 0), and the empty sets.

    The second array has the ranks of its sets among these.
    """
    places = parent_sets.offsets[:-1] + ranks
    keep = parent_sets.is_empty
    keep[places] = True
    sets = parent_sets.filter(keep)
    sets = replace(sets, provenance={**sets.provenance, SCORED_UP_TO: 0})
    own = np.searchsorted(np.flatnonzero(keep), places) - sets.offsets[:-1]
    return sets, own.astype(np.int32)


def growable_max_parents(job: Job) -> int:
    """Return the largest max_parents that the score can be tabulated for (only MIT has a limit).

    With missing values, the score of a set takes those of all its subsets.
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
