"""NodeQueue: the open nodes of branch and cut, and which of them is explored next."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class Node:
    """A subproblem: every network that agrees with its decisions costs ``cost`` or more.

    ``allowed`` are the sets that a network better than the incumbents can still have, as packed
    bits. ``record`` is the number of the node in a certificate.
    """

    cost: int
    number: int
    allowed: NDArray[np.uint8]
    record: int = 0

    def __lt__(self, other: Node) -> bool:
        """Order nodes by cost, lowest first, then by age."""
        return (self.cost, self.number) < (other.cost, other.number)


class NodeQueue:
    """The open nodes. The node with the lowest cost is explored next; of several, the oldest.

    Every network that is not yet excluded costs at least as much as this node.
    """

    def __init__(self) -> None:
        self._heap: list[Node] = []
        self._created = 0

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, cost: int, allowed: NDArray[np.bool_], record: int) -> None:
        """Add a new node."""
        heapq.heappush(self._heap, Node(cost, self._created, np.packbits(allowed), record))
        self._created += 1

    def put_back(self, node: Node) -> None:
        """Add a node that was taken before."""
        heapq.heappush(self._heap, node)

    def take_next(self) -> Node:
        """Remove and return the node to explore next."""
        return heapq.heappop(self._heap)

    def lowest_cost(self, otherwise: int) -> int:
        """Return the lowest cost of the open nodes, or another value if there is none."""
        return self._heap[0].cost if self._heap else otherwise
