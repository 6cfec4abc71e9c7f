"""What a run ends with: a few lines that a person would quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.text import counted, show_seconds
from forebear.report.wording import gap, most_parents, reason, score_name

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.result import Result
    from forebear.validation.trials import Validation

Facts = list[tuple[str, str]]


def summary(result: Result, unchecked: str | None = None) -> Facts:
    """Say what was found, what is proven of it, how well it predicts, and how long it took.

    ``unchecked`` is said where nothing is known about new rows.
    """
    checked = _held_out(result) or unchecked
    return [
        ("Network", _network(result)),
        *([] if result.missing is None else [("Gaps", _gaps(result))]),
        ("Proven", _proven(result)),
        *([] if checked is None else [("Checked", checked)]),
        ("Time", _time(result)),
    ]


def written(files: list[Path | None], report: Path | None = None, proof: str = "") -> Facts:
    """Say which files were written, what to do with them, and how to keep anything at all."""
    names = [str(path) for path in (*files, report) if path is not None]
    if not names:
        return [("Written", "nothing: -o network.bif --report network.html would keep it")]
    page = "" if report is None else "; open the page in a browser"
    return [("Written", f"{', '.join(names)}{page}{proof}")]


def not_tried(validation: Validation) -> list[str]:
    """Say what did not fit in time or memory."""
    left_out = validation.left_out
    return [f"Not tried, for lack of time or memory: {'; '.join(left_out)}"] if left_out else []


def _network(result: Result) -> str:
    network = result.network
    score = score_name(result.provenance) if result.provenance.get("score") else ""
    size = f"{counted(len(network.arcs), 'arc')} among {counted(network.n_variables, 'variable')}"
    parents = f"up to {counted(most_parents(network), 'parent')} each"
    return f"{size}, {parents}; {f'{score} ' if score else ''}score {result.score:,.4f}"


def _gaps(result: Result) -> str:
    """Say what was done about missing values."""
    about = result.missing or {}
    observed = about.get("observed_score")
    more = "" if observed is None else f" (the observed values score {observed:,.4f})"
    return f"{about['done']}{more}"


def _proven(result: Result) -> str:
    """Say how much better a network can be, and which networks that is about."""
    if result.bound is None:
        return "nothing: how much better a network can be is unknown without --certify"
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
        f"held-out rows have {own.held_out:.3f} nats each ({mean}standard error "
        f"{own.held_out_se:.3f}) with {own.name}{best}{left_out}"
    )


def _time(result: Result) -> str:
    return (
        f"{show_seconds(result.seconds)}, {reason(result)} ({result.algorithm}, seed {result.seed})"
    )
