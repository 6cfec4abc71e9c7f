"""The fields of a result file (``.json``), which are checked while they are read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from forebear._util.errors import ForebearError
from forebear.network.formats.result_file import FORMAT, coding_of
from forebear.network.network import Network
from forebear.parentsets.coverage import check_missing
from forebear.result.arc_margins import ArcMargins
from forebear.result.chance import chance_of_fields
from forebear.result.validation import Validation, real, whole
from forebear.scoring.priors import prior_of
from forebear.search import alternatives
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from forebear.result.result import Result


class Choice(NamedTuple):
    """The parent set of one variable in the network.

    Attributes
    ----------
    rank
        Its rank among the variable's parent sets; 1 is the best.
    sets
        The number of parent sets of the variable.
    score
        Its local score.
    """

    rank: int
    sets: int
    score: float


def to_fields(result: Result) -> dict[str, Any]:
    """Return the whole result as plain values."""
    return {
        "format": str(FORMAT),
        "version": result.version,
        "algorithm": result.algorithm,
        "score": result.score,
        "prior": result.prior,
        "log_prior": result.log_prior,
        "bound": result.bound,
        "held_out": result.held_out,
        "held_out_se": result.held_out_se,
        "validation": None if result.validation is None else result.validation.to_fields(),
        "chance": None if result.chance is None else result.chance.to_fields(),
        "missing": result.missing,
        "seconds": result.seconds,
        "phases": result.phases,
        "lost": list(result.lost),
        "stop_reason": result.stop_reason,
        "seed": result.seed,
        "winner": result.winner,
        "generations": list(result.generations),
        "settings": result.settings,
        "provenance": result.provenance,
        "variables": list(result.network.names),
        "parents": [list(family) for family in result.network.parents],
        "coding": None if result.network.coding is None else result.network.coding.to_fields(),
        "choices": [list(choice) for choice in result.choices],
        "order": list(result.order),
        "trace": [list(improvement) for improvement in result.trace],
        "alternatives": alternatives.to_fields(result.alternatives, result.network.parents),
        "margins": None if result.margins is None else result.margins.to_fields(),
    }


def of_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a Result from the plain values of its file."""
    families = tuple(tuple(map(whole, own)) for own in fields["parents"])
    provenance = _shallow(dict(fields["provenance"]))
    names, row_sets = tuple(map(_text, fields["variables"])), provenance.get("row_sets")
    network = Network(names, families, coding_of(fields), row_sets)
    order = tuple(map(whole, fields["order"]))
    _check_order(network, order)
    choices = tuple(Choice(whole(r), whole(n), real(s)) for r, n, s in fields["choices"])
    if len(choices) != len(order):
        raise ForebearError("the number of choices is not the number of variables")
    check_missing(provenance)
    prior_of(provenance)  # raises an error if it is not a prior
    trials, margins = fields.get("validation"), fields.get("margins")
    validation = None if trials is None else Validation.of_fields(trials)
    return {
        "network": network,
        "score": real(fields["score"]),
        "order": order,
        "choices": choices,
        "algorithm": _text(fields["algorithm"]),
        "settings": _shallow(dict(fields["settings"])),
        "seed": whole(fields["seed"], math.inf),
        "winner": whole(fields["winner"], 2**31 - 1),
        "stop_reason": _text(fields["stop_reason"]),
        "seconds": real(fields["seconds"]),
        "generations": tuple(map(whole, fields["generations"])),
        "trace": Trace(
            [
                Improvement(whole(p, 2**31 - 1), real(t), whole(g), real(s))
                for p, t, g, s in fields["trace"]
            ]
        ),
        "provenance": provenance,
        "version": _text(fields["version"]),
        "phases": {_text(name): real(s) for name, s in fields.get("phases", {}).items()},
        "lost": tuple(map(_text, fields.get("lost", ()))),
        "bound": None if fields.get("bound") is None else real(fields["bound"]),
        "alternatives": alternatives.of_fields(fields.get("alternatives", ()), network.parents),
        "validation": validation,
        "chance": chance_of_fields(fields.get("chance")),
        "margins": None if margins is None else ArcMargins.of_fields(margins, network.names),
    }


def _text(value: Any) -> str:
    """Check text read from a file."""
    if type(value) is not str:
        raise ForebearError(f"expected text, got {ascii(value)[:40]}")
    return value


def _shallow(value: Any, depth: int = 0) -> Any:
    """Check that settings or provenance are not nested too deeply."""
    if depth > 10:
        raise ForebearError("settings and provenance are nested too deeply")
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            _shallow(part, depth + 1)
    return value


def _check_order(network: Network, order: tuple[int, ...]) -> None:
    if sorted(order) != list(range(network.n_variables)):
        raise ForebearError("the order does not list every variable once")
    place = {v: i for i, v in enumerate(order)}
    if any(place[parent] > place[child] for parent, child in network.arcs):
        raise ForebearError("the order puts a child before its parent")
