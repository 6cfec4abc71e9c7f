"""Adding parent sets to a collection, and the ranking of sets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSet, ParentSets

_ROUNDING = 1e-9
"""Relative: what two ways to compute the same score may differ by."""


def ranking(scores: NDArray[np.float64], parents: NDArray[Any]) -> NDArray[np.intp]:
    """Rank best first; ties: smaller sets first, then lexicographic."""
    order = np.argsort(-scores, kind="stable")  # fast if the parts are ranked already
    ranked = scores[order]
    tied = np.flatnonzero(ranked[1:] == ranked[:-1])
    if not len(tied):
        return order
    starts = tied[np.flatnonzero(np.diff(tied, prepend=-2) > 1)]
    ends = tied[np.flatnonzero(np.diff(tied, append=len(order) + 2) > 1)] + 2
    sizes = (parents != np.iinfo(parents.dtype).max).sum(axis=0)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        among = order[start:end]
        keys = (*parents[::-1, among], sizes[among])
        order[start:end] = among[np.lexsort(keys)]
    return order


def is_empty(parents: NDArray[Any], none: int) -> NDArray[np.bool_]:
    """Tell which sets are empty. There may be no places for parents at all."""
    empty: NDArray[np.bool_] = (parents[:1] == none).all(axis=0)
    return empty


def merge(collections: Sequence[ParentSets]) -> ParentSets:
    """Return all sets of several collections of the same variables, each once.

    The provenance is that of the first collection.
    """
    first, *others = collections
    if not others:
        return first
    width = max(sets.max_parents for sets in collections)
    child = np.concatenate([np.repeat(np.arange(s.n_variables), s.counts) for s in collections])
    scores = np.concatenate([sets.scores for sets in collections])
    parents = np.concatenate(
        [
            np.pad(s.parents, ((0, width - s.max_parents), (0, 0)), constant_values=first.none)
            for s in collections
        ],
        axis=1,
    )
    order = _ranked(child, scores, parents, first.none)
    child, scores, parents = child[order], scores[order], parents[:, order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (child[1:] != child[:-1]) | (parents[:, 1:] != parents[:, :-1]).any(axis=0)
    new &= ~_repeated_empty(child, is_empty(parents, first.none))
    counts = np.bincount(child[new], minlength=first.n_variables)
    return replace(
        first,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        scores=scores[new],
        parents=np.ascontiguousarray(parents[:, new]),
        provenance={
            **first.provenance,
            "max_parents": max(int(s.provenance.get("max_parents", 0)) for s in collections),
            "max_parents_of_all": complete_up_to(first),
        },
        path=None,
    )


def _ranked(
    child: NDArray[np.integer], scores: NDArray[np.float64], parents: NDArray[Any], none: int
) -> NDArray[np.intp]:
    """Rank the sets of every variable: best first, smaller ones first, then lexicographic."""
    order = np.argsort(-scores)
    # Whole numbers of 16 bits are sorted in no time.
    order = order[np.argsort(child[order].astype(parents.dtype), kind="stable")]
    by_child, by_score = child[order], scores[order]
    same = (by_child[1:] == by_child[:-1]) & (by_score[1:] == by_score[:-1])
    tied = np.zeros(len(order), dtype=bool)  # few are, and all keys would take long
    tied[1:] |= same
    tied[:-1] |= same
    places = order[tied]
    members = parents[:, places]
    sizes = (members != none).sum(axis=0)
    order[tied] = places[np.lexsort((*members[::-1], sizes, -scores[places], child[places]))]
    return order


def _repeated_empty(child: NDArray[np.integer], empty: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Find empty sets after the first of a variable: they may be there with a lower score."""
    places = np.flatnonzero(empty)
    repeated = np.zeros(len(empty), dtype=bool)
    repeated[places[1:]] = child[places[1:]] == child[places[:-1]]
    return repeated


def best_sets(sets: ParentSets, least: NDArray[np.float64]) -> ParentSets:
    """Return the sets that score more than the least of their variable, and the empty sets."""
    keep = sets.scores > np.repeat(least, sets.counts)
    keep |= is_empty(sets.parents, sets.none)
    places = np.flatnonzero(keep)
    return replace(
        sets,
        offsets=np.searchsorted(places, sets.offsets),
        scores=sets.scores[places],
        parents=np.ascontiguousarray(sets.parents[:, places]),
        path=None,
    )


def scores_at_rank(sets: ParentSets, rank: int) -> NDArray[np.float64]:
    """Return the score of the set of this rank of every variable; minus infinity without one."""
    found = sets.scores[sets.offsets[:-1] + np.minimum(rank, sets.counts) - 1]
    return np.where(sets.counts >= rank, found, -np.inf)


def complete_up_to(sets: ParentSets) -> int:
    """Return the number of parents up to which all sets were scored."""
    made = sets.provenance
    some = "max_candidates" in made or "max_sets_per_variable" in made
    return int(made.get("max_parents_of_all", 0 if some else made.get("max_parents", 0)))


def with_sets(sets: ParentSets, more: ParentSets, *, dominated: bool = False) -> ParentSets:
    """Add the sets of a small collection that no subset in the large one beats, or all of them.

    The provenance records up to which size all sets were scored.
    """
    added = [
        [one for one in more.of(v) if _is_new(sets, v, one, dominated=dominated)]
        for v in range(sets.n_variables)
    ]
    largest = max((len(one.parents) for own in added for one in own), default=0)
    if not any(added):
        return sets
    width = max(sets.max_parents, largest)
    scores, parents = [], []
    for v, own in enumerate(added):
        span = slice(int(sets.offsets[v]), int(sets.offsets[v + 1]))
        members = np.full((width, span.stop - span.start + len(own)), sets.none, sets.parents.dtype)
        members[: sets.max_parents, : span.stop - span.start] = sets.parents[:, span]
        for column, one in enumerate(own, span.stop - span.start):
            members[: len(one.parents), column] = one.parents
        values = np.append(sets.scores[span], [one.score for one in own])
        order = ranking(values, members)
        scores.append(values[order])
        parents.append(members[:, order])
    made = {
        **sets.provenance,
        "max_parents": max(largest, int(sets.provenance.get("max_parents", sets.max_parents))),
        "max_parents_of_all": complete_up_to(sets),
    }
    return replace(
        sets,
        offsets=np.cumsum([0, *(len(own) for own in scores)], dtype=np.int64),
        scores=np.concatenate(scores),
        parents=np.ascontiguousarray(np.concatenate(parents, axis=1)),
        provenance=made,
        path=None,
    )


def _is_new(sets: ParentSets, v: int, one: ParentSet, *, dominated: bool) -> bool:
    """Return whether a set is absent and, unless it may be dominated, beats all its subsets."""
    if dominated:
        return sets.find(v, one.parents) is None
    best = sets.best(v, one.parents).score
    return one.score > best + _ROUNDING * abs(best)
