"""Dynamic programming over sets of variables (Silander and Myllymäki, 2006).

The best network of a set of variables S has a sink: a variable that is a parent of none. It has
its best parents among the others, and the others form the best network of theirs:

    F(S) = max over v in S of  F(S - v) + best score of v with parents in S - v

F is filled block by block. A block fixes which of the last variables are in S, so the best scores
are tabulated for the first variables only. This keeps memory near 9 bytes per set S, and the
time limit is checked after every block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import LimitError, Parameter
from forebear._util.machine import memory_bytes
from forebear._util.text import show_bytes
from forebear.exact.masks import MaskedSets, best_within, masked_sets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.budget import Clock
    from forebear.parentsets.collection import ParentSets

BLOCK_BITS = 18
"""Number of variables that vary within a block: its tables then about fit into a CPU cache."""


class BestOrder(NamedTuple):
    """An order with the best network, and its score: minus infinity if no network is allowed."""

    order: tuple[int, ...]
    score: float


def bytes_needed(n: int) -> int:
    """Return the memory that the tables of this many variables need."""
    low = min(n, BLOCK_BITS)
    steps = 8 * low << max(0, low - 1)
    return (9 << n) + (8 * n << low) + steps + (40 << low)


def check_memory(n: int, limit: int | None = None) -> None:
    """Raise LimitError if the tables would not fit in memory."""
    limit = memory_bytes() if limit is None else limit
    if bytes_needed(n) > limit:
        raise LimitError(
            f"dynamic programming over {n} variables needs {show_bytes(bytes_needed(n))} of "
            f"memory, but {show_bytes(limit)} are available: use ",
            Parameter("method", "branch-and-cut"),
        )


def best_order(parent_sets: ParentSets, clock: Clock) -> BestOrder | None:
    """Find the best order, or return None if the time is up first.

    Ties go to the order whose last variable has the smallest index, then the last but one, and
    so on.
    """
    n = parent_sets.n_variables
    check_memory(n)
    tables = _Tables(masked_sets(parent_sets))
    for block in range(1 << (n - tables.low)):
        if clock.expired:
            return None
        tables.fill(block)
    order = []
    members = (1 << n) - 1
    while members:
        v = int(tables.last[members])
        order.append(v)
        members ^= 1 << v
    return BestOrder(tuple(reversed(order)), float(tables.best[-1]))


class _Tables:
    """F and the sink of every set of variables, filled in ascending blocks."""

    def __init__(self, sets: list[MaskedSets]) -> None:
        self.sets = sets
        n = len(sets)
        self.low = min(n, BLOCK_BITS)
        self.best = np.full(1 << n, -np.inf)
        self.best[0] = 0.0
        self.last = np.zeros(1 << n, dtype=np.int8)
        self._steps = _steps(self.low)

    def fill(self, block: int) -> None:
        """Fill in the sets of variables whose last members are those of ``block``."""
        scores = [best_within(self._within(own, block), self.low) for own in self.sets]
        start = block << self.low
        best = self.best[start : start + (1 << self.low)]
        last = self.last[start : start + (1 << self.low)]
        # If no network is allowed, any member serves as the sink.
        last[:] = _any_member(block, self.low)
        for v in reversed(range(self.low, len(self.sets))):
            if block >> (v - self.low) & 1:
                before = start ^ (1 << v)
                choice = self.best[before : before + (1 << self.low)] + scores[v]
                better = (choice >= best) & (choice > -np.inf)
                best[better] = choice[better]
                last[better] = v
        for v, members in self._steps:
            others = members ^ (1 << v)
            choice = best[others] + scores[v][others]
            better = (choice >= best[members]) & (choice > -np.inf)
            best[members[better]] = choice[better]
            last[members[better]] = v

    def _within(self, own: MaskedSets, block: int) -> MaskedSets:
        """Keep the parent sets whose last members are in the block, without these members."""
        fits = (own.masks >> self.low & ~np.int64(block)) == 0
        return MaskedSets(own.masks[fits] & ((1 << self.low) - 1), own.scores[fits])


def _steps(low: int) -> list[tuple[int, NDArray[np.int64]]]:
    """List each variable with the sets of one size that contain it, smaller sets first."""
    subsets = np.arange(1 << low, dtype=np.int64)
    sizes = np.zeros(1 << low, dtype=np.int8)
    for v in range(low):
        sizes.reshape(-1, 2, 1 << v)[:, 1] += 1
    steps = []
    for size in range(1, low + 1):
        layer = subsets[sizes == size]
        # Descending, so that the smallest of tied variables is written last.
        steps += [(v, layer[(layer >> v & 1) == 1]) for v in reversed(range(low))]
    return steps


def _any_member(block: int, low: int) -> NDArray[np.int8]:
    """Return one member of each set of a block (0 for the empty set)."""
    members = np.zeros(1 << low, dtype=np.int8)
    if block:
        members[:] = low + block.bit_length() - 1
    for v in reversed(range(low)):
        members.reshape(-1, 2, 1 << v)[:, 1] = v
    return members
