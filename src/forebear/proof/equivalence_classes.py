"""Equivalence classes of networks as cuts, for the k best classes.

The members of a class have the same edges and the same compelled arcs. The parents of a variable
are then its compelled parents and some of its other neighbours, all of them adjacent to each other.
Conversely, a network in which all parent sets are like this has no further edges or colliders, so
it is a member if it has as many arcs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.network.graphs import compelled_parents, skeleton, topological_order
from forebear.scoring.scores import SCORES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from forebear.proof.flat_sets import FlatSets

Edges = tuple[tuple[int, int], ...]


def is_score_equivalent(provenance: Mapping[str, Any]) -> bool:
    """Return whether all networks of a class are known to have the same score.

    It is not known of files that do not name their score. Scores of available rows count other
    rows for each family, and the sparse prior depends on the sizes of the single parent sets.
    """
    score = SCORES.get(str(provenance.get("score")))
    complete = "missing" not in provenance
    same_prior = provenance.get("prior", "uniform") == "uniform"
    return score is not None and score.equivalent and complete and same_prior


@dataclass(frozen=True)
class EquivalenceClass:
    """A class by its compelled arcs (parent, child) and its other edges."""

    n_variables: int
    directed: Edges
    undirected: Edges

    @classmethod
    def of(cls, parents: Sequence[Sequence[int]]) -> EquivalenceClass:
        """Return the class of a network."""
        compelled = compelled_parents(parents, topological_order(parents))
        directed = {(p, v) for v, own in enumerate(compelled) for p in own}
        undirected = skeleton(parents) - {(min(arc), max(arc)) for arc in directed}
        return cls(len(parents), tuple(sorted(directed)), tuple(sorted(undirected)))


@dataclass(frozen=True)
class ClassCut:
    """A network is not a member of a class.

    The coefficient of a set that a member may have is its size plus one. Members reach the number
    of edges plus that of variables; all other networks stay below.
    """

    members: EquivalenceClass

    @property
    def limit(self) -> int:
        """One less than what members reach."""
        return self._edges + self.members.n_variables - 1

    @property
    def most(self) -> int:
        """What members reach. Cyclic choices may reach more, but other cuts rule them out."""
        return self.limit + 1

    @property
    def largest(self) -> int:
        """More than the size of any set of a member."""
        return 1 + max(map(len, self._neighbours), default=0)

    @property
    def _edges(self) -> int:
        return len(self.members.directed) + len(self.members.undirected)

    @property
    def _neighbours(self) -> list[set[int]]:
        near: list[set[int]] = [set() for _ in range(self.members.n_variables)]
        for a, b in (*self.members.directed, *self.members.undirected):
            near[a].add(b)
            near[b].add(a)
        return near

    def coefficients(self, sets: FlatSets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the size plus one for each set that a member may have."""
        near = self._neighbours
        compelled: list[set[int]] = [set() for _ in near]
        for a, b in self.members.directed:
            compelled[b].add(a)
        free: list[set[int]] = [set() for _ in near]
        for a, b in self.members.undirected:
            free[a].add(b)
            free[b].add(a)
        places, values = [], []
        for v in range(sets.n_variables):
            usable = np.zeros(sets.n_variables + 1, dtype=bool)
            usable[[*compelled[v], *free[v], sets.n_variables]] = True
            own = sets.span(v)
            fits = own.start + np.flatnonzero(usable[sets.parents[own]].all(axis=1))
            for place in fits.tolist():
                parents = {p for p in sets.parents[place].tolist() if p < sets.n_variables}
                others = parents - compelled[v]
                if len(parents) == len(compelled[v]) + len(others) and all(
                    b in near[a] for a, b in combinations(others, 2)
                ):
                    places.append(place)
                    values.append(len(parents) + 1)
        return np.array(places, dtype=np.int64), np.array(values, dtype=np.int64)
