"""Statements: individual constraints, each with the file and line that it comes from.

They come from the parameters of ``Knowledge`` or from files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from numbers import Integral
from typing import Any, NamedTuple

from forebear._util.checks import check_whole
from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted
from forebear._util.variable_names import Variable


class Kind(Enum):
    """The kinds of statements."""

    REQUIRED = "{} -> {} is required"
    FORBIDDEN = "{} -> {} is forbidden"
    ADJACENT = "{} and {} must be adjacent"
    BEFORE = "{} comes before {}"
    ANCESTOR = "{} is an ancestor of {}"
    NOT_ANCESTOR = "{} is not an ancestor of {}"
    TIER = "{} is in tier {}"
    MAX_PARENTS = "{} has at most {}"

    @property
    def about_pair(self) -> bool:
        """Whether statements of this kind are about two variables."""
        return self not in (Kind.TIER, Kind.MAX_PARENTS)


class Statement(NamedTuple):
    """One piece of knowledge.

    ``first`` is a variable; ``second`` is a variable, a tier (from 1) or a number of parents.
    Variables are names, or indices if the names are not known yet. ``where`` is the file and line
    that the statement comes from; empty if there is none.
    """

    kind: Kind
    first: Variable
    second: Variable
    where: str = ""

    def __str__(self) -> str:
        """Write the statement as a sentence, with its file and line."""
        parents = self.kind is Kind.MAX_PARENTS
        second = counted(self.number, "parent") if parents else self.second
        sentence = self.kind.value.format(self.first, second)
        return f"{sentence} ({self.where})" if self.where else sentence

    @property
    def pair(self) -> tuple[str, str]:
        """Both variables, by name."""
        return str(self.first), str(self.second)

    @property
    def number(self) -> int:
        """The tier, or the largest number of parents."""
        return int(self.second)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the statement is about."""
        return (self.first, self.second) if self.kind.about_pair else (self.first,)

    def named(self, name_of: Callable[[Variable], str]) -> Statement:
        """Return the statement with its variables by name; unknown variables are an error."""
        try:
            first, *second = map(name_of, self.variables)
        except ForebearError as error:
            if not self.where:
                raise
            raise ForebearError(f"{self.where}: ", error.message) from None
        return Statement(self.kind, first, second[0] if second else self.second, self.where)


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
"""The parameters that may also be ``{child: parents}``."""


def as_statements(pairs: Mapping[str, Any], tiers: Any, max_parents: Any) -> list[Statement]:
    """Check the parameters of ``Knowledge``, and return their statements."""
    statements = []
    for name, kind in PAIR_KINDS.items():
        given = _as_pairs(name, pairs[name]) if name in _BY_CHILD else pairs[name]
        items = _items(name, given, "a list of pairs of variables")
        statements += [Statement(kind, *_pair(name, pair)) for pair in items]
    return [*statements, *_of_tiers(tiers), *_of_limits(max_parents)]


def _items(name: str, given: Any, expected: str) -> list[Any]:
    """Return the items of a list; otherwise raise an error that states what is expected."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ForebearError(Parameter(name), f" must be {expected}, got {given!r}")
    return list(given)


def _as_pairs(name: str, arcs: Any) -> Any:
    """Convert ``{child: parents}`` to (parent, child) pairs."""
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
