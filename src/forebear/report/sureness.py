"""How sure the arcs of a result are, as the page shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebear.uncertainty.averaging import arc_probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.result import Result

LEAST = 0.01
"""Arcs below this probability are left out, but for those of the network."""


class Sureness(NamedTuple):
    """What was averaged, and (parent, child, probability, either way) in thousandths."""

    networks: int
    effective: float
    arcs: Sequence[tuple[int, int, int, int]]


def sureness(result: Result) -> Sureness | None:
    """Average the alternatives of a result; nothing where there is only one network."""
    if len(result.alternatives) < 2:
        return None
    averages = arc_probabilities(result)
    own = set(result.network.arcs)
    rows = [
        (p, v, round(1000 * share), round(1000 * averages.edge(p, v)))
        for (p, v), share in averages.ranked_arcs()
        if share >= LEAST or (p, v) in own
    ]
    return Sureness(averages.n_networks, averages.effective, rows)
