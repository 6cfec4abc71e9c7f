"""Crossovers: a new order of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear import _core
    from forebear.search.space import Individual, SearchSpace

CROSSOVERS = ("network", "ob", "cx", "rk")


def cross(
    kind: str, space: SearchSpace, x: Individual, y: Individual, random: _core.Random
) -> NDArray[np.int32]:
    """Make a new order of two."""
    if kind == "network":
        return space.sets.cross(x, y, random)
    if kind == "ob":
        return order_based(x.order, y.order, random)
    if kind == "cx":
        return cycle(x.order, y.order, random)
    return rank(x.order, y.order, random)


def order_based(
    x: NDArray[np.int32], y: NDArray[np.int32], random: _core.Random
) -> NDArray[np.int32]:
    """OB: each position keeps x's variable with probability 1/2, the rest come in y's order."""
    kept = np.array([random.below(2) == 1 for _ in range(len(x))])
    child = np.where(kept, x, -1).astype(np.int32)
    child[~kept] = y[~np.isin(y, x[kept])]
    return child


def cycle(x: NDArray[np.int32], y: NDArray[np.int32], random: _core.Random) -> NDArray[np.int32]:
    """CX: each cycle of positions is taken whole from x or from y."""
    place = np.argsort(x)
    child = np.full(len(x), -1, dtype=np.int32)
    for start in range(len(x)):
        if child[start] >= 0:
            continue
        source = x if random.below(2) else y
        at = start
        while child[at] < 0:
            child[at] = source[at]
            at = int(place[y[at]])
    return child


def rank(x: NDArray[np.int32], y: NDArray[np.int32], random: _core.Random) -> NDArray[np.int32]:
    """RK: variables by their mean position, ties at random."""
    mean = np.argsort(x) + np.argsort(y)
    noise = np.array([random.uniform() for _ in range(len(x))])
    return np.argsort(mean + noise / 2).astype(np.int32)
