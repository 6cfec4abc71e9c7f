"""The parent sets of a collection that knowledge leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.knowledge.enforcement import Enforced


def allowed_sets(parent_sets: ParentSets, keep: NDArray[np.bool_]) -> ParentSets | None:
    """Return the sets to keep; None if a variable has none.

    The empty set stays in any case: where it is not to be kept, as one that is not allowed.
    """
    scores = np.where(keep, parent_sets.scores, -np.inf)
    child = np.repeat(np.arange(parent_sets.n_variables), parent_sets.counts)
    places = np.flatnonzero(keep | (parent_sets.parents == parent_sets.none).all(axis=0))
    places = places[np.lexsort((-scores[places], child[places]))]
    counts = np.bincount(child[places], minlength=parent_sets.n_variables)
    left = ParentSets(
        names=parent_sets.names,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        scores=scores[places],
        parents=np.ascontiguousarray(parent_sets.parents[:, places]),
        provenance=parent_sets.provenance,
    )
    return left if np.isfinite(left.scores[left.offsets[:-1]]).all() else None


def with_parent(
    parent_sets: ParentSets, child: int, parent: int
) -> tuple[slice, NDArray[np.bool_]]:
    """Return where the sets of a child are, and which of them have a parent."""
    own = slice(int(parent_sets.offsets[child]), int(parent_sets.offsets[child + 1]))
    return own, np.asarray((parent_sets.parents[:, own] == parent).any(axis=0))


def kept_sets(parent_sets: ParentSets, known: Enforced) -> ParentSets:
    """Return the sets that agree with the arcs, tiers and limits of the knowledge."""
    if not known.knowledge.statements:
        return parent_sets
    rules = Constraints.make(parent_sets.names, **known.arcs._asdict())
    sets = known.limited(parent_sets)
    keep = np.ones(len(sets), dtype=bool)
    # Sets that only this knowledge needs may not have been kept when they were scored.
    complete = not known.relations.needing
    for v, parents in rules.required.items():
        for p in parents:
            own, has = with_parent(sets, v, p)
            keep[own] &= has
            complete &= bool((has | ~np.isfinite(sets.scores[own])).all())
    if rules.allowed is not None:
        for v, p in np.argwhere(~rules.allowed).tolist():
            own, has = with_parent(sets, v, p)
            keep[own] &= ~has
    left = allowed_sets(sets, keep)
    if left is None:
        raise ForebearError(
            "no network of these parent sets has the required arcs: score them with the same ",
            Parameter("knowledge"),
        )
    made = {**parent_sets.provenance, "constrained": True, "complete_for_paths": complete}
    return replace(left, provenance=made)
