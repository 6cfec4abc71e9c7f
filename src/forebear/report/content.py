"""The values that the templates of the page show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from forebear._util.text import counted, printable, show_seconds
from forebear.drawing.svg import compelled_classes
from forebear.report import wording
from forebear.report.counts import degree_bars, rank_bars
from forebear.report.findings import findings, hubs_of
from forebear.report.heldout import figure, held_out

if TYPE_CHECKING:
    from forebear.report.probabilities import ArcProbabilities
    from forebear.report.questions import Questions
    from forebear.result import Result

_HUBS_LISTED = 8

LEAST_RANGE = 0.01
"""Scores that differ by less, in nats, are not drawn: the axis would show rounding."""


def template_values(
    result: Result, questions: Questions, probabilities: ArcProbabilities | None
) -> dict[str, Any]:
    """Return what the templates show, by name."""
    network = result.network
    steps = wording.time_facts(result)
    classes = compelled_classes(network)
    return {
        "title": f"Bayesian network with {counted(network.n_variables, 'variable')}",
        "origin": wording.origin(result),
        "findings": findings(result, questions, probabilities),
        "no_probabilities": questions.why_not,
        "method": questions.method,
        "cards": _cards(result),
        "hubs": hubs_of(network, _HUBS_LISTED),
        "arc_probabilities": probabilities,
        "held_out": held_out(result),
        "found_in": f"Found in {show_seconds(result.seconds)}: {wording.stopped(result)}.",
        "score_chart": _worth_drawing(result),
        "no_score_chart": _instead_of_chart(result),
        "search_facts": list(wording.search_facts(result)),
        "score_facts": list(wording.score_facts(result)),
        "steps": [
            (name, written, 100 * seconds / max(result.seconds, seconds) if seconds else 0.0)
            for name, seconds, written in steps
        ],
        "reversible": sum(name == "reversible" for name in classes.values()),
        "compelled": sum(name == "compelled" for name in classes.values()),
        "chains": len(result.generations),
        "improvements": len(result.trace),
        "ranks": rank_bars(result),
        "parent_counts": degree_bars(network.parents),
        "child_counts": degree_bars(network.children),
        "rows": _rows(result),
    }


def _cards(result: Result) -> list[tuple[str, str, str]]:
    """Return the main figures: name, value and remark of each."""
    network = result.network
    nats = result.gap_nats
    cards = [
        ("Score", wording.number(result.score, 3), "natural logarithm; higher is better"),
        (
            "Gap",
            wording.gap(result) or "unknown",
            "no bound was computed"
            if nats is None
            else f"at most {wording.number(nats, 2)} nats below the optimum",
        ),
        ("Variables", wording.number(network.n_variables), _rows_remark(result)),
        (
            "Arcs",
            wording.number(len(network.arcs)),
            f"at most {counted(wording.most_parents(network), 'parent')} per variable",
        ),
        ("Time", show_seconds(result.seconds), wording.stopped(result)),
    ]
    if result.held_out is not None and result.held_out_se is not None:
        remark = f"nats per row; standard error {figure(result.held_out_se)}"
        cards.insert(1, ("Held-out rows", figure(result.held_out), remark))
    if result.bound is not None:
        cards.insert(1, ("Bound", wording.number(result.bound, 3), "no network scores higher"))
    return cards


def _rows_remark(result: Result) -> str:
    rows = result.provenance.get("rows")
    return counted(rows, "row") if isinstance(rows, int) else "number of rows unknown"


def _worth_drawing(result: Result) -> bool:
    """Whether the scores over time, and the bound, differ by more than rounding."""
    scores = [step.score for step in result.trace if math.isfinite(step.score)]
    if not scores:
        return False
    known = [*scores, *([] if result.bound is None else [result.bound])]
    return max(known) - min(known) >= LEAST_RANGE


def _instead_of_chart(result: Result) -> str:
    if not len(result.trace):
        return "No improvements were recorded."
    return f"The first network that was found scores {wording.number(result.score, 3)} already."


def _rows(result: Result) -> list[dict[str, Any]]:
    """Return the rows of the table, one per variable."""
    names = [printable(name) for name in result.network.names]
    return [
        {
            "name": names[v],
            "parents": ", ".join(names[p] for p in result.network.parents[v]),
            "rank": choice.rank,
            "sets": choice.sets,
            "score": choice.score,
            "children": len(result.network.children[v]),
        }
        for v, choice in enumerate(result.choices)
    ]
