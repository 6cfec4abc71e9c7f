"""The report: a single HTML page about a result that works offline."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from forebear._util.atomic import atomic_path
from forebear._util.text import counted, printable, show_seconds
from forebear.drawing.svg import compelled_classes, network_svg
from forebear.report import wording
from forebear.report.counts import degree_bars, rank_bars
from forebear.report.heldout import figure, held_out

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.report.probabilities import ArcProbabilities
    from forebear.result import Result

_SCRIPTS = ("page.js", "network.js", "charts.js", "table.js", "arcs.js")
_SCORE_DIGITS = 3


def write_report(
    result: Result, path: Path | str, probabilities: ArcProbabilities | None = None
) -> None:
    """Write the report about a result to a file."""
    with atomic_path(path) as temporary:
        # Names may contain lone surrogates, which UTF-8 cannot encode.
        temporary.write_bytes(report_html(result, probabilities).encode("utf-8", "replace"))


def report_html(result: Result, probabilities: ArcProbabilities | None = None) -> str:
    """Return the report about a result as HTML, with arc probabilities if they are given."""
    # Reports are rare, and importing jinja2 takes tenths of a second.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("forebear.report", "page_files"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": wording.number, "counted": counted}
    script = "\n".join(_read(name) for name in _SCRIPTS)
    predicted = held_out(result)
    return environment.get_template("page.html").render(
        **_content(result),
        probabilities=probabilities,
        rank_plots=[
            (title, Markup(picture))
            for title, picture in (probabilities.rank_plots if probabilities else ())
        ],
        held_out=predicted,
        curve=Markup(predicted["curve"] or "") if predicted else "",
        style=Markup(_read("page.css")),
        script=Markup(script),
        script_hash=_hash(script),
        data=Markup(_inert_json(_data(result, probabilities))),
        picture=Markup(network_svg(result.network, title="The network", tooltips=False)),
    )


def _read(name: str) -> str:
    return (files("forebear.report") / "page_files" / name).read_text("utf-8")


def _hash(script: str) -> str:
    """Return the hash that lets browsers run this script and no other, such as one in a name."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _inert_json(content: object) -> str:
    """Return JSON that cannot close the HTML element around it."""
    written = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _content(result: Result) -> dict[str, Any]:
    """Return the values that the template shows."""
    network = result.network
    steps = wording.time_facts(result)
    total = sum(seconds for _, seconds, _ in steps)
    classes = compelled_classes(network)
    return {
        "title": f"Bayesian network with {counted(network.n_variables, 'variable')}",
        "origin": wording.origin(result),
        "verdict": wording.verdict(result),
        "cards": _cards(result),
        "search_facts": list(wording.search_facts(result)),
        "score_facts": list(wording.score_facts(result)),
        "steps": [
            (name, written, 100 * seconds / total if total else 0.0)
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
        (
            "Time",
            show_seconds(sum(seconds for _, seconds, _ in wording.time_facts(result))),
            wording.stopped(result),
        ),
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


def _data(result: Result, probabilities: ArcProbabilities | None) -> dict[str, Any]:
    """Return the data that the scripts need."""
    return {
        "names": [printable(name) for name in result.network.names],
        "parents": result.network.parents,
        "choices": [
            [choice.rank, choice.sets, _finite(round(choice.score, _SCORE_DIGITS))]
            for choice in result.choices
        ],
        "compelled": [arc in result.network.compelled for arc in result.network.arcs],
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
        "parentCounts": degree_bars(result.network.parents),
        "childCounts": degree_bars(result.network.children),
        "probabilities": None if probabilities is None else probabilities.arcs,
        "digits": 3 if probabilities is None else probabilities.digits,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
