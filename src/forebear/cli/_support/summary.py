"""What commands print: JSON, facts in two columns, and what a run has found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from forebear._util.text import counted, show_seconds
from forebear.result.report.wording import gap, most_parents, reason, score_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear.cli._support.outputs import ResultFiles
    from forebear.result import Result
    from forebear.result.validation import Validation

Facts = list[tuple[str, str]]


def print_json(about: dict[str, Any]) -> None:
    """Print one JSON object."""
    print(json.dumps(about, ensure_ascii=False))


def show_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        print(f"{name:<{width}}  {value}")


def finish(result: Result, files: ResultFiles, *, json_: bool, quiet: bool) -> None:
    """Write the files of a search without a table, and print what it has found."""
    files.write(result)
    if json_:
        print_json(facts(result))
    elif not quiet and not files.to_standard_output:
        show_facts([*summary(result), *written(files.outputs, files.report)])


def facts(result: Result) -> dict[str, Any]:
    """Return the main facts of a result for ``--json``."""
    return {
        "score": result.score,
        "bound": result.bound,
        "gap": result.gap,
        "status": result.status,
        "covers": result.covers,
        "held_out": result.held_out,
        "held_out_se": result.held_out_se,
        "validation": None if result.validation is None else result.validation.to_fields(),
        "missing": result.missing,
        "seconds": result.seconds,
        "arcs": len(result.network.arcs),
        "algorithm": result.algorithm,
        "seed": result.seed,
        "winner": result.winner,
        "stop_reason": result.stop_reason,
        "generations": list(result.generations),
    }


def summary(result: Result, unchecked: str | None = None) -> Facts:
    """Say what was found, what is proven of it, how well it predicts, and how long it took.

    ``unchecked`` is said where nothing is known about new rows.
    """
    checked = _held_out(result) or unchecked
    time = f"{show_seconds(result.seconds)}, {reason(result)}"
    return [
        ("Network", _network(result)),
        *([] if result.missing is None else [("Missing", _missing(result.missing))]),
        ("Proven", _proven(result)),
        *([] if checked is None else [("Checked", checked)]),
        ("Time", f"{time} ({result.algorithm}, seed {result.seed})"),
    ]


def written(files: Sequence[Path | None], report: Path | None = None, proof: str = "") -> Facts:
    """Say which files were written, what to do with them, and how to keep anything at all."""
    names = [str(path) for path in (*files, report) if path is not None]
    if not names:
        return [("Written", "nothing. To keep the result: -o network.bif --report network.html")]
    page = "" if report is None else "; open the page in a browser"
    return [("Written", f"{', '.join(names)}{page}{proof}")]


def not_tried(validation: Validation) -> list[str]:
    """Say what did not fit in time or memory."""
    left_out = validation.left_out
    return [f"Not tried, for lack of time or memory: {'; '.join(left_out)}"] if left_out else []


def _network(result: Result) -> str:
    network = result.network
    score = f"{score_name(result.provenance)} " if result.provenance.get("score") else ""
    size = f"{counted(len(network.arcs), 'arc')} among {counted(network.n_variables, 'variable')}"
    parents = f"up to {counted(most_parents(network), 'parent')} each"
    return f"{size}, {parents}; {score}score {result.score:,.4f}"


def _missing(about: dict[str, Any]) -> str:
    """Say what was done about missing values."""
    observed = about.get("observed_score")
    more = "" if observed is None else f" (log score of the observed values: {observed:,.4f})"
    return f"{about['done']}{more}"


def _proven(result: Result) -> str:
    """Say how much better a network can be, and which networks that is about."""
    if result.bound is None:
        return "nothing: pass --certify to bound how much better a network can be"
    if result.status == "optimal":
        return f"no network scores higher, {result.covers}"
    return (
        f"no network scores more than {result.bound:,.4f}, {result.covers}: the gap is "
        f"{result.gap_nats:,.2f} nats, {gap(result)} of the score"
    )


def _held_out(result: Result) -> str | None:
    """Say how well held-out rows are predicted, and what was chosen by it."""
    if result.validation is None:
        return None
    own = result.validation.own
    others = [t for t in result.validation.by_score if t.score_name != own.score_name]
    best = f"; {others[0].held_out:.3f} with {others[0].name}" if others else ""
    left_out = "".join(f". {line}" for line in not_tried(result.validation))
    splits = result.validation.folds
    mean = f"mean of {splits} splits, " if splits > 1 else ""
    return (
        f"held-out rows are predicted with {own.held_out:.3f} nats each ({mean}standard error "
        f"{own.held_out_se:.3f}) with {own.name}{best}{left_out}"
    )
