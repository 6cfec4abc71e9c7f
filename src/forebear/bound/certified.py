"""The certificate of a bound: clusters and their multipliers; tables of what was solved."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.bound.ascent import NOT_ALLOWED, costs_of
from forebear.bound.tables import LARGEST_TABLE, solution_tables
from forebear.certificate import cluster_cut, local_cut, node, write_certificate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear.bound.ascent import Ascent, Multiplier
    from forebear.bound.contraction import Contraction
    from forebear.bound.tables import Table
    from forebear.parentsets.collection import ParentSets

__all__ = ["LARGEST_TABLE", "write_bound"]


def write_bound(path: Path | str, parent_sets: ParentSets, ascent: Ascent, threads: int) -> None:
    """Write what an ascent has proven: first the multipliers that dropped sets."""
    costs = costs_of(parent_sets, ascent.ticks)
    parts = None
    if ascent.contraction is not None:
        costs = ascent.contraction.least_costs(costs)
        parts = ascent.contraction.parts
    kept = costs < NOT_ALLOWED
    starts = ascent.problem.offsets[:-1]
    known = _known_cost(parent_sets, ascent)
    proven = 0
    cuts: list[dict[str, Any]] = []
    steps = []
    for number, multipliers in enumerate(ascent.proofs):
        numbers = list(range(len(cuts), len(cuts) + len(multipliers)))
        cuts += [_as_cut(one, parts) for one in multipliers]
        steps.append((numbers, [one.ticks for one in multipliers]))
        priced = ascent.price(number, costs, kept, threads)
        proven = max(proven, priced.cost)
        # Networks with other sets cost as much as the incumbent.
        kept &= priced.cost + priced.extra < known
        if not np.logical_or.reduceat(kept, starts).all():
            proven = known
            break
    if ascent.solved and proven < known:
        least = 0 if ascent.score is None else known
        tables = list(solution_tables(ascent.problem, costs, kept, least))
        steps.append((list(range(len(cuts), len(cuts) + len(tables))), [1] * len(tables)))
        cuts += [
            local_cut(_representatives(one.group, parts), one.values, one.limit) for one in tables
        ]
        proven = max(proven, _least_cost(ascent.problem, costs, kept, tables))
    write_certificate(
        path,
        parent_sets,
        ticks=ascent.ticks,
        cost=min(proven, known),
        network=None,
        cuts=cuts,
        nodes=[node(steps)],
        contracted=[list(part) for part in parts or () if len(part) > 1],
    )


_Parts = tuple[tuple[int, ...], ...]


def _as_cut(one: Multiplier, parts: _Parts | None) -> dict[str, Any]:
    members = _representatives(one.members, parts)
    if one.level:
        return cluster_cut(members, one.level)
    return local_cut(members, one.values, one.limit)


def _representatives(members: Sequence[int], parts: _Parts | None) -> Sequence[int]:
    """Return the first variable of each part; without a contraction, these are the members."""
    return members if parts is None else [parts[number][0] for number in members]


def _least_cost(
    parent_sets: ParentSets | Contraction,
    costs: NDArray[np.int64],
    kept: NDArray[np.bool_],
    tables: Sequence[Table],
) -> int:
    """Return the cost of the cheapest network: of each group, and of all other variables."""
    least = np.minimum.reduceat(np.where(kept, costs, NOT_ALLOWED), parent_sets.offsets[:-1])
    for table in tables:
        least[list(table.group)] += table.values[:, -1]
    return int(least.sum()) - sum(table.limit for table in tables)


def _known_cost(parent_sets: ParentSets, ascent: Ascent) -> int:
    """Return the cost of the incumbent, rounded down; without one, more than any cost."""
    if ascent.score is None:
        return 2**60
    best = np.ceil(parent_sets.scores[parent_sets.offsets[:-1]] * ascent.ticks)
    total = sum(int(score) for score in best.tolist())
    return math.floor(total - Fraction(ascent.score) * Fraction(ascent.ticks))
