"""Whether a network agrees with a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.knowledge.statements import Kind, Statement

if TYPE_CHECKING:
    from forebear.network import Network


def respects(network: Network, said: Statement) -> bool:
    """Tell if a network agrees with a statement; of one tier alone, any does."""
    if said.kind is Kind.TIER:
        return True
    first = network.index(said.first)
    if said.kind is Kind.MAX_PARENTS:
        return len(network.parents[first]) <= int(said.second)
    second = network.index(str(said.second))
    present = first in network.parents[second]
    if said.kind is Kind.REQUIRED:
        return present
    if said.kind is Kind.FORBIDDEN:
        return not present
    if said.kind is Kind.ADJACENT:
        return present or second in network.parents[first]
    if said.kind is Kind.BEFORE:
        return second not in network.ancestors(first)
    return (first in network.ancestors(second)) == (said.kind is Kind.ANCESTOR)
