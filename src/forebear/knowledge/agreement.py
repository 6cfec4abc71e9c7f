"""Whether a network agrees with what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.knowledge.statements import Kind
from forebear.network.graphs import reachable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.knowledge.statements import Statement
    from forebear.network.network import Network


def violated(network: Network, statements: Sequence[Statement]) -> list[Statement]:
    """List the statements that a network does not agree with; tiers are not looked at."""
    orders = [said for said in statements if said.kind is Kind.BEFORE]
    later: list[set[int]] = [set(children) for children in network.children]
    for said in orders:
        later[network.index(said.first)].add(network.index(str(said.second)))
    # Orders hold together: what leads back to the earlier one may also be another order.
    broken = {
        said
        for said in orders
        if network.index(said.first) in reachable([network.index(str(said.second))], later)
    }
    return [
        said
        for said in statements
        if said in broken
        or (said.kind not in (Kind.TIER, Kind.BEFORE) and not _respects(network, said))
    ]


def _respects(network: Network, said: Statement) -> bool:
    """Tell if a network agrees with a statement that stands alone."""
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
    return (first in network.ancestors(second)) == (said.kind is Kind.ANCESTOR)
