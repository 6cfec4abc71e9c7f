"""What the page shows: values for its templates, and data for its scripts."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from forebear._util.text import counted, printable, show_seconds
from forebear.network.drawing.svg import compelled_classes
from forebear.result.report import wording
from forebear.result.report.findings import findings, hubs_of
from forebear.result.report.holdout_section import figure, held_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.result import Result
    from forebear.result.report.arc_probabilities import ArcProbabilities
    from forebear.result.report.pictures import Pictures
    from forebear.result.report.questions import Questions


class Bar(NamedTuple):
    """One bar of a chart: its label and its number of variables."""

    label: str
    variables: int


class Content(NamedTuple):
    """What the page shows."""

    templates: dict[str, Any]
    scripts: dict[str, Any]


def page_content(
    result: Result, questions: Questions, pictures: Pictures, probabilities: ArcProbabilities | None
) -> Content:
    """Collect what the page shows."""
    network, trials = result.network, held_out(result)
    classes = compelled_classes(network)
    bars = {
        "ranks": rank_bars(result),
        "parent_counts": degree_bars(network.parents),
        "child_counts": degree_bars(network.children),
    }
    templates = {
        "title": f"Bayesian network with {counted(network.n_variables, 'variable')}",
        "origin": wording.origin(result),
        "findings": findings(result, questions, probabilities),
        "no_probabilities": questions.why_not,
        "method": questions.method,
        "cards": _cards(result),
        "hubs": hubs_of(network, 8),
        "arc_probabilities": probabilities,
        "held_out": trials,
        "found_in": f"Found in {show_seconds(result.seconds)}: {wording.stopped(result)}.",
        "score_chart": _worth_drawing(result),
        "no_score_chart": _instead_of_chart(result),
        "search_facts": list(wording.search_facts(result)),
        "score_facts": list(wording.score_facts(result)),
        "steps": [
            (name, written, 100 * seconds / max(result.seconds, seconds) if seconds else 0.0)
            for name, seconds, written in wording.time_facts(result)
        ],
        "reversible": sum(name == "reversible" for name in classes.values()),
        "compelled": sum(name == "compelled" for name in classes.values()),
        "chains": len(result.generations),
        "improvements": len(result.trace),
        "groups": pictures.groups,
        "rows": _rows(result),
        **bars,
    }
    strengths = questions.strengths
    scripts = {
        "names": [printable(name) for name in network.names],
        "parents": network.parents,
        "choices": [
            [choice.rank, choice.sets, _finite(round(choice.score, 3))] for choice in result.choices
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
        "heldOut": trials and trials["curve"],
        "arcShares": None if probabilities is None else probabilities.arcs,
        "digits": 3 if probabilities is None else probabilities.digits,
        **bars,
    }
    return Content(templates, scripts)


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
    return max(known) - min(known) >= 0.01  # nats


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


def rank_bars(result: Result) -> list[Bar]:
    """Count the variables by the rank of their parent set: 1, 2, 3-4, 5-8, ..."""
    return _bars([choice.rank - 1 for choice in result.choices], first_bin=2, shift=1)


def degree_bars(relatives: Sequence[Sequence[int]]) -> list[Bar]:
    """Count the variables by their number of parents or children: 0, ..., 15, 16-31, ..."""
    return _bars([len(own) for own in relatives], first_bin=16)


def _bars(values: Sequence[int], first_bin: int, shift: int = 0) -> list[Bar]:
    """Count values, from ``first_bin`` on in doubling bins; labels are higher by ``shift``."""
    counts = Counter(values)
    bars: list[Bar] = []
    low = 0
    while low <= max(counts, default=-1):
        high = low if low < first_bin else 2 * low - 1
        label = f"{low + shift:,}" + ("" if low == high else f"–{high + shift:,}")
        bars.append(Bar(label, sum(count for k, count in counts.items() if low <= k <= high)))
        low = high + 1
    return bars


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
