"""The main facts of a result, in the same order and words wherever it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from forebear._util.text import counted, show_seconds
from forebear.result.report.wording import gap_percent, most_parents, score_name, stop_words

if TYPE_CHECKING:
    from forebear.result.result import Result
    from forebear.result.validation import Validation

Facts = list[tuple[str, str]]


def summary(result: Result) -> Facts:
    """Return the network, its score, what is proven, how well it predicts, and the time it took."""
    network = result.network
    size = f"{counted(len(network.arcs), 'arc')} among {counted(network.n_variables, 'variable')}"
    facts = [
        ("Network", f"{size}, at most {counted(most_parents(network), 'parent')} each"),
        ("Score", f"{result.score:,.4f}{_score_name(result.provenance)}{_prior(result)}"),
    ]
    if result.missing is not None:
        facts.append(("Missing", str(result.missing["done"])))
    if network.row_sets is not None:
        were_set = sum(number > 0 for number in network.row_sets)
        of = counted(network.n_variables, "variable")
        facts.append(("Set", f"{were_set:,} of {of} in some rows (experiments)"))
    if result.chance is not None:
        facts.append(("Chance", result.chance.sentence()))
    facts.append(("Proven", _proven(result)))
    if result.margins is not None and network.arcs:
        facts.append(("Edges", result.margins.sentence))
    facts += [("Held out", _held_out(result.validation))]
    ended = f"{show_seconds(result.seconds)}: {stop_words(result.stop_reason)}"
    return [*facts, ("Time", f"{ended} ({result.algorithm}, seed {result.seed})")]


def _score_name(provenance: Mapping[str, Any]) -> str:
    """Return the name of the score, its parameters and the rows: ``, bdeu (ess 1), 2,000 rows``."""
    if not provenance.get("score"):
        return ""
    rows = provenance.get("rows")
    return f", {score_name(provenance)}" + (
        f", {counted(rows, 'row')}" if isinstance(rows, int) else ""
    )


def _prior(result: Result) -> str:
    """Return the part of the score that is the prior over networks."""
    if result.prior == "uniform":
        return ""
    return f"; log prior {result.log_prior:,.4f}"


def _proven(result: Result) -> str:
    """Return how much better a network can be, and which networks the proof covers."""
    if result.bound is None:
        return "nothing: no bound was computed (see the certify option)"
    if result.status == "optimal":
        return f"optimal {result.covers}"
    gap = f"{result.gap_nats:,.2f} nats ({gap_percent(result)})"
    return f"at most {gap} below the best score {result.covers}"


def _held_out(validation: Validation | None) -> str:
    """Return how well held-out rows are predicted, with this score and with the best other."""
    if validation is None:
        return "not validated on held-out rows (see the holdout option of learn)"
    own = validation.own
    others = [trial for trial in validation.by_score if trial.score_name != own.score_name]
    best = f"; {others[0].held_out:.3f} with {others[0].name}" if others else ""
    mean = f"mean of {validation.folds} splits, " if validation.folds > 1 else ""
    return f"{own.held_out:.3f} nats per row ({mean}standard error {own.held_out_se:.3f}){best}"
