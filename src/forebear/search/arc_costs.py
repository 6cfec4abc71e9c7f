"""ArcCosts: what it costs a network to have an arc, or not to have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets


class ArcCosts:
    """What it costs a network to have an arc, or not to have it.

    Parameters
    ----------
    parent_sets
        The sets that there are.
    parents
        The network.
    gains
        What a child gains by another parent, [child, parent]. Default: only the sets tell.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        parents: Sequence[Sequence[int]],
        gains: NDArray[np.float64] | None = None,
    ) -> None:
        n, self._sets = parent_sets.n_variables, parent_sets
        child = np.repeat(np.arange(n), parent_sets.counts)
        best = np.full((n + 1, n), -np.inf)
        for members in parent_sets.parents:
            np.maximum.at(best, (np.minimum(members, n), child), parent_sets.scores)
        now = np.array([_score(parent_sets, v, own) for v, own in enumerate(parents)])
        if not np.isfinite(now).all():
            raise AssertionError("the network has a parent set that is not in the collection")
        price = now - best[:n]
        if gains is not None:
            price = np.minimum(price, -gains.T)
        self.of_arcs: NDArray[np.float64] = np.maximum(0.0, price)
        for v, own in enumerate(parents):
            self.of_arcs[list(own), v] = 0.0
        np.fill_diagonal(self.of_arcs, np.inf)

    def without(self, parent: int, child: int) -> float:
        """Return what the child loses if it cannot have the parent."""
        own, has = self._sets.with_parent(child, parent)
        scores = self._sets.scores[own]
        return float(scores[0] - scores[~has].max())


def _score(parent_sets: ParentSets, v: int, parents: Sequence[int]) -> float:
    found = parent_sets.find(v, tuple(parents))
    return -np.inf if found is None else found.score


def random_factors(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Return a random factor for the cost of every arc; its logarithm is standard normal."""
    return np.asarray(np.exp(rng.standard_normal((n, n))))


def with_noise(costs: ArcCosts, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return random costs. Chance also decides between arcs that cost less than a nat."""
    return np.asarray((costs.of_arcs + 1.0) * factors)
