"""The data that the scripts of the page work with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from forebear._util.text import printable
from forebear.report.counts import degree_bars, rank_bars

if TYPE_CHECKING:
    from forebear.report.pictures import Pictures
    from forebear.report.probabilities import ArcProbabilities
    from forebear.report.questions import Questions
    from forebear.result import Result

_SCORE_DIGITS = 3


def page_data(
    result: Result,
    questions: Questions,
    pictures: Pictures,
    probabilities: ArcProbabilities | None,
) -> dict[str, Any]:
    """Return what the scripts read, for JSON."""
    network = result.network
    strengths = questions.strengths
    return {
        "names": [printable(name) for name in network.names],
        "parents": network.parents,
        "choices": [
            [choice.rank, choice.sets, _finite(round(choice.score, _SCORE_DIGITS))]
            for choice in result.choices
        ],
        "compelled": [arc in network.compelled for arc in network.arcs],
        # In thousandths of a bit.
        "strengths": strengths and [round(1000 * strengths[arc]) for arc in network.arcs],
        "probabilities": questions.embedded,
        "tree": questions.tree,
        "groups": [
            {"title": printable(group.title), "variables": group.variables}
            for group in pictures.groups
        ],
        "links": pictures.links,
        "trace": [
            [step.chain, round(step.seconds, 6), step.score]
            for step in result.trace
            if math.isfinite(step.score)
        ],
        # The times of the trace count from the start of the search.
        "seconds": result.phases.get("search", result.seconds),
        "winner": result.winner,
        "bound": None if result.bound is None else _finite(result.bound),
        "ranks": rank_bars(result),
        "parentCounts": degree_bars(network.parents),
        "childCounts": degree_bars(network.children),
        "arcShares": None if probabilities is None else probabilities.arcs,
        "digits": 3 if probabilities is None else probabilities.digits,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
