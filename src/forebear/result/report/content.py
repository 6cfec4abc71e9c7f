"""The content of the page: values for its template, and data for its scripts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from forebear._util.text import counted, printable, show_seconds
from forebear.result.report import wording
from forebear.result.report.arc_probabilities import ArcProbabilities
from forebear.result.report.findings import findings
from forebear.result.report.margins import margin_levels, margin_rows
from forebear.result.report.what_if import WhatIf
from forebear.result.summary import summary

if TYPE_CHECKING:
    from forebear.result import Result
    from forebear.result.validation import Validation


def template_values(
    result: Result, what_if: WhatIf, probabilities: ArcProbabilities | None
) -> dict[str, Any]:
    """Return the values that the template shows."""
    network = result.network
    return {
        "title": f"Bayesian network with {counted(network.n_variables, 'variable')}",
        "facts": summary(result),
        "findings": findings(result, what_if, probabilities),
        "why_no_answers": what_if.why_not,
        "sampled": what_if.tree is None,
        "names": [printable(name) for name in network.names],
        "arc_probabilities": probabilities,
        "margin_levels": margin_levels(result.margins),
        "margins": result.margins,
        "arc_columns": [
            *(["Probability", "Either direction"] if probabilities else []),
            *(["Margin in nats"] if result.margins else []),
            *(["In the network"] if probabilities else []),
        ],
        "held_out": result.validation and _held_out(result.validation),
        "found_in": f"Found in {show_seconds(result.seconds)}: {wording.stop_description(result)}.",
        "no_score_chart": _instead_of_chart(result),
        "search_facts": wording.search_facts(result),
        "score_facts": wording.score_facts(result),
        "time_facts": wording.time_facts(result),
        "compelled": len(network.compelled),
        "reversible": len(network.arcs) - len(network.compelled),
        "chains": len(result.generations),
    }


def script_data(
    result: Result, what_if: WhatIf, probabilities: ArcProbabilities | None
) -> dict[str, Any]:
    """Return the data for the scripts of the page."""
    network, strengths = result.network, what_if.strengths
    return {
        "names": [printable(name) for name in network.names],
        "parents": network.parents,
        "choices": [
            [choice.rank, choice.sets, round(choice.score, 3)]
            if math.isfinite(choice.score)
            else [choice.rank, choice.sets, None]
            for choice in result.choices
        ],
        # In thousandths of a bit, for every parent of every variable.
        "strengths": strengths
        and [[round(1000 * strengths[p, v]) for p in own] for v, own in enumerate(network.parents)],
        "probabilities": what_if.embedded,
        "tree": what_if.tree,
        "arcShares": None if probabilities is None else probabilities.arcs,
        "margins": margin_rows(result.margins),
        "digits": 3 if probabilities is None else probabilities.digits,
    }


def _held_out(validation: Validation) -> dict[str, Any]:
    """Return the values for the section about held-out rows."""
    own = validation.own
    return {
        "rows": validation.rows,
        "folds": validation.folds,
        "own": own.name,
        "sentence": wording.comparison_sentence(validation),
        "trials": [
            (
                trial.score_name + (" (used)" if trial is own else ""),
                "none" if trial.max_parents is None else wording.format_number(trial.max_parents),
                wording.format_number(trial.held_out, 3),
                wording.format_number(trial.held_out_se, 3),
                wording.format_number(trial.behind, 3),
                wording.format_number(trial.behind_se, 3),
                wording.format_number(trial.arcs),
                trial.smoothing,
            )
            for trial in sorted(validation.trials, key=lambda trial: -trial.held_out)
        ],
    }


def _instead_of_chart(result: Result) -> str:
    if not len(result.trace):
        return "No improvements were recorded."
    return f"The first network found has the final score, {wording.format_number(result.score, 3)}."
