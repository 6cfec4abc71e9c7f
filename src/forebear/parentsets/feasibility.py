"""feasible_order(): an order in which every variable has an allowed set, if networks exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import ForebearError
from forebear._util.mapped import sparing
from forebear._util.text import listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets


def needs_parents(parent_sets: ParentSets) -> NDArray[np.bool_]:
    """Return for each variable whether its empty set is not allowed."""
    with sparing(parent_sets.parents):
        return ~np.isfinite(parent_sets.scores[parent_sets.is_empty])


def feasible_order(parent_sets: ParentSets) -> NDArray[np.int32]:
    """Return an order in which every variable has an allowed set among those before it.

    Variables are placed one by one, as soon as one of their sets is. Whatever the order in which
    this happens, all variables are placed if there is a network.

    Raises
    ------
    ForebearError
        If there is no network of these sets; it names variables that cannot be placed.
    """
    needy = needs_parents(parent_sets)
    order = np.flatnonzero(~needy).tolist()
    waiting = np.flatnonzero(needy).tolist()
    usable = np.append(~needy, True)
    while waiting:
        stuck = []
        # Back and forth, as those that wait for each other are often listed one after the other.
        for v in reversed(waiting):
            if np.isfinite(parent_sets.best_among(v, usable).score):
                order.append(v)
                usable[v] = True
            else:
                stuck.append(v)
        if len(stuck) == len(waiting):
            raise _no_network(parent_sets, sorted(stuck))
        waiting = stuck
    return np.array(order, dtype=np.int32)


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
