"""Parents that a variable cannot do without, and orders that let it have them.

Where a variable's empty set is not allowed, a random order of many variables
hardly ever gives all of them an allowed set, and a climb gets there one
variable at a time. So orders are mended before they are climbed.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets


def required_parents(
    parent_sets: ParentSets, counts: NDArray[np.int32]
) -> dict[int, NDArray[np.int64]]:
    """Find the members common to all allowed sets, of variables that may not have the empty one."""
    empty = parent_sets.offsets[:-1] + counts - 1
    required = {}
    for v in np.flatnonzero(np.isneginf(parent_sets.scores[empty])).tolist():
        columns = slice(int(parent_sets.offsets[v]), int(empty[v]))
        allowed = parent_sets.parents[:, columns][:, np.isfinite(parent_sets.scores[columns])]
        members, times = np.unique(allowed, return_counts=True)
        common = members[(times == allowed.shape[1]) & (members != parent_sets.none)]
        if len(common):
            required[v] = common.astype(np.int64)
    return required


def mended(order: NDArray[Any], required: dict[int, NDArray[np.int64]]) -> NDArray[np.int32]:
    """Let required parents precede, the order otherwise as it was; those of a cycle come last."""
    place = np.argsort(order)
    missing = np.zeros(len(order), dtype=np.int64)
    children: dict[int, list[int]] = {}
    for child, parents in required.items():
        missing[child] = len(parents)
        for parent in parents.tolist():
            children.setdefault(parent, []).append(child)
    ready = place[missing == 0].tolist()
    heapq.heapify(ready)
    result: list[int] = []
    while ready:
        variable = int(order[heapq.heappop(ready)])
        result.append(variable)
        for child in children.get(variable, ()):
            missing[child] -= 1
            if missing[child] == 0:
                heapq.heappush(ready, int(place[child]))
    result += [v for v in order.tolist() if missing[v] > 0]
    return np.array(result, dtype=np.int32)
