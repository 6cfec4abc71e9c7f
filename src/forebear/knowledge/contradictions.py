"""Statements that no network can agree with all at once, and where they were said."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear.knowledge.statements import Kind, Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ORDERED = (Kind.REQUIRED, Kind.BEFORE, Kind.ANCESTOR)
"""These put their first variable before their second."""
_LEADING = (Kind.REQUIRED, Kind.ANCESTOR)
"""These make their first variable an ancestor of their second."""


def check_consistent(statements: Sequence[Statement]) -> None:
    """Refuse statements that contradict each other, naming them."""
    for said in statements:
        _check_alone(said)
    tiers = _check_tiers(statements)
    _check_arcs(statements, tiers)
    _check_limits(statements)
    _check_order(statements)
    _check_ancestors(statements)


def precedence(statements: Iterable[Statement]) -> set[tuple[str, str]]:
    """All pairs of which the first comes before the second, directly or by way of others."""
    return set(_chains(statements, _ORDERED))


def _contradiction(*said: Statement) -> ForebearError:
    return ForebearError(f"this is contradictory: {'; '.join(map(str, said))}")


def _check_alone(said: Statement) -> None:
    if said.kind is Kind.MAX_PARENTS and int(said.second) < 0:
        raise ForebearError(f"a number of parents must not be negative: {said}")
    if said.first == said.second:
        raise ForebearError(f"a variable stands in no relation to itself: {said}")


def _check_tiers(statements: Iterable[Statement]) -> dict[str, Statement]:
    """Refuse a variable in two tiers; return what was said of each."""
    tiers: dict[str, Statement] = {}
    for said in statements:
        if said.kind is Kind.TIER:
            other = tiers.setdefault(said.first, said)
            if other.second != said.second:
                raise _contradiction(other, said)
    return tiers


def _check_arcs(statements: Sequence[Statement], tiers: dict[str, Statement]) -> None:
    """Refuse required arcs, or pairs to be joined, that are ruled out."""
    barred: dict[tuple[str, str], tuple[Statement, ...]] = {}
    for said in statements:
        if said.kind in (Kind.FORBIDDEN, Kind.NOT_ANCESTOR):
            barred[said.first, str(said.second)] = (said,)
        elif said.kind in _ORDERED:
            barred[str(said.second), said.first] = (said,)
    for said in statements:
        if said.kind not in (Kind.REQUIRED, Kind.ADJACENT):
            continue
        a, b = said.first, str(said.second)
        reasons = [barred.get(arc) or _against_tiers(*arc, tiers) for arc in ((a, b), (b, a))]
        if said.kind is Kind.REQUIRED and reasons[0]:
            raise _contradiction(said, *reasons[0])
        if said.kind is Kind.ADJACENT and all(reasons):
            raise _contradiction(said, *dict.fromkeys([*reasons[0], *reasons[1]]))


def _against_tiers(parent: str, child: str, tiers: dict[str, Statement]) -> tuple[Statement, ...]:
    both = tiers.get(parent), tiers.get(child)
    if both[0] and both[1] and int(both[0].second) > int(both[1].second):
        return both[0], both[1]
    return ()


def _check_limits(statements: Sequence[Statement]) -> None:
    """Refuse more required parents than a variable may have."""
    required = {(s.first, s.second) for s in statements if s.kind is Kind.REQUIRED}
    counts = Counter(child for _, child in required)
    for said in statements:
        if said.kind is Kind.MAX_PARENTS and counts[said.first] > int(said.second):
            arcs = [s for s in statements if s.kind is Kind.REQUIRED and s.second == said.first]
            raise _contradiction(said, *arcs)


def _check_order(statements: Sequence[Statement]) -> None:
    """Refuse orders that go in a circle."""
    for (first, second), chain in _chains(statements, _ORDERED).items():
        if first == second:
            raise _contradiction(*chain)


def _check_ancestors(statements: Sequence[Statement]) -> None:
    """Refuse that a variable is no ancestor of another that arcs or ancestors lead to."""
    chains = _chains(statements, _LEADING)
    for said in statements:
        if said.kind is Kind.NOT_ANCESTOR:
            chain = chains.get((said.first, str(said.second)))
            if chain:
                raise _contradiction(said, *chain)


def _chains(
    statements: Iterable[Statement], kinds: tuple[Kind, ...]
) -> dict[tuple[str, str], tuple[Statement, ...]]:
    """Find, for each pair that statements of these kinds lead from and to, a shortest chain."""
    following: dict[str, list[Statement]] = {}
    for said in statements:
        if said.kind in kinds:
            following.setdefault(said.first, []).append(said)
    chains: dict[tuple[str, str], tuple[Statement, ...]] = {}
    for start in following:
        waiting: list[tuple[str, tuple[Statement, ...]]] = [(start, ())]
        for variable, chain in waiting:  # grows while it is gone through: breadth first
            for said in following.get(variable, ()):
                end = str(said.second)
                if (start, end) not in chains:
                    chains[start, end] = (*chain, said)
                    waiting.append((end, (*chain, said)))
    return chains
