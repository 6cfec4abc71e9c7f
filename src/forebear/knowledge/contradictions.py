"""Contradictions: statements that no network can satisfy together, and arcs that follow from them.

If one arc of an adjacent pair is ruled out, the other is required. That arc orders its variables
and counts as one of its child's parents, which may rule out further arcs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear.knowledge.statements import Kind, Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Arc = tuple[str, str]
    Reasons = tuple[Statement, ...]

_ORDERED = (Kind.REQUIRED, Kind.BEFORE, Kind.ANCESTOR)
"""Kinds that put their first variable before their second."""
_LEADING = (Kind.REQUIRED, Kind.ANCESTOR)
"""Kinds that make their first variable an ancestor of their second."""


def check_consistent(statements: Sequence[Statement]) -> None:
    """Raise an error that lists the statements if some contradict each other."""
    for statement in statements:
        if statement.kind.about_pair and statement.first == statement.second:
            raise ForebearError(f"a statement requires two different variables: {statement}")
    arcs = required_arcs(statements)
    leading = _Chains(statements, _LEADING, arcs)
    for said in statements:
        if said.kind is Kind.NOT_ANCESTOR and said.pair in leading:
            raise _contradiction(said, *leading.between(*said.pair))


def precedence(statements: Sequence[Statement], arcs: Mapping[Arc, Reasons]) -> set[Arc]:
    """Return all pairs whose first variable comes before the second, directly or via others."""
    return set(_Chains(statements, _ORDERED, arcs))


def required_arcs(statements: Sequence[Statement]) -> dict[Arc, Reasons]:
    """Return the arcs that every network must have, with the statements that each follows from.

    Raises
    ------
    ForebearError
        If an arc is required and ruled out, or if the orders or required arcs form a cycle.
    """
    rules = _Rules(statements)
    arcs: dict[Arc, Reasons] = {
        said.pair: (said,) for said in statements if said.kind is Kind.REQUIRED
    }
    adjacent = [said for said in statements if said.kind is Kind.ADJACENT]
    while True:
        chains = _Chains(statements, _ORDERED, arcs)
        rules.check(arcs, chains)
        following: dict[Arc, Reasons] = {}
        for said in adjacent:
            a, b = said.pair
            if (a, b) in arcs or (b, a) in arcs:
                continue
            forth, back = (rules.against(arc, arcs, chains) for arc in ((a, b), (b, a)))
            if forth and back:
                raise _contradiction(said, *forth, *back)
            if forth or back:
                following[(b, a) if forth else (a, b)] = (said, *forth, *back)
        if not following:
            return arcs
        arcs |= following


def _contradiction(*said: Statement) -> ForebearError:
    different = dict.fromkeys(map(str, said))
    return ForebearError(f"the knowledge is contradictory: {'; '.join(different)}")


class _Rules:
    """The statements that rule out single arcs."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._barred: dict[Arc, Reasons] = {}
        self._tiers: dict[str, Statement] = {}
        self._limits: dict[str, Statement] = {}
        self._ancestors = [said for said in statements if said.kind is Kind.ANCESTOR]
        for said in statements:
            first = str(said.first)
            if said.kind in (Kind.FORBIDDEN, Kind.NOT_ANCESTOR):
                self._barred[said.pair] = (said,)
            elif said.kind is Kind.TIER:
                other = self._tiers.setdefault(first, said)
                if other.second != said.second:
                    raise _contradiction(other, said)
            elif said.kind is Kind.MAX_PARENTS:
                limit = self._limits.setdefault(first, said)
                self._limits[first] = min(limit, said, key=lambda one: one.number)

    def against(self, arc: Arc, arcs: Mapping[Arc, Reasons], chains: _Chains) -> Reasons:
        """Return the statements that rule out an arc next to others; none if nothing does."""
        parent, child = arc
        if arc in self._barred:
            return self._barred[arc]
        tiers = self._tiers.get(parent), self._tiers.get(child)
        if tiers[0] and tiers[1] and tiers[0].number > tiers[1].number:
            return tiers[0], tiers[1]
        if (child, parent) in chains:
            return chains.between(child, parent)
        limit = self._limits.get(child)
        if limit is None:
            return ()
        own = [reasons for (_, v), reasons in arcs.items() if v == child]
        full = len(own) + (arc not in arcs) > limit.number
        return (limit, *(said for reasons in own for said in reasons)) if full else ()

    def check(self, arcs: Mapping[Arc, Reasons], chains: _Chains) -> None:
        """Raise an error if an arc is ruled out, or if a variable comes before itself."""
        for arc, reasons in arcs.items():
            if against := self.against(arc, arcs, chains):
                limited = against[0].kind is Kind.MAX_PARENTS
                raise _contradiction(*(against + reasons if limited else reasons + against))
        for first, second in chains:
            if first == second:
                raise _contradiction(*chains.between(first, second))
        for said in self._ancestors:
            limit = self._limits.get(str(said.second))
            if limit and limit.number == 0:
                raise _contradiction(said, limit)


class _Chains:
    """The shortest chains of statements and arcs that lead from one variable to another."""

    def __init__(
        self,
        statements: Iterable[Statement],
        kinds: tuple[Kind, ...],
        arcs: Mapping[Arc, Reasons],
    ) -> None:
        links: dict[Arc, Reasons] = {
            said.pair: (said,) for said in statements if said.kind in kinds
        }
        links = {**arcs, **links}
        following: dict[str, list[str]] = {}
        for first, second in links:
            following.setdefault(first, []).append(second)
        self._links = links
        self._previous: dict[Arc, str] = {}  # the last variable but one of each chain
        for start in following:
            waiting = [start]
            for variable in waiting:  # grows during the loop: breadth-first search
                for end in following.get(variable, ()):
                    if (start, end) not in self._previous:
                        self._previous[start, end] = variable
                        waiting.append(end)

    def __iter__(self) -> Iterator[Arc]:
        """Yield the first and the last variable of each chain."""
        return iter(self._previous)

    def __contains__(self, pair: Arc) -> bool:
        """Return whether a chain leads from the first of two variables to the second."""
        return pair in self._previous

    def between(self, first: str, second: str) -> Reasons:
        """Return the statements of the chain from one variable to another."""
        chain: list[Reasons] = []
        end = second
        while True:
            before = self._previous[first, end]
            chain.append(self._links[before, end])
            if before == first:
                return tuple(said for reasons in reversed(chain) for said in reasons)
            end = before
