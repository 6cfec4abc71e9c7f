"""The parameters of ``Knowledge``, as statements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

from forebear._util.checks import check_whole
from forebear._util.errors import ForebearError, Parameter
from forebear.knowledge.statements import Kind, Statement

if TYPE_CHECKING:
    from forebear._util.names import Variable

PAIR_KINDS = {
    "required": Kind.REQUIRED,
    "forbidden": Kind.FORBIDDEN,
    "adjacent": Kind.ADJACENT,
    "before": Kind.BEFORE,
    "ancestors": Kind.ANCESTOR,
    "not_ancestors": Kind.NOT_ANCESTOR,
}
"""The parameters that are pairs of variables."""

_BY_CHILD = ("required", "forbidden")
"""Those that may also be ``{child: parents}``."""


def as_statements(pairs: Mapping[str, Any], tiers: Any, max_parents: Any) -> list[Statement]:
    """Check the parameters of ``Knowledge``, and return what they say."""
    said = []
    for name, kind in PAIR_KINDS.items():
        given = _listed(name, pairs[name]) if name in _BY_CHILD else pairs[name]
        items = _items(name, given, "a list of pairs of variables")
        said += [Statement(kind, *_pair(name, pair)) for pair in items]
    return [*said, *_of_tiers(tiers), *_of_limits(max_parents)]


def _items(name: str, given: Any, what: str) -> list[Any]:
    """Return the items of a list, or raise an error that says what the parameter must be."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ForebearError(Parameter(name), f" must be {what}, got {given!r}")
    return list(given)


def _listed(name: str, arcs: Any) -> Any:
    """Turn ``{child: parents}`` into (parent, child) pairs."""
    if not isinstance(arcs, Mapping):
        return arcs
    what = "{child: parents} with lists of parents"
    return [(p, child) for child, own in arcs.items() for p in _items(name, own, what)]


def _pair(name: str, pair: Any) -> tuple[Variable, Variable]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ForebearError(Parameter(name), f" must be pairs of variables, got {pair!r}")
    return _variable(name, pair[0]), _variable(name, pair[1])


def _variable(name: str, variable: Any) -> Variable:
    """Check that a variable is a name or an index."""
    if isinstance(variable, str):
        return variable
    if isinstance(variable, Integral) and not isinstance(variable, bool) and int(variable) >= 0:
        return int(variable)
    raise ForebearError(Parameter(name), f": a variable is a name or an index, got {variable!r}")


def _of_tiers(tiers: Any) -> list[Statement]:
    what = "a list of tiers, each a list of variables"
    return [
        Statement(Kind.TIER, _variable("tiers", v), number)
        for number, tier in enumerate(_items("tiers", tiers, what), 1)
        for v in _items("tiers", tier, what)
    ]


def _of_limits(limits: Any) -> list[Statement]:
    if limits is None:
        return []
    if not isinstance(limits, Mapping):
        raise ForebearError(
            Parameter("max_parents"),
            f" of Knowledge must be {{variable: number}}, got {limits!r}; the limit for all "
            "variables is a parameter of learn",
        )
    for most in limits.values():
        check_whole(0, math.inf, max_parents=most)
    return [
        Statement(Kind.MAX_PARENTS, _variable("max_parents", v), int(most))
        for v, most in limits.items()
    ]
