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

from forebear.proof.dual_ascent import costs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

_ALIKE, _ALIKE_NATS = 0.02, 4.0
"""Two variables are alike if each, with the other as its only parent, costs less than this share of
its range and less than this many nats. Equal columns of pumsb-star-test cost up to 0.003 of it and
2.6 nats; the next pair costs 0.01 of it and 17 nats."""
_OF_LOSS = 0.01
"""A contraction is exhausted when further rounds gain less than this share of what it may lose."""


@dataclass(frozen=True, eq=False)
class Contraction:
    """Parts of the variables, and the sets of the parts.

    ``parts`` lists the variables of each part; the parts are ordered by their first variables. The
    sets of part ``k`` are at ``offsets[k]:offsets[k + 1]``, cheapest first; ``costs`` are in ticks,
    and their ``parents`` are parts. ``image`` has the place of the set of parts for each set of a
    variable, or -1 for those with a parent in their own part. ``loss`` is what may be lost in all,
    in ticks.
    """

    parts: tuple[tuple[int, ...], ...]
    offsets: NDArray[np.int64]
    costs: NDArray[np.int64]
    parents: NDArray[np.uint16]
    image: NDArray[np.int32]
    loss: float

    none = np.iinfo(np.uint16).max  # in unused places of the parents

    @property
    def little(self) -> float:
        """A gain, in ticks, after which it is better to continue without the contraction."""
        return _OF_LOSS * self.loss

    @property
    def larger_parts(self) -> list[list[int]]:
        """The parts of more than one variable."""
        return [list(part) for part in self.parts if len(part) > 1]

    def survivors(
        self, parent_sets: ParentSets, kept: NDArray[np.bool_], gap: int, ticks: float
    ) -> NDArray[np.bool_]:
        """Return which sets of the variables survive if these sets of parts do.

        The first variable of a part has a set whose image is kept. The set of any other adds what
        it costs to the bound: it survives if that is no more than the gap.
        """
        alive = np.append(kept, False)[self.image]  # the last one is for no image
        return alive | (costs_of(parent_sets, ticks) <= gap)


def contract(parent_sets: ParentSets, costs: NDArray[np.int64], ticks: float) -> Contraction | None:
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
    return contract_parts(parent_sets, costs, parts, loss * ticks)


def contract_parts(
    parent_sets: ParentSets,
    costs: NDArray[np.int64],
    parts: tuple[tuple[int, ...], ...],
    loss: float = 0.0,
) -> Contraction:
    """Find the sets of some parts, which together have every variable once."""
    home = np.zeros(parent_sets.none + 1, dtype=np.uint16)
    for number, part in enumerate(parts):
        home[list(part)] = number
    home[parent_sets.none] = parent_sets.none
    own_costs, rows = [], []
    image = np.full(len(parent_sets), -1, dtype=np.int32)
    total = 0
    for number, part in enumerate(parts):
        cost, parents, origin, group = _sets_of_part(parent_sets, costs, part, number, home)
        image[origin] = total + group
        own_costs.append(cost)
        rows.append(parents)
        total += len(cost)
    return Contraction(
        parts=parts,
        offsets=np.cumsum([0, *map(len, own_costs)], dtype=np.int64),
        costs=np.concatenate(own_costs),
        parents=np.ascontiguousarray(np.concatenate(rows, axis=1)),
        image=image,
        loss=loss,
    )


def _alike(parent_sets: ParentSets) -> dict[tuple[int, int], float]:
    """Return the pairs of variables that are alike, both ways, and what the first costs then."""
    close: dict[tuple[int, int], float] = {}
    for v, (begin, end) in enumerate(pairwise(parent_sets.offsets.tolist())):
        parents, scores = parent_sets.parents[:, begin:end], parent_sets.scores[begin:end]
        count = (parents != parent_sets.none).sum(axis=0)
        if not np.isfinite(scores[-1]):  # it must have parents
            return {}
        single = np.flatnonzero(count == 1)
        spread = float(scores[0] - scores[count == 0][0])
        most = min(_ALIKE * spread, _ALIKE_NATS)
        single = single[scores[0] - scores[single] < most]
        cost = (scores[0] - scores[single]).tolist()
        others = parents[:, single].min(axis=0).tolist() if len(single) else []
        close.update({(v, u): nats for u, nats in zip(others, cost, strict=True)})
    return {pair: nats for pair, nats in close.items() if pair[::-1] in close}


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
    parent_sets: ParentSets,
    costs: NDArray[np.int64],
    part: Sequence[int],
    number: int,
    home: NDArray[np.uint16],
) -> tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[np.int64], NDArray[np.int64]]:
    """Return costs and parents of a part's sets; the sets they come from, and which is of which."""
    none = parent_sets.none
    starts = parent_sets.offsets
    origin = np.concatenate([np.arange(starts[v], starts[v + 1]) for v in part])
    parents = home[parent_sets.parents[:, origin]]
    outside = ~(parents == number).any(axis=0)
    origin, parents = origin[outside], parents[:, outside]
    cost = costs[origin]
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
