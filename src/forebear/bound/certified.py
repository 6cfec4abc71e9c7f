"""The certificate of a bound: clusters and their multipliers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError
from forebear.bound.ascent import NOT_ALLOWED, costs_of
from forebear.certificate import cluster_cut, node, write_certificate

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.bound.ascent import Ascent
    from forebear.parentsets.collection import ParentSets


def write_bound(path: Path | str, parent_sets: ParentSets, ascent: Ascent, threads: int) -> None:
    """Write what the multipliers of an ascent prove: first those that dropped sets."""
    costs = costs_of(parent_sets, ascent.ticks)
    kept = costs < NOT_ALLOWED
    starts = parent_sets.offsets[:-1]
    if not kept[starts].all():
        raise ForebearError("there is no network of these parent sets, and so no certificate")
    known = _known_cost(parent_sets, ascent)
    proven = 0
    cuts: list[dict[str, Any]] = []
    steps = []
    for number, multipliers in enumerate(ascent.proofs):
        numbers = list(range(len(cuts), len(cuts) + len(multipliers)))
        cuts += [cluster_cut(one.members, one.level) for one in multipliers]
        steps.append((numbers, [one.ticks for one in multipliers]))
        priced = ascent.price(number, costs, kept, threads)
        proven = max(proven, priced.cost)
        # Networks with other sets cost as much as the incumbent.
        kept &= priced.cost + priced.extra < known
        if not np.logical_or.reduceat(kept, starts).all():
            proven = known
            break
    write_certificate(
        path,
        parent_sets,
        ticks=ascent.ticks,
        cost=min(proven, known),
        network=None,
        cuts=cuts,
        nodes=[node(steps)],
    )


def _known_cost(parent_sets: ParentSets, ascent: Ascent) -> int:
    """Return the cost of the incumbent, rounded down; without one, more than any cost."""
    if ascent.score is None:
        return 2**60
    best = np.ceil(parent_sets.scores[parent_sets.offsets[:-1]] * ascent.ticks)
    total = sum(int(score) for score in best.tolist())
    return math.floor(total - Fraction(ascent.score) * Fraction(ascent.ticks))
