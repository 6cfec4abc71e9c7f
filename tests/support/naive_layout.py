"""Brute-force versions of the steps of a layout."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import strategies as st

Arcs = list[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn, acyclic: bool = False) -> tuple[int, Arcs]:
    """Draw a small graph: the number of its nodes, and its arcs."""
    n = draw(st.integers(1, 12))
    pairs = [(u, v) for u in range(n) for v in range(n) if (u < v if acyclic else u != v)]
    arcs = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=30)) if pairs else []
    relabel = draw(st.permutations(range(n)))
    return n, [(relabel[u], relabel[v]) for u, v in arcs]


def shortest_layering(n: int, arcs: Sequence[tuple[int, int]]) -> int:
    """Return the least sum of arc lengths over all layerings of a small DAG."""
    feasible = (
        layer for layer in product(range(n), repeat=n) if all(layer[u] < layer[v] for u, v in arcs)
    )
    return min(sum(layer[v] - layer[u] for u, v in arcs) for layer in feasible)


def isotonic(wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the weighted isotonic regression by its max-min formula."""

    def mean(start: int, end: int) -> float:
        total = sum(weights[start:end])
        return (
            sum(w * x for w, x in zip(weights[start:end], wanted[start:end], strict=True)) / total
        )

    n = len(wanted)
    return [
        max(min(mean(start, end) for end in range(k + 1, n + 1)) for start in range(k + 1))
        for k in range(n)
    ]
