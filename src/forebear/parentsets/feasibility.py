"""feasible_order(): an order in which every variable has an allowed parent set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError
from forebear._util.memory_maps import release_pages
from forebear._util.text import listing
from forebear.parentsets.collection import ParentSets


def needs_parents(parent_sets: ParentSets) -> NDArray[np.bool_]:
    """Return for each variable whether its empty set is not allowed."""
    with release_pages(parent_sets.parents):
        return ~np.isfinite(parent_sets.scores[parent_sets.is_empty])


def feasible_order(parent_sets: ParentSets) -> NDArray[np.int32]:
    """Return an order in which every variable has an allowed set of variables before it.

    A variable is placed as soon as all members of one of its allowed sets are placed. If there is a
    network, all variables are placed in the end, whatever the order of the steps. A set waits for
    one of its members at a time, so it is visited at most once per member.

    Raises
    ------
    ForebearError
        If there is no network of these sets. The message names variables that cannot be placed.
    """
    needs = needs_parents(parent_sets)
    builder = _OrderBuilder(parent_sets, needs)
    for v in np.flatnonzero(needs).tolist():
        builder.visit(np.arange(parent_sets.offsets[v], parent_sets.offsets[v + 1]))
    for u in builder.order:  # grows during the loop
        for columns in builder.waiting.pop(u, ()):
            builder.visit(columns)
    if len(builder.order) < parent_sets.n_variables:
        raise _no_network(parent_sets, np.flatnonzero(~builder.placed).tolist())
    return np.array(builder.order, dtype=np.int32)


class _OrderBuilder:
    """The variables placed so far, and for each other variable, sets to visit once it is placed."""

    def __init__(self, parent_sets: ParentSets, needs: NDArray[np.bool_]) -> None:
        self._parent_sets = parent_sets
        self.placed = np.append(~needs, True)  # the last entry is for unused slots
        self.order: list[int] = np.flatnonzero(~needs).tolist()
        self.waiting: dict[int, list[NDArray[np.int64]]] = {}

    def visit(self, columns: NDArray[np.int64]) -> None:
        """Place the variables of sets whose members are all placed; defer the other sets."""
        sets = self._parent_sets
        child = np.searchsorted(sets.offsets, columns, side="right") - 1
        useful = ~self.placed[child] & np.isfinite(sets.scores[columns])
        child, columns = child[useful], columns[useful]
        members = np.minimum(sets.parents[:, columns], sets.n_variables)
        missing = ~self.placed[members]
        blocked = missing.any(axis=0)
        new = np.unique(child[~blocked])
        self.placed[new] = True
        self.order += new.tolist()
        first = np.where(missing, members, sets.n_variables).min(axis=0, initial=sets.n_variables)
        order = np.argsort(first[blocked], kind="stable")
        which, starts = np.unique(first[blocked][order], return_index=True)
        groups = np.split(columns[blocked][order], starts)[1:]
        for u, group in zip(which.tolist(), groups, strict=True):
            self.waiting.setdefault(u, []).append(group)


def _no_network(parent_sets: ParentSets, stuck: list[int]) -> ForebearError:
    names = [parent_sets.names[v] for v in stuck]
    for v in stuck:
        if not np.isfinite(parent_sets.scores[parent_sets.offsets[v]]):
            reason = f"{parent_sets.names[v]} has no allowed parent set"
            break
    else:
        reason = f"each allowed parent set of {listing(names)} contains one of these variables"
    return ForebearError(
        f"there is no network of these parent sets: {reason}; require fewer arcs, or add sets"
    )
