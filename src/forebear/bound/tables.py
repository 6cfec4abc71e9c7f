"""Tables that prove what dynamic programming solved: one local cut per group of variables."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear import _core
from forebear.bound.ascent import NOT_ALLOWED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from forebear.bound.contraction import Contraction
    from forebear.parentsets.collection import ParentSets

LARGEST_TABLE = 16
"""Variables of a group: a check takes 2^16 steps then."""


class Table(NamedTuple):
    """How much cheaper a variable is if it may choose its parents within a subset of the group.

    ``values`` has a row per variable and a column per subset, a bit mask. In every network, the
    values of what comes before each variable add up to at most ``limit``. A set within a smaller
    subset has a smaller value by as much as it costs more at least, or by less. So no set with its
    value is cheaper than the cheapest set with the last value, and these sums less the limit are
    the cost of the cheapest network.
    """

    group: tuple[int, ...]
    values: NDArray[np.int64]
    limit: int


def solution_tables(
    parent_sets: ParentSets | Contraction,
    costs: NDArray[np.int64],
    kept: NDArray[np.bool_],
    known: int,
) -> Iterator[Table]:
    """Yield the table of every group of variables that may be on cycles together.

    Networks with sets that are not kept cost as much as is ``known``, or more.
    """
    sets = [np.flatnonzero(kept[begin:end]) + begin for begin, end in pairwise(parent_sets.offsets)]
    none = parent_sets.none
    parents = [np.setdiff1d(parent_sets.parents[:, own], [none]).tolist() for own in sets]
    # More than any network costs: what a variable is short of if it has no set within a subset.
    # If the sets kept have no network, what is known is what there is to prove. It may be more than
    # any network of all sets costs, and is a large number then.
    dearest = max(known, sum(int(costs[own].max()) for own in sets) + 1)
    possible = np.where(costs < NOT_ALLOWED, costs, 0)
    dearest = min(dearest, int(np.maximum.reduceat(possible, parent_sets.offsets[:-1]).sum()) + 1)
    for found in _core.strong_components(parents):
        if len(found) > 1:
            group = tuple(sorted(found))
            rows = [_values(parent_sets, costs, sets[v], group, dearest) for v in group]
            values = np.array(rows)
            yield Table(group, values, _most_of_any_order(values))


def _values(
    parent_sets: ParentSets | Contraction,
    costs: NDArray[np.int64],
    own: NDArray[np.int64],
    group: Sequence[int],
    dearest: int,
) -> NDArray[np.int64]:
    """Return how far the cheapest set within each subset is below the one without parents."""
    bits = np.zeros(parent_sets.none + 1, dtype=np.int64)
    bits[list(group)] = 1 << np.arange(len(group))
    cheapest = np.full(1 << len(group), NOT_ALLOWED)
    np.minimum.at(cheapest, bits[parent_sets.parents[:, own]].sum(axis=0), costs[own])
    for bit in range(len(group)):
        halves = cheapest.reshape(-1, 2, 1 << bit)
        np.minimum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return np.asarray(np.maximum(min(int(cheapest[0]), dearest) - cheapest, 0))


def _most_of_any_order(values: NDArray[np.int64]) -> int:
    """Return the largest sum of values over all orders, by dynamic programming over subsets."""
    size = len(values)
    subsets = np.arange(1 << size)
    members = np.array([subset.bit_count() for subset in subsets.tolist()])
    best = np.zeros(1 << size, dtype=np.int64)
    for count in range(1, size + 1):
        now = subsets[members == count]
        for v in range(size):
            having = now[now >> v & 1 == 1]
            before = having ^ 1 << v
            best[having] = np.maximum(best[having], best[before] + values[v, before])
    return int(best[-1])
