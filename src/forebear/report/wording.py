"""What a result comes to, in words: the same on the page and in a notebook."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from forebear._util.text import counted, show_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from forebear.network.network import Network
    from forebear.result import Result

_STOPPED = {
    "optimal": "it is proven that no network is better",
    "time": "the time was up",
    "generations": "all generations were made",
    "target": "the target was reached",
    "no improvement": "nothing better was found for long",
    "interrupted": "it was interrupted",
    "cancelled": "it was cancelled",
}

_CLOSE = 1e-9
"""A gap, as a share of the score, that is only rounding."""


def number(value: float, digits: int = 0) -> str:
    """Write a number with thousands set apart and a true minus sign."""
    if isinstance(value, int) and not digits:  # a seed may be larger than any float
        return f"{value:,}".replace("-", "−")
    if not math.isfinite(value):
        return "−∞" if value < 0 else "∞" if value > 0 else "not a number"
    return f"{value:,.{digits}f}".replace("-", "−")


def largest_family(network: Network) -> int:
    """Return the most parents that any variable has."""
    return max(map(len, network.parents), default=0)


def stopped(result: Result) -> str:
    """Tell why the search ended."""
    return _STOPPED.get(result.stop_reason, result.stop_reason)


def gap(result: Result) -> str | None:
    """Write the gap as a share of the score; nothing where there is no bound."""
    if result.gap is None:
        return None
    if result.gap <= _CLOSE:
        return "0 %"
    return f"{100 * result.gap:.2g} %" if result.gap < 0.1 else f"{100 * result.gap:.0f} %"


def verdict(result: Result) -> list[str]:
    """Say how good the answer is, in plain sentences."""
    at_best = sum(choice.rank == 1 for choice in result.choices)
    count = len(result.choices)
    if at_best == count:
        return [
            "Every variable has the best of its candidate parent sets: "
            "no network of these sets scores higher."
        ]
    have = "has" if at_best == 1 else "have"
    first = f"{at_best:,} of {count:,} variables {have} the best of their candidate parent sets."
    if result.gap is None or result.gap_nats is None:
        return [first, "No bound was computed, so how much better a network could be is not known."]
    if result.gap <= _CLOSE:
        return [first, "No network of these sets scores higher: this is proven."]
    return [
        first,
        f"No network of these sets scores more than {number(result.gap_nats, 2)} higher, "
        f"which is {gap(result)} of the score.",
    ]


def origin(result: Result) -> str:
    """Say in a line what the network was learnt from."""
    made = result.provenance
    words = [f"Learnt by {result.algorithm}"]
    if isinstance(made.get("rows"), int):
        words.append(f"from {counted(made['rows'], 'row')}")
    if made.get("score"):
        words.append(f"with {score_name(made)}")
    return " ".join(words)


def score_name(provenance: Mapping[str, Any]) -> str:
    """Name the score with its parameters: ``bdeu (ess 1)``."""
    parameters = provenance.get("parameters")
    listed = (
        ", ".join(f"{key} {plain(value)}" for key, value in parameters.items())
        if (isinstance(parameters, dict))
        else ""
    )
    return f"{provenance['score']} ({listed})" if listed else str(provenance["score"])


def plain(value: object) -> str:
    """Write a setting as a person would."""
    if value is None:
        return "by default"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return number(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def search_facts(result: Result) -> Iterator[tuple[str, str]]:
    """List how the network was searched for."""
    yield "Algorithm", result.algorithm
    yield from ((words(name), plain(value)) for name, value in _flat(result.settings))
    # Not set apart by thousands: a seed is copied, not read.
    yield "Seed", str(result.seed)
    yield "Processes", number(len(result.generations))
    yield "Found by process", number(result.winner)
    yield "Generations", number(sum(result.generations))
    yield "Stopped because", stopped(result)


def score_facts(result: Result) -> Iterator[tuple[str, str]]:
    """List what the parent sets were made from, as far as it is known."""
    made = dict(result.provenance)
    if made.get("score"):
        yield "Score", score_name(made)
    known = {"max_parents": "Most parents", "rows": "Rows", "families": "Parent sets scored"}
    for key, label in known.items():
        if key in made:
            yield label, plain(made[key])
    yield "Candidate sets kept", number(sum(choice.sets for choice in result.choices))
    told = {"score", "parameters", "arities", "forebear", "data", *known}
    rest = {key: value for key, value in made.items() if key not in told}
    yield from ((words(key), plain(value)) for key, value in _flat(rest))
    if "data" in made:
        yield "Fingerprint of the data", str(made["data"])
    if "forebear" in made:
        yield "Scored by forebear", str(made["forebear"])
    yield "Searched by forebear", result.version


def time_facts(result: Result) -> list[tuple[str, float, str]]:
    """List the steps, their seconds and how these are written; at least the search is known."""
    phases = result.phases or {"search": result.seconds}
    return [(words(name), seconds, show_seconds(seconds)) for name, seconds in phases.items()]


def words(name: str) -> str:
    """Turn the name of a setting into words."""
    spaced = name.replace("_", " ").strip()
    return spaced[:1].upper() + spaced[1:]


def _flat(settings: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """List settings, those within settings after their own name."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from ((f"{name}: {inner}", deep) for inner, deep in _flat(value))
        elif not isinstance(value, list | tuple) or len(value) <= 4:
            yield name, value
