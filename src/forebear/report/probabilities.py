"""The arc probabilities that the report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class ArcProbabilities(NamedTuple):
    """Arcs with their probabilities, and how far to trust them.

    ``arcs`` holds (parent, child, probability, probability in either direction), with the
    probabilities in thousandths; ``digits`` of them are shown. ``verdict`` says in a sentence
    whether the chains agree, and ``rank_plots`` are pictures of it: a title and an SVG each.
    """

    lead: str
    verdict: str
    digits: int
    arcs: Sequence[tuple[int, int, int, int]]
    rank_plots: Sequence[tuple[str, str]]
