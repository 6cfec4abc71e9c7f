"""Relations between variables, and in which share of the draws they hold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from forebear.network.graphs import reachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.network.graphs import Arc
    from forebear.posterior.posterior import Families, Posterior


def related_shares(
    posterior: Posterior, relations: Callable[[Families], set[Arc]]
) -> dict[Arc, float]:
    """Return the share of the draws in which a pair is related; every network is looked at once."""
    rows = posterior.draws.reshape(-1, len(posterior.names)).tolist()
    counts: Counter[Arc] = Counter()
    for row, times in Counter(map(tuple, rows)).items():
        parents = tuple(own[place] for own, place in zip(posterior.families, row, strict=True))
        for pair in relations(parents):
            counts[pair] += times
    return {pair: times / len(rows) for pair, times in counts.items()}


def ancestral_pairs(parents: Families) -> set[Arc]:
    """Return all pairs of an ancestor and a descendant."""
    return {(a, v) for v in range(len(parents)) for a in reachable(parents[v], parents)}
