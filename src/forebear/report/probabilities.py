"""The arc probabilities that the report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebear.uncertainty.averaging import arc_probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.result import Result

LEAST = 0.01
"""Arcs with a smaller probability are left out, unless they are in the network."""


class AveragedArcs(NamedTuple):
    """Arcs with their probabilities, averaged over several networks.

    ``arcs`` holds (parent, child, probability, probability in either direction), with the
    probabilities in thousandths. ``networks`` is the number of networks, and ``effective`` how
    many of equal weight they correspond to.
    """

    networks: int
    effective: float
    arcs: Sequence[tuple[int, int, int, int]]


def averaged_arcs(result: Result) -> AveragedArcs | None:
    """Average the alternatives of a result; return None if there is only one network."""
    if len(result.alternatives) < 2:
        return None
    averages = arc_probabilities(result)
    own = set(result.network.arcs)
    rows = [
        (p, v, round(1000 * share), round(1000 * averages.edge(p, v)))
        for (p, v), share in averages.ranked_arcs()
        if share >= LEAST or (p, v) in own
    ]
    return AveragedArcs(averages.n_networks, averages.effective, rows)
