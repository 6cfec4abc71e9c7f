"""The arc probabilities that the report shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from forebear._util.errors import ForebearError
from forebear._util.text import counted
from forebear.network.averages import Averages, Probabilities
from forebear.network.network import Network

Row = tuple[int, int, int, int]


class ArcProbabilities(NamedTuple):
    """Arcs with their probabilities, and how far to trust them.

    ``arcs`` holds (parent, child, probability, probability in either direction), with probabilities
    in thousandths, of which ``digits`` digits are shown. ``verdict`` is a sentence on whether the
    chains agree, and ``rank_plots`` holds pairs of a title and an SVG.
    """

    lead: str
    verdict: str
    digits: int
    arcs: Sequence[tuple[int, int, int, int]]
    rank_plots: Sequence[tuple[str, str]]


def arc_rows(averages: Probabilities, network: Network) -> list[Row]:
    """Return the arcs with their probabilities in thousandths, the most probable first.

    Arcs with a probability below 0.01 are left out, unless they are in the network.
    """
    own = set(network.arcs)
    return [
        (p, v, round(1000 * share), round(1000 * averages.edge(p, v)))
        for (p, v), share in averages.ranked_arcs()
        if share >= 0.01 or (p, v) in own
    ]


def bootstrap_probabilities(averages: Averages, network: Network) -> ArcProbabilities:
    """Return what the report shows about bootstrap samples."""
    if averages.names != network.names:
        raise ForebearError(
            "the averages and the result have different variables: compute both from the same table"
        )
    return ArcProbabilities(
        "The share of networks with each arc, among networks learned from bootstrap samples.",
        f"{counted(averages.n_networks, 'bootstrap sample')} of the rows were drawn. A share "
        "measures how stable an arc is when the rows change; it is not a posterior probability.",
        2,  # with 100 samples, a share has two digits
        arc_rows(averages, network),
        (),
    )
