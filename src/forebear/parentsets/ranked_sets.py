"""RankedSets: the arrays of parent sets, and operations that create one collection from others.

Only this module and the core build these arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.errors import ForebearError, Parameter
from forebear._util.memory_maps import release_pages
from forebear._util.text import counted
from forebear._util.variable_names import VariableNames, check_unique
from forebear.parentsets.coverage import (
    SCORED_UP_TO,
    check_missing,
    complete_sizes,
    scored_field,
)


class RankedArrays(NamedTuple):
    """Ranked sets: offsets, scores and parents as in ``ParentSets``."""

    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[Any]


def is_empty(parents: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which sets are empty. The array may have no rows at all."""
    empty: NDArray[np.bool_] = (parents[:1] == np.iinfo(parents.dtype).max).all(axis=0)
    return empty


def rank(
    n_variables: int,
    child: NDArray[np.integer],
    scores: NDArray[np.float64],
    parents: NDArray[Any],
) -> RankedArrays:
    """Rank sets in any order; ``child`` has the variable of each.

    A set that occurs twice with the same score is kept once. Of several empty sets, the best is
    kept. A variable without the empty set gets one that is not allowed (score minus infinity).
    """
    none = np.iinfo(parents.dtype).max
    lacking = np.setdiff1d(np.arange(n_variables), child[is_empty(parents)])
    if len(lacking):
        child = np.append(child, lacking)
        scores = np.append(scores, np.full(len(lacking), -np.inf))
        nothing = np.full((len(parents), len(lacking)), none, dtype=parents.dtype)
        parents = np.append(parents, nothing, axis=1)
    order = _order(child, scores, parents)
    child, scores, parents = child[order], scores[order], parents[:, order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (child[1:] != child[:-1]) | (parents[:, 1:] != parents[:, :-1]).any(axis=0)
    empty = np.flatnonzero(is_empty(parents))
    new[empty[1:]] &= child[empty[1:]] != child[empty[:-1]]
    counts = np.bincount(child[new], minlength=n_variables)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return RankedArrays(offsets, scores[new], np.ascontiguousarray(parents[:, new]))


def _order(
    child: NDArray[np.integer], scores: NDArray[np.float64], parents: NDArray[Any]
) -> NDArray[np.intp]:
    order = np.argsort(-scores)
    # NumPy sorts 16-bit integers by radix sort, which is fast.
    order = order[np.argsort(child[order].astype(parents.dtype), kind="stable")]
    by_child, by_score = child[order], scores[order]
    same = (by_child[1:] == by_child[:-1]) & (by_score[1:] == by_score[:-1])
    tied = np.zeros(len(order), dtype=bool)  # sorting only these by all keys saves time
    tied[1:] |= same
    tied[:-1] |= same
    places = order[tied]
    members = parents[:, places]
    sizes = (members != np.iinfo(parents.dtype).max).sum(axis=0)
    order[tied] = places[np.lexsort((*members[::-1], sizes, -scores[places], child[places]))]
    return order


@dataclass(frozen=True, eq=False, repr=False)
class RankedSets(VariableNames):
    """The ranked parent sets of every variable, as ``ParentSets`` describes them."""

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[Any]
    provenance: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    threads: InitVar[int] = 1

    def __post_init__(self, threads: int) -> None:
        if self.parents.ndim != 2:
            raise ForebearError(
                Parameter("parents"),
                " must have two dimensions, parents by sets, "
                f"got {counted(self.parents.ndim, 'dimension')}",
            )
        if self.parents.dtype not in (np.uint16, np.uint32):
            raise ForebearError(
                Parameter("parents"), f" must be uint16 or uint32, got {self.parents.dtype}"
            )
        if len(self.offsets) != len(self.names) + 1 or self.parents.shape[1] != len(self.scores):
            raise ForebearError(
                "the arrays of these parent sets have lengths that do not fit together"
            )
        check_unique(self.names, "variable")
        check_missing(self.provenance)
        with release_pages(self.scores, self.parents):
            defect = _core.find_defect(self.offsets, self.scores, self.parents, threads)
        if defect:
            raise ForebearError(f"these parent sets are not valid: {defect}")

    @classmethod
    def ranked(
        cls,
        names: tuple[str, ...],
        child: NDArray[np.integer],
        scores: NDArray[np.float64],
        parents: NDArray[Any],
        provenance: dict[str, Any] | None = None,
    ) -> Self:
        """Create a collection from sets in any order; see ``rank``."""
        return cls(names, *rank(len(names), child, scores, parents), provenance or {})

    @classmethod
    def of_lists(
        cls,
        names: tuple[str, ...],
        lists: Iterable[Iterable[tuple[float, Collection[int]]]],
        provenance: dict[str, Any] | None = None,
    ) -> Self:
        """Create a collection from lists: for every variable, the score and parents of each set."""
        flat = [(v, score, sorted(own)) for v, sets in enumerate(lists) for score, own in sets]
        dtype = np.uint16 if len(names) < np.iinfo(np.uint16).max else np.uint32
        width = max([1, *(len(own) for _, _, own in flat)])
        parents = np.full((width, len(flat)), np.iinfo(dtype).max, dtype=dtype)
        for column, (_, _, own) in enumerate(flat):
            parents[: len(own), column] = own
        child = np.array([v for v, _, _ in flat], dtype=np.int64)
        scores = np.array([score for _, score, _ in flat], dtype=np.float64)
        return cls.ranked(names, child, scores, parents, provenance)

    def __len__(self) -> int:
        """The number of parent sets of all variables together."""
        return len(self.scores)

    @property
    def max_parents(self) -> int:
        """The largest number of parents that a set can have."""
        return int(self.parents.shape[0])

    @property
    def none(self) -> int:
        """The value of unused entries of ``parents``: the largest of its type."""
        return int(np.iinfo(self.parents.dtype).max)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of sets of every variable."""
        return np.diff(self.offsets)

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes, in memory or in a mapped file."""
        return int(self.offsets.nbytes + self.scores.nbytes + self.parents.nbytes)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of sets with 0, 1, 2, ... parents."""
        used = (int(np.count_nonzero(row != self.none)) for row in self.parents)
        at_least = np.array([len(self), *used, 0], dtype=np.int64)
        return at_least[:-1] - at_least[1:]

    @property
    def child(self) -> NDArray[np.int64]:
        """The variable of every set."""
        return np.repeat(np.arange(self.n_variables), self.counts)

    @property
    def is_empty(self) -> NDArray[np.bool_]:
        """Whether each set is empty."""
        return is_empty(self.parents)

    @property
    def complete(self) -> NDArray[np.int64]:
        """The size up to which every variable has all sets that are not dominated."""
        return complete_sizes(self.provenance, self.n_variables)

    @property
    def is_complete(self) -> bool:
        """Whether the collection has all sets of any size that are not dominated."""
        return bool((self.complete >= self.n_variables - 1).all())

    @property
    def has_allowed_sets(self) -> bool:
        """Whether every variable has a set that is allowed."""
        return bool(np.isfinite(self.scores[self.offsets[:-1]]).all())

    def span(self, variable: int) -> slice:
        """Return the columns that hold the sets of a variable."""
        return slice(int(self.offsets[variable]), int(self.offsets[variable + 1]))

    def with_parent(self, child: int, parent: int) -> tuple[slice, NDArray[np.bool_]]:
        """Return the columns of the sets of a child, and which of these sets have a parent."""
        own = self.span(child)
        return own, np.asarray((self.parents[:, own] == parent).any(axis=0))

    def scores_at(self, rank: int) -> NDArray[np.float64]:
        """Return the score of every variable's set of this rank; minus infinity if it has none."""
        scores = self.scores[self.offsets[:-1] + np.minimum(rank, self.counts) - 1]
        return np.where(self.counts >= rank, scores, -np.inf)

    def filter(self, keep: NDArray[np.bool_]) -> Self:
        """Return the sets to keep. Empty sets that are dropped remain, but are not allowed."""
        places = np.flatnonzero(keep)
        scores, parents = self.scores[places], np.ascontiguousarray(self.parents[:, places])
        if not keep[self.is_empty].all():
            return self.ranked(self.names, self.child[places], scores, parents, self.provenance)
        offsets = np.searchsorted(places, self.offsets)
        return replace(self, offsets=offsets, scores=scores, parents=parents, path=None)

    def better_than(self, scores: NDArray[np.float64]) -> Self:
        """Return the empty sets, and the sets that exceed the given score of their variable."""
        return self.filter((self.scores > np.repeat(scores, self.counts)) | self.is_empty)

    def restrict(
        self,
        *,
        allowed: NDArray[np.bool_] | None = None,
        required: Mapping[int, Collection[int]] | None = None,
        max_parents: Sequence[int] | NDArray[np.integer] | None = None,
    ) -> Self:
        """Return the sets that constraints allow.

        Parameters
        ----------
        allowed
            Whether a variable (row) may have another one (column) as a parent. Default: all.
        required
            The parents that variables must have.
        max_parents
            The largest set of every variable.
        """
        n, child = self.n_variables, self.child
        keep = np.ones(len(self), dtype=bool)
        for v, own in (required or {}).items():
            for parent in own:
                span, has = self.with_parent(v, parent)
                keep[span] &= has
        if allowed is not None:
            for slot in self.parents:
                keep &= (slot == self.none) | allowed[child, np.minimum(slot, n - 1)]
        if max_parents is not None:
            keep &= (self.parents != self.none).sum(axis=0) <= np.asarray(max_parents)[child]
        return self.filter(keep)

    def require_earlier(self, earlier: Mapping[int, Sequence[int]]) -> Self:
        """Add to every set the variables that must come earlier; ranks and scores stay the same.

        An order in which every variable has an allowed set then has the required variables earlier.
        A variable with such requirements gets an additional empty set that is not allowed.
        """
        used = int(np.count_nonzero((self.parents != self.none).any(axis=1)))
        slots = max(1, used) + max(map(len, earlier.values()), default=0)
        parents = np.full((slots, len(self)), self.none, dtype=self.parents.dtype)
        parents[:used] = self.parents[:used]
        for v, own in earlier.items():
            members = parents[:, self.span(v)]
            for a in own:
                lacking = np.flatnonzero((members != a).all(axis=0))
                members[np.argmax(members[:, lacking] == self.none, axis=0), lacking] = a
            members.sort(axis=0)
        later = np.array(sorted(earlier), dtype=np.int64)
        keep = np.isfinite(self.scores) | ~np.isin(self.child, later)
        empty = np.full((slots, len(later)), self.none, dtype=parents.dtype)
        parents = np.concatenate([parents[:, keep], empty], axis=1)
        child = np.append(self.child[keep], later)
        order = np.argsort(child, kind="stable")
        return replace(
            self,
            offsets=np.searchsorted(child[order], np.arange(self.n_variables + 1)),
            scores=np.append(self.scores[keep], np.full(len(later), -np.inf))[order],
            parents=np.ascontiguousarray(parents[:, order]),
            path=None,
        )

    def merge(self, *others: Self) -> Self:
        """Return all sets of this and other collections of the same variables, each once.

        A set must have the same score in all of them. The provenance is that of this collection.
        """
        if not others:
            return self
        every = (self, *others)
        width = max(sets.max_parents for sets in every)
        parents = [
            np.pad(s.parents, ((0, width - s.max_parents), (0, 0)), constant_values=self.none)
            for s in every
        ]
        provenance = {
            **self.provenance,
            "max_parents": max(int(s.provenance.get("max_parents", 0)) for s in every),
            SCORED_UP_TO: scored_field(self.complete),
        }
        return self.ranked(
            self.names,
            np.concatenate([sets.child for sets in every]),
            np.concatenate([sets.scores for sets in every]),
            np.concatenate(parents, axis=1),
            provenance,
        )
