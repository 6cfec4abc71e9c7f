"""The main facts of a result, in the same order and words wherever it is shown.

There are at most seven, so that ``learn``, which adds the files it wrote, prints eight lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forebear._util.text import counted, show_seconds
from forebear.result.report.wording import gap_percent, most_parents, score_name, stop_words
from forebear.scoring.priors import show_prior

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
        ("Score", f"{result.score:,.4f}{_score_name(result)}"),
    ]
    if result.missing is not None:
        facts.append(("Missing", str(result.missing["done"])))
    elif network.row_sets is not None:
        were_set = sum(number > 0 for number in network.row_sets)
        of = counted(network.n_variables, "variable")
        facts.append(("Set", f"by intervention in some rows: {were_set:,} of {of}"))
    facts.append(("Proven", _proven(result)))
    if result.chance is not None and result.chance.is_likely:
        facts.append(("Chance", result.chance.sentence()))
    elif result.margins is not None and network.arcs:
        facts.append(("Edges", result.margins.sentence))
    if result.validation is not None:
        facts.append(("Held out", _held_out(result.validation)))
    ended = f"{show_seconds(result.seconds)}: {stop_words(result.stop_reason)}"
    return [*facts, ("Time", f"{ended} ({result.algorithm}, seed {result.seed})")]


def _score_name(result: Result) -> str:
    """Return the rows, the score and the part that is the prior."""
    provenance = result.provenance
    if not provenance.get("score"):
        return ""
    rows = provenance.get("rows")
    on = f" on {counted(rows, 'row')}" if isinstance(rows, int) else ""
    name = score_name({**provenance, "prior": "uniform"})
    prior = f" + log prior {result.log_prior:,.4f} ({show_prior(result.prior)})"
    return f"{on}: {name}{'' if result.prior == 'uniform' else prior}"


def _proven(result: Result) -> str:
    """Return how much better a network can be, and which networks the proof covers."""
    if result.bound is None:
        return "nothing: no bound was computed (see the certify option)"
    if result.status == "optimal":
        return f"optimal {_covers(result)}"
    gap = f"{result.gap_nats:,.2f} nats ({gap_percent(result)})"
    return f"within {gap} of the best {_covers(result)}"


def _covers(result: Result) -> str:
    """Return which networks the proof covers, without the details in ``Result.covers``."""
    return re.sub(r" \(.*?\)|, (scored on|by) .*", "", result.covers)


def _held_out(validation: Validation) -> str:
    """Return how well held-out rows are predicted, with this score and with the best other."""
    own = validation.own
    others = [trial for trial in validation.by_score if trial.score_name != own.score_name]
    best = f"; {others[0].held_out:.3f} with {others[0].name}" if others else ""
    splits = f" over {validation.folds} splits" if validation.folds > 1 else ""
    mean = f"log-likelihood per row {own.held_out:.3f}{splits}"
    return f"{mean} (s.e. {own.held_out_se:.3f}){best}"
