"""Contradictions: statements that no network can satisfy together, and arcs that follow from them.

If one direction of an adjacent pair is ruled out, the other is required. That arc orders its
variables and counts as one of its child's parents, which may rule out further arcs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from forebear._util.errors import ForebearError
from forebear.knowledge.statements import Kind, Statement

Arc = tuple[str, str]
Reasons = tuple[Statement, ...]

_ORDERED = (Kind.REQUIRED, Kind.BEFORE, Kind.ANCESTOR)
"""Kinds that put their first variable before their second."""
_PATHS = (Kind.REQUIRED, Kind.ANCESTOR)
"""Kinds that make their first variable an ancestor of their second."""


def check_consistent(statements: Sequence[Statement]) -> None:
    """Raise an error that lists the statements that contradict each other, if there are any."""
    for statement in statements:
        if statement.kind.about_pair and statement.first == statement.second:
            raise ForebearError(f"a statement requires two different variables: {statement}")
    arcs = required_arcs(statements)
    paths = _Chains(statements, _PATHS, arcs)
    for statement in statements:
        if statement.kind is Kind.NOT_ANCESTOR and statement.pair in paths:
            raise _contradiction(statement, *paths.between(*statement.pair))


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
        statement.pair: (statement,) for statement in statements if statement.kind is Kind.REQUIRED
    }
    adjacent = [statement for statement in statements if statement.kind is Kind.ADJACENT]
    while True:
        chains = _Chains(statements, _ORDERED, arcs)
        rules.check(arcs, chains)
        following: dict[Arc, Reasons] = {}
        for statement in adjacent:
            a, b = statement.pair
            if (a, b) in arcs or (b, a) in arcs:
                continue
            forth, back = (rules.against(arc, arcs, chains) for arc in ((a, b), (b, a)))
            if forth and back:
                raise _contradiction(statement, *forth, *back)
            if forth or back:
                following[(b, a) if forth else (a, b)] = (statement, *forth, *back)
        if not following:
            return arcs
        arcs |= following


def _contradiction(*statements: Statement) -> ForebearError:
    different = dict.fromkeys(map(str, statements))
    return ForebearError(f"the knowledge is contradictory: {'; '.join(different)}")


class _Rules:
    """The statements that rule out single arcs."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._barred: dict[Arc, Reasons] = {}
        self._tiers: dict[str, Statement] = {}
        self._limits: dict[str, Statement] = {}
        self._ancestors = [statement for statement in statements if statement.kind is Kind.ANCESTOR]
        for statement in statements:
            first = str(statement.first)
            if statement.kind in (Kind.FORBIDDEN, Kind.NOT_ANCESTOR):
                self._barred[statement.pair] = (statement,)
            elif statement.kind is Kind.TIER:
                other = self._tiers.setdefault(first, statement)
                if other.second != statement.second:
                    raise _contradiction(other, statement)
            elif statement.kind is Kind.MAX_PARENTS:
                limit = self._limits.setdefault(first, statement)
                self._limits[first] = min(limit, statement, key=lambda one: one.number)

    def against(self, arc: Arc, arcs: Mapping[Arc, Reasons], chains: _Chains) -> Reasons:
        """Return the statements that rule out an arc, given other arcs; none if it is possible."""
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
        return (limit, *(statement for reasons in own for statement in reasons)) if full else ()

    def check(self, arcs: Mapping[Arc, Reasons], chains: _Chains) -> None:
        """Raise an error if an arc is ruled out, or if a variable comes before itself."""
        for arc, reasons in arcs.items():
            if against := self.against(arc, arcs, chains):
                limited = against[0].kind is Kind.MAX_PARENTS
                raise _contradiction(*(against + reasons if limited else reasons + against))
        for first, second in chains:
            if first == second:
                raise _contradiction(*chains.between(first, second))
        for statement in self._ancestors:
            limit = self._limits.get(str(statement.second))
            if limit and limit.number == 0:
                raise _contradiction(statement, limit)


class _Chains:
    """The shortest chains of statements and arcs that lead from one variable to another."""

    def __init__(
        self,
        statements: Iterable[Statement],
        kinds: tuple[Kind, ...],
        arcs: Mapping[Arc, Reasons],
    ) -> None:
        links: dict[Arc, Reasons] = {
            statement.pair: (statement,) for statement in statements if statement.kind in kinds
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
                return tuple(one for reasons in reversed(chain) for one in reasons)
            end = before
