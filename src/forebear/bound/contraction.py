"""Contraction: variables that say the same, such as equal columns, become one part.

Take any partition of the variables into parts. In a network, the first variable of a part in a
topological order has no parent in its part. Keep these sets alone, and replace every parent by its
part: the result has no cycles, because a part stands where its first variable is. So a part costs
at least as much as the cheapest such set of any of its variables, and the others cost nothing at
least. The cheapest network of parts costs no more than the cheapest network.

If the variables of a part are nearly equal, little is lost: each but the first costs next to
nothing with another one as its parent. And much is gained: without it, a set with three parents in
parts of three variables has 27 equal forms, all of which clusters must hit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from forebear.bound.ascent import NOT_ALLOWED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

_ALIKE, _ALIKE_NATS = 0.02, 4.0
"""Two variables are alike if each, with the other as its only parent, costs less than this share of
its range and less than this many nats. Equal columns of pumsb-star-test cost up to 0.003 of it and
2.6 nats; the next pair costs 0.01 of it and 17 nats."""
_MOST_SCORE = 128.0
"""The scores may be this many times their range in all, so that ticks which fit the range also fit
the scores."""


@dataclass(frozen=True, eq=False)
class Contraction:
    """Parts of the variables, and the sets of the parts.

    ``parts`` lists the variables of each part; the parts are ordered by their first variables. The
    sets of part ``k`` are at ``offsets[k]:offsets[k + 1]``, cheapest first; their ``scores`` are
    what they cost, negated, and their ``parents`` are parts. ``image`` has the place of the set of
    parts for each set of a variable, or -1 for those with a parent in their own part. ``loss``
    says, in nats, how much may be lost in all.
    """

    parts: tuple[tuple[int, ...], ...]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[np.uint16]
    image: NDArray[np.int32]
    loss: float

    none = np.iinfo(np.uint16).max  # in unused places of the parents

    def least_costs(self, costs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cost of each set of parts: that of the cheapest set with this image."""
        least = np.full(len(self.scores), NOT_ALLOWED)
        inside = self.image >= 0
        np.minimum.at(least, self.image[inside], costs[inside])
        return least

    def survivors(
        self, parent_sets: ParentSets, left: Sequence[NDArray[np.int32]], gap: float
    ) -> list[NDArray[np.int32]]:
        """Return the ranks of each variable's surviving sets, and of the empty set.

        The first variable of a part has a set whose image is left. The set of any other adds what
        it costs to the bound: it is left if that is no more than the gap.
        """
        alive = np.zeros(len(self.scores) + 1, dtype=bool)  # the last one is for no image
        for start, own in zip(self.offsets, left, strict=False):
            alive[start + own] = True
        ranks = []
        for begin, end in pairwise(parent_sets.offsets.tolist()):
            image = self.image[begin:end]
            scores = parent_sets.scores[begin:end]
            keep = alive[image] | (scores[0] - scores <= gap)
            keep |= (parent_sets.parents[:, begin:end] == parent_sets.none).all(axis=0)
            ranks.append(np.flatnonzero(keep).astype(np.int32))
        return ranks


def contract(parent_sets: ParentSets) -> Contraction | None:
    """Make one part of all variables that are alike; None if there are none."""
    alike = _alike(parent_sets)
    if not alike:
        return None
    parts = _parts(parent_sets.n_variables, alike)
    loss = sum(
        max(nats for pair, nats in alike.items() if pair[0] in part) * (len(part) - 1)
        for part in parts
        if len(part) > 1
    )
    return contract_parts(parent_sets, parts, loss)


