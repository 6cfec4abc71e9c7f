"""Words for a result, in the report, in notebooks and on the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from forebear._util.text import listing, show_seconds
from forebear.network.network import Network
from forebear.scoring.priors import prior_of
from forebear.scoring.scores import show_settings

if TYPE_CHECKING:
    from forebear.result import Result
    from forebear.result.validation import Validation

_STOP_REASONS = {
    "optimal": "proven optimal",
    "time": "time limit reached",
    "generations": "generation limit reached",
    "target": "target score reached",
    "no improvement": "no improvement for some time",
    "interrupted": "interrupted",
    "cancelled": "cancelled",
}
"""The stop reasons, as they are shown."""


def format_number(value: float, digits: int = 0) -> str:
    """Write a number with thousands separators and a proper minus sign."""
    if isinstance(value, int) and not digits:  # may be larger than any float
        return f"{value:,}".replace("-", "−")
    if not math.isfinite(value):
        return "−∞" if value < 0 else "∞" if value > 0 else "not a number"
    return f"{value:,.{digits}f}".replace("-", "−")


def most_parents(network: Network) -> int:
    """Return the largest number of parents of any variable."""
    return max(map(len, network.parents), default=0)


def stop_words(reason: str) -> str:
    """Return the words for a stop reason."""
    return _STOP_REASONS.get(reason, reason)


def stop_description(result: Result) -> str:
    """Return why the search ended; after a proof, also which networks the proof covers."""
    about = f" {result.covers}" if result.stop_reason == "optimal" else ""
    return f"{stop_words(result.stop_reason)}{about}"


def gap_percent(result: Result) -> str | None:
    """Return the gap in percent of the score, or None without a bound."""
    if result.gap is None:
        return None
    if result.status == "optimal":  # up to rounding
        return "0 %"
    return f"{100 * result.gap:.2g} %" if result.gap < 0.1 else f"{100 * result.gap:.0f} %"


def comparison_sentence(validation: Validation) -> str:
    """Compare the settings that were used with those that predict held-out rows best."""
    own, best = validation.own, validation.best
    if own is best:
        return f"Of {len(validation.trials)} settings compared, the one used predicts them best."
    clear = "" if own.clearly_behind else ", which may be chance"
    return (
        f"With {best.name}, they are predicted better by {format_number(own.behind, 3)} nats per "
        f"row (standard error {format_number(own.behind_se, 3)}){clear}."
    )


def score_name(provenance: Mapping[str, Any]) -> str:
    """Return the name of the score with parameters and prior: ``bdeu (ess 1, prior sparse)``."""
    parameters = provenance.get("parameters")
    known = parameters if isinstance(parameters, dict) else {}
    shown = show_settings(known, prior_of(provenance))
    return f"{provenance['score']} ({shown})" if shown else str(provenance["score"])


def search_facts(result: Result) -> list[tuple[str, str]]:
    """Return the settings and figures of the search, as names and values."""
    settings = {name: value for name, value in result.settings.items() if name != "chains"}
    of_chains = {
        "chains": len(result.generations),
        "best_chain": result.winner,
        "generations_of_all_chains": sum(result.generations),
    }
    if result.algorithm == "exact":
        of_chains = {"nodes_explored": sum(result.generations)}
    # The seed has no thousands separators, so that it can be copied.
    about = {"algorithm": result.algorithm, **settings, "seed": str(result.seed)}
    return fact_rows({**about, **of_chains, "stopped": stop_description(result)})


def score_facts(result: Result) -> list[tuple[str, str]]:
    """Return facts about the data and the scoring, as names and values."""
    made = {name: value for name, value in result.provenance.items() if name != "arities"}
    scored_with = {"scored_with": made.pop("forebear", None), "searched_with": result.version}
    kept = sum(choice.sets for choice in result.choices)
    return fact_rows({**made, "parent_sets_kept": kept, **scored_with})


def time_facts(result: Result) -> list[tuple[str, str]]:
    """Return the steps with their times, which add up to the total time."""
    phases = dict(result.phases) or {"search": result.seconds}
    rest = result.seconds - sum(phases.values())
    if rest >= 0.01:  # less would be written as 0.0 s
        phases["everything else"] = rest
    return [(name, show_seconds(seconds)) for name, seconds in phases.items()]


def fact_rows(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Write facts as names and values; empty and very long values are left out."""
    rows = ((name.replace("_", " "), _shown(value)) for name, value in about.items())
    return [(name, shown) for name, shown in rows if shown]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    if isinstance(value, dict) and set(value) == {"min", "median", "max"}:
        low, high = value["min"], value["max"]
        return f"{low:,}" if low == high else f"{low:,} to {high:,}, median {value['median']:,g}"
    if isinstance(value, dict) and all(
        isinstance(one, int | float | str) for one in value.values()
    ):
        return listing([f"{name} {_shown(one)}" for name, one in value.items()], limit=10)
    if isinstance(value, list) and all(isinstance(one, int | str) for one in value):
        return listing([str(one) for one in value], limit=10)
    return value if isinstance(value, str) else ""
