"""Tree: what branch and cut records of its proof, for a certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.exact.cuts import Cut
    from forebear.exact.nodes import Decision

Step = tuple["NDArray[np.int64]", "NDArray[np.int64]"]
"""The numbers of some cuts, and their prices."""


@dataclass
class Record:
    """A node: the decision that made it, the prices that dropped sets or closed it, its branches.

    ``variables`` are the numbers, in the problem, of the variables that the decision names.
    ``parts`` are the groups of variables that it was split into, the root of each, and what its
    variables cost at least.
    """

    decision: Decision | None = None
    variables: tuple[int, ...] = ()
    steps: list[Step] = field(default_factory=list)
    branches: list[int] = field(default_factory=list)
    parts: list[tuple[tuple[int, ...], int, int]] = field(default_factory=list)


@dataclass
class Tree:
    """The nodes of a proof, and the cuts that they use."""

    records: list[Record] = field(default_factory=lambda: [Record()])
    cuts: list[tuple[tuple[int, ...], Cut]] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    def step(
        self,
        record: int,
        cuts: Sequence[Cut],
        prices: NDArray[np.int64],
        variables: tuple[int, ...],
    ) -> None:
        """Record the prices of some cuts over these variables at a node."""
        used = np.flatnonzero(prices)
        numbers = [self._number(cuts[i], variables) for i in used.tolist()]
        self.records[record].steps.append((np.array(numbers, dtype=np.int64), prices[used]))

    def branch(self, record: int, decision: Decision, variables: tuple[int, ...]) -> int:
        """Add a branch to a node and return its number."""
        self.records.append(Record(decision, variables))
        self.records[record].branches.append(len(self.records) - 1)
        return len(self.records) - 1

    def split(self, record: int, groups: Sequence[Sequence[int]]) -> list[int]:
        """Split a node into groups of variables; return the number of each part."""
        if not groups:  # the cheapest sets that are left have no cycle: their sum is the proof
            self.step(record, (), np.empty(0, dtype=np.int64), ())
        numbers = []
        for group in groups:
            self.records.append(Record())
            numbers.append(len(self.records) - 1)
            self.records[record].parts.append((tuple(group), numbers[-1], 0))
        return numbers

    def aim(self, record: int, costs: Sequence[int]) -> None:
        """Note what the variables of each part cost at least; nothing if it was not split."""
        parts = self.records[record].parts
        for i, cost in enumerate(costs[: len(parts)]):
            parts[i] = (*parts[i][:2], cost)

    def _number(self, cut: Cut, variables: tuple[int, ...]) -> int:
        # The cuts stay alive in the list, so their identities do not recur.
        if id(cut) not in self._numbers:
            self._numbers[id(cut)] = len(self.cuts)
            self.cuts.append((variables, cut))
        return self._numbers[id(cut)]
