"""A quick greedy network of coded columns: it says which columns a column depends on.

It is a search by BIC in which arcs are only added. It serves to choose cuts, and
is thrown away afterwards: ``learn`` has better searches.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Codes = Sequence[NDArray[np.int64]]

MOST_PARENTS = 3
# Parents that are considered for a column: those that tell most about it on their own.
_CANDIDATES = 8
# Rows by which candidates are chosen: enough to tell the strong ones, and pairs are many.
_ROWS = 2000
# Cells of the counts of a block of pairs.
_CELLS = 1 << 22


def candidate_parents(codes: Codes, arities: Sequence[int]) -> list[list[int]]:
    """Return the columns that tell most about each column on their own, the best first."""
    step = max(1, len(codes[0]) // _ROWS)
    table = np.stack([own[::step] for own in codes])
    n, rows = table.shape
    sizes = np.array(arities)
    gains = np.full((n, n), -np.inf)
    for v in range(1, n):
        gains[v, :v] = gains[:v, v] = _pair_gains(table, sizes, v, rows)
    order = np.argsort(-gains, axis=1, kind="stable")[:, :_CANDIDATES]
    return [[int(u) for u in order[v] if gains[v, u] > 0] for v in range(n)]


def _pair_gains(
    table: NDArray[np.int64], sizes: NDArray[np.int64], v: int, rows: int
) -> NDArray[np.float64]:
    """Return how much BIC gains by an arc between ``v`` and each earlier column."""
    width = int(sizes[: v + 1].max())
    gains = np.empty(v)
    at_once = max(1, _CELLS // max(rows, width * width))
    for start in range(0, v, at_once):
        others = table[start : min(v, start + at_once)]
        cells = np.arange(len(others))[:, None] * width * width + others * width + table[v]
        flat = np.bincount(cells.ravel(), minlength=len(others) * width * width)
        counts = flat.reshape(len(others), width, width).astype(np.float64)
        both = _plogp(counts).sum(axis=(1, 2))
        alone = _plogp(counts.sum(axis=2)).sum(axis=1) + _plogp(counts.sum(axis=1)).sum(axis=1)
        told = both - alone + rows * np.log(rows)
        free = (sizes[start : start + len(others)] - 1) * (sizes[v] - 1)
        gains[start : start + len(others)] = told - 0.5 * np.log(rows) * free
    return gains


def _plogp(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return counts * np.log(np.maximum(counts, 1))


def joint_cells(codes: Codes, arities: Sequence[int], columns: Sequence[int]) -> NDArray[np.int64]:
    """Number the combinations of the states of some columns that occur, without gaps."""
    cells = np.zeros(len(codes[0]), dtype=np.int64)
    for column in columns:
        cells = cells * arities[column] + codes[column]
        if len(columns) > 1:
            cells = np.unique(cells, return_inverse=True)[1]
    return cells


def family_score(
    codes: Codes, arities: Sequence[int], v: int, parents: Sequence[int], cost: float = 0.5
) -> float:
    """Return the likelihood of a family less the cost of its parameters; BIC by default."""
    n_rows = len(codes[0])
    given = joint_cells(codes, arities, parents)
    both = np.bincount(given * arities[v] + codes[v]).astype(np.float64)
    told = _plogp(both).sum() - _plogp(np.bincount(given).astype(np.float64)).sum()
    free = (arities[v] - 1) * float(np.prod([float(arities[p]) for p in parents]))
    return float(told - cost * np.log(n_rows) * free)


def greedy_network(
    codes: Codes, arities: Sequence[int], candidates: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Add the best arc until none is left that makes the score better; return the parents."""
    n = len(codes)
    parents: list[list[int]] = [[] for _ in range(n)]
    scores = [family_score(codes, arities, v, ()) for v in range(n)]

    def offers(v: int) -> list[tuple[float, int, int, int]]:
        if len(parents[v]) >= MOST_PARENTS:
            return []
        new = [u for u in candidates[v] if u not in parents[v]]
        gains = [family_score(codes, arities, v, [*parents[v], u]) - scores[v] for u in new]
        return [(-g, v, u, len(parents[v])) for g, u in zip(gains, new, strict=True) if g > 0]

    heap = [offer for v in range(n) for offer in offers(v)]
    heapify(heap)
    while heap:
        gain, v, u, size = heappop(heap)
        if size != len(parents[v]) or _reaches(parents, u, v):
            continue
        parents[v].append(u)
        scores[v] -= gain
        for offer in offers(v):
            heappush(heap, offer)
    return parents


def _reaches(parents: Sequence[Sequence[int]], start: int, wanted: int) -> bool:
    """Tell whether a column is the other one or has it among its ancestors."""
    seen, left = {start}, [start]
    while left:
        at = left.pop()
        if at == wanted:
            return True
        for parent in parents[at]:
            if parent not in seen:
                seen.add(parent)
                left.append(parent)
    return False
