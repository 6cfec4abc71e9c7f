"""Assignment of the nodes of a directed graph to layers, with arcs that lead down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.highs import new_linear_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Graph:
    """Nodes 0, 1, ... with their widths, and arcs that all lead down."""

    widths: Sequence[float]
    above: Sequence[Sequence[int]]
    below: Sequence[Sequence[int]]

    @classmethod
    def of_arcs(cls, widths: Sequence[float], arcs: Iterable[tuple[int, int]]) -> Graph:
        """Build a graph from (upper, lower) pairs."""
        above: list[list[int]] = [[] for _ in widths]
        below: list[list[int]] = [[] for _ in widths]
        for upper, lower in arcs:
            above[lower].append(upper)
            below[upper].append(lower)
        return cls(widths, above, below)

    def __len__(self) -> int:
        return len(self.widths)


def assign_layers(graph: Graph, widest: float) -> list[int]:
    """Assign every node to a layer below its upper neighbours, with layers up to ``widest`` wide.

    The sum of the lengths of all arcs is minimal, except that nodes for which a
    layer has no room go further down.
    """
    ideal = _shortest(graph)
    layer = [0] * len(graph)
    taken: list[float] = []
    for v in sorted(range(len(graph)), key=ideal.__getitem__):
        layer[v] = max(ideal[v], *(layer[u] + 1 for u in graph.above[v]), 0)
        taken.extend([0.0] * (layer[v] + 1 - len(taken)))
        # A node that is wider than ``widest`` gets a layer of its own.
        while taken[layer[v]] and taken[layer[v]] + graph.widths[v] > widest:
            layer[v] += 1
            taken.extend([0.0] * (layer[v] + 1 - len(taken)))
        taken[layer[v]] += graph.widths[v]
    return layer


def _shortest(graph: Graph) -> list[int]:
    """Find the layers with the least sum of the lengths of all arcs."""
    arcs = [(u, v) for u, lower in enumerate(graph.below) for v in lower]
    if not arcs:
        return [0] * len(graph)
    ends = np.array(arcs)
    nodes, count = len(graph), len(arcs)
    # A row of the program is the length of an arc, which is at least 1.
    lengths = np.bincount(ends[:, 1], minlength=nodes) - np.bincount(ends[:, 0], minlength=nodes)
    none = np.zeros(0, dtype=np.int32)
    program = new_linear_program()
    program.addCols(
        *(nodes, lengths.astype(float), np.zeros(nodes), np.full(nodes, float(nodes))),
        *(0, np.zeros(nodes, dtype=np.int32), none, np.zeros(0)),
    )
    program.addRows(
        *(count, np.ones(count), np.full(count, np.inf), 2 * count),
        *(np.arange(0, 2 * count, 2, dtype=np.int32), ends.ravel().astype(np.int32)),
        np.tile([-1.0, 1.0], count),
    )
    program.run()
    # The matrix is that of a network flow, so the optimum consists of whole numbers.
    found = np.array(program.getSolution().col_value)
    return [round(at) for at in found - found.min()]