def contract_parts(
    parent_sets: ParentSets, parts: tuple[tuple[int, ...], ...], loss: float
) -> Contraction:
    """Find the sets of some parts, which together have every variable once."""
    home = np.zeros(parent_sets.none + 1, dtype=np.uint16)
    for number, part in enumerate(parts):
        home[list(part)] = number
    home[parent_sets.none] = parent_sets.none
    costs, rows = [], []
    image = np.full(len(parent_sets), -1, dtype=np.int32)
    total = 0
    for number, part in enumerate(parts):
        cost, parents, origin, group = _sets_of_part(parent_sets, part, number, home)
        image[origin] = total + group
        costs.append(cost)
        rows.append(parents)
        total += len(cost)
    return Contraction(
        parts=parts,
        offsets=np.cumsum([0, *map(len, costs)], dtype=np.int64),
        scores=-np.concatenate(costs),
        parents=np.ascontiguousarray(np.concatenate(rows, axis=1)),
        image=image,
        loss=loss,
    )


def _alike(parent_sets: ParentSets) -> dict[tuple[int, int], float]:
    """Return the pairs of variables that are alike, both ways, and what the first costs then."""
    close: dict[tuple[int, int], float] = {}
    ranges = size = 0.0
    for v, own in _spans(parent_sets):
        parents, scores = parent_sets.parents[:, own], parent_sets.scores[own]
        count = (parents != parent_sets.none).sum(axis=0)
        if not np.isfinite(scores[-1]):  # it must have parents
            return {}
        spread = float(scores[0] - scores[count == 0][0])
        ranges += spread
        size += abs(float(scores[0])) + spread
        single = np.flatnonzero(count == 1)
        most = min(_ALIKE * spread, _ALIKE_NATS)
        single = single[scores[0] - scores[single] < most]
        cost = (scores[0] - scores[single]).tolist()
        others = parents[:, single].min(axis=0).tolist() if len(single) else []
        close.update({(v, u): nats for u, nats in zip(others, cost, strict=True)})
    if size > _MOST_SCORE * ranges:
        return {}
    return {pair: nats for pair, nats in close.items() if pair[::-1] in close}


def _spans(parent_sets: ParentSets) -> Iterator[tuple[int, slice]]:
    for v, (begin, end) in enumerate(pairwise(parent_sets.offsets.tolist())):
        yield v, slice(begin, end)


def _parts(n: int, alike: dict[tuple[int, int], float]) -> tuple[tuple[int, ...], ...]:
    first = list(range(n))  # of v: the first variable of its part
    for a, b in alike:
        low, high = sorted((first[a], first[b]))
        first = [low if one == high else one for one in first] if low != high else first
    members: dict[int, list[int]] = {}
    for v, one in enumerate(first):
        members.setdefault(one, []).append(v)
    return tuple(tuple(members[one]) for one in sorted(members))


def _sets_of_part(
    parent_sets: ParentSets, part: Sequence[int], number: int, home: NDArray[np.uint16]
) -> tuple[NDArray[np.float64], NDArray[np.uint16], NDArray[np.int64], NDArray[np.int64]]:
    """Return costs and parents of a part's sets; the sets they come from, and which is of which."""
    none = parent_sets.none
    starts = parent_sets.offsets
    origin = np.concatenate([np.arange(starts[v], starts[v + 1]) for v in part])
    best = np.concatenate(
        [np.full(int(parent_sets.counts[v]), parent_sets.scores[starts[v]]) for v in part]
    )
    parents = home[parent_sets.parents[:, origin]]
    outside = ~(parents == number).any(axis=0)
    origin, parents = origin[outside], parents[:, outside]
    cost = best[outside] - parent_sets.scores[origin]
    parents.sort(axis=0)
    parents[1:][parents[1:] == parents[:-1]] = none
    parents.sort(axis=0)
    order = np.lexsort((cost, *parents[::-1]))
    parents, cost, origin = parents[:, order], cost[order], origin[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (parents[:, 1:] != parents[:, :-1]).any(axis=0)
    group = np.cumsum(new) - 1
    # The cheapest of each group stays; these are sorted by cost.
    cheapest = np.flatnonzero(new)
    cheapest = cheapest[np.argsort(cost[cheapest], kind="stable")]
    place = np.empty(len(cheapest), dtype=np.int64)
    place[group[cheapest]] = np.arange(len(cheapest))
    return cost[cheapest], parents[:, cheapest], origin, place[group]
