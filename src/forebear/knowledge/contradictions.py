"""Contradictions: statements that no network can satisfy together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear.knowledge.statements import Kind, Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ORDERED = (Kind.REQUIRED, Kind.BEFORE, Kind.ANCESTOR)
"""Kinds that put their first variable before their second."""
_LEADING = (Kind.REQUIRED, Kind.ANCESTOR)
"""Kinds that make their first variable an ancestor of their second."""


def check_consistent(statements: Sequence[Statement]) -> None:
    """Raise an error that lists the statements if some contradict each other."""
    for said in statements:
        if said.kind.about_pair and said.first == said.second:
            raise ForebearError(f"a statement needs two different variables: {said}")
    tiers = _check_tiers(statements)
    _check_arcs(statements, tiers)
    _check_limits(statements)
    _check_order(statements)
    _check_ancestors(statements)


def precedence(statements: Iterable[Statement]) -> set[tuple[str, str]]:
    """Return all pairs whose first variable comes before the second, directly or via others."""
    return set(_chains(statements, _ORDERED))


def _contradiction(*said: Statement) -> ForebearError:
    return ForebearError(f"the knowledge is contradictory: {'; '.join(map(str, said))}")


def _check_tiers(statements: Iterable[Statement]) -> dict[str, Statement]:
    """Check that no variable is in two tiers; return the tier statement of each variable."""
    tiers: dict[str, Statement] = {}
    for said in statements:
        if said.kind is Kind.TIER:
            other = tiers.setdefault(str(said.first), said)
            if other.second != said.second:
                raise _contradiction(other, said)
    return tiers


def _check_arcs(statements: Sequence[Statement], tiers: dict[str, Statement]) -> None:
    """Check that no required arc or adjacency is ruled out by other statements."""
    barred: dict[tuple[str, str], tuple[Statement, ...]] = {}
    for said in statements:
        a, b = said.pair
        if said.kind in (Kind.FORBIDDEN, Kind.NOT_ANCESTOR):
            barred[a, b] = (said,)
        elif said.kind in _ORDERED:
            barred[b, a] = (said,)
    for said in statements:
        if said.kind not in (Kind.REQUIRED, Kind.ADJACENT):
            continue
        a, b = said.pair
        reasons = [barred.get(arc) or _against_tiers(*arc, tiers) for arc in ((a, b), (b, a))]
        if said.kind is Kind.REQUIRED and reasons[0]:
            raise _contradiction(said, *reasons[0])
        if said.kind is Kind.ADJACENT and all(reasons):
            raise _contradiction(said, *dict.fromkeys([*reasons[0], *reasons[1]]))


def _against_tiers(parent: str, child: str, tiers: dict[str, Statement]) -> tuple[Statement, ...]:
    """Return the tier statements that rule out an arc, if they do."""
    both = tiers.get(parent), tiers.get(child)
    if both[0] and both[1] and both[0].number > both[1].number:
        return both[0], both[1]
    return ()


def _check_limits(statements: Sequence[Statement]) -> None:
    """Check that no variable has more required parents than it may have."""
    required = {said.pair for said in statements if said.kind is Kind.REQUIRED}
    counts = Counter(child for _, child in required)
    for said in statements:
        if said.kind is Kind.MAX_PARENTS and counts[str(said.first)] > said.number:
            arcs = [s for s in statements if s.kind is Kind.REQUIRED and s.second == said.first]
            raise _contradiction(said, *arcs)


def _check_order(statements: Sequence[Statement]) -> None:
    """Check that no variable comes before itself."""
    for (first, second), chain in _chains(statements, _ORDERED).items():
        if first == second:
            raise _contradiction(*chain)


def _check_ancestors(statements: Sequence[Statement]) -> None:
    """Check that no forbidden ancestor follows from required arcs and ancestors."""
    chains = _chains(statements, _LEADING)
    for said in statements:
        if said.kind is Kind.NOT_ANCESTOR:
            chain = chains.get(said.pair)
            if chain:
                raise _contradiction(said, *chain)


def _chains(
    statements: Iterable[Statement], kinds: tuple[Kind, ...]
) -> dict[tuple[str, str], tuple[Statement, ...]]:
    """Find a shortest chain of statements of these kinds between any two variables."""
    following: dict[str, list[Statement]] = {}
    for said in statements:
        if said.kind in kinds:
            following.setdefault(str(said.first), []).append(said)
    chains: dict[tuple[str, str], tuple[Statement, ...]] = {}
    for start in following:
        waiting: list[tuple[str, tuple[Statement, ...]]] = [(start, ())]
        for variable, chain in waiting:  # grows during the loop: breadth-first search
            for said in following.get(variable, ()):
                end = str(said.second)
                if (start, end) not in chains:
                    chains[start, end] = (*chain, said)
                    waiting.append((end, (*chain, said)))
    return chains
