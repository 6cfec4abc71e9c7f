"""Which statements a network violates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.knowledge.statements import Kind
from forebear.network.graphs import reachable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.knowledge.statements import Statement
    from forebear.network.network import Network


def violated(network: Network, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements that a network violates; statements about tiers are left out."""
    orders = [said for said in statements if said.kind is Kind.BEFORE]
    later: list[set[int]] = [set(children) for children in network.children]
    for said in orders:
        later[network.index(said.first)].add(network.index(said.second))
    # All order statements must hold in one order of the variables, so a path from the later
    # variable back to the earlier one may lead over arcs and over other order statements.
    broken = {
        said
        for said in orders
        if network.index(said.first) in reachable([network.index(said.second)], later)
    }
    return [
        said
        for said in statements
        if said in broken
        or (said.kind not in (Kind.TIER, Kind.BEFORE) and not _respects(network, said))
    ]


def _respects(network: Network, said: Statement) -> bool:
    """Return whether a network agrees with a statement that can be checked on its own."""
    first = network.index(said.first)
    if said.kind is Kind.MAX_PARENTS:
        return len(network.parents[first]) <= said.number
    second = network.index(said.second)
    present = first in network.parents[second]
    if said.kind is Kind.REQUIRED:
        return present
    if said.kind is Kind.FORBIDDEN:
        return not present
    if said.kind is Kind.ADJACENT:
        return present or second in network.parents[first]
    return (first in network.ancestors(second)) == (said.kind is Kind.ANCESTOR)
