"""Incumbents: the best networks found so far."""

from __future__ import annotations

import math
from bisect import insort
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.network.network import Network
from forebear.scoring.scores import SCORES
from forebear.search.alternatives import parents_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets


def is_score_equivalent(provenance: Mapping[str, Any]) -> bool:
    """Return whether all networks of an equivalence class are known to have the same score.

    It is not known of files that do not name their score. Scores of available rows count other
    rows for each family, and the sparse prior depends on the sizes of the single parent sets.
    """
    score = SCORES.get(str(provenance.get("score")))
    complete = "missing" not in provenance
    same_prior = provenance.get("prior", "uniform") == "uniform"
    return score is not None and score.equivalent and complete and same_prior


class Incumbents:
    """The k best networks found so far, best first; all their parent sets are allowed.

    All of them respect the relations. With ``classes``, no two of them are equivalent.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        k: int = 1,
        on_best: Callable[[float], None] | None = None,
        relations: Relations | None = None,
        *,
        classes: bool = False,
    ) -> None:
        self.k = k
        self.relations = relations
        self.classes = classes
        # A network rules its class out only if the others of the class score the same. Otherwise
        # the networks are listed one by one, and the incumbents are the best of their classes.
        self.class_cuts = classes and is_score_equivalent(parent_sets.provenance)
        self._parent_sets = parent_sets
        self._on_best = on_best
        self._found: list[tuple[float, tuple[int, ...]]] = []

    @property
    def best(self) -> float:
        """The highest score."""
        return -self._found[0][0] if self._found else -math.inf

    @property
    def worst(self) -> float:
        """The score that a network must exceed to become one of the k best."""
        return -self._found[-1][0] if len(self._found) == self.k else -math.inf

    @property
    def worst_ranks(self) -> NDArray[np.int64] | None:
        """The worst of the k networks; None if fewer are known."""
        return np.array(self._found[-1][1]) if len(self._found) == self.k else None

    def all_ranks(self) -> Iterator[NDArray[np.int64]]:
        """Yield the networks, best first, each as the rank (from 0) of every variable's set."""
        return (np.array(ranks) for _, ranks in self._found)

    def add(self, ranks: Sequence[int] | NDArray[np.integer]) -> None:
        """Add a network if it is new and one of the k best."""
        columns = self._parent_sets.offsets[:-1] + np.asarray(ranks)
        score = math.fsum(self._parent_sets.scores[columns])
        entry = (-score, tuple(int(rank) for rank in ranks))
        if score == -math.inf or score <= self.worst or entry in self._found:
            return
        network = self._network(entry[1])  # raises an error for a cycle: then the search is wrong
        if self.relations and not self.relations.holds(network.parents):
            return
        if self.classes:
            equivalent = [one for one in self._found if network.equivalent(self._network(one[1]))]
            if equivalent and equivalent[0][0] <= entry[0]:
                return
            self._found = [one for one in self._found if one not in equivalent]
        best = self.best
        insort(self._found, entry)
        del self._found[self.k :]
        if self._on_best and score > best:
            self._on_best(score)

    def _network(self, ranks: Sequence[int]) -> Network:
        sets = self._parent_sets
        return Network(sets.names, parents_of(sets, np.array(ranks)))

    def add_order(self, order: Sequence[int] | NDArray[np.int64]) -> None:
        """Add the best network of an order, and those that differ from it in one set."""
        sets = self._parent_sets
        usable = np.zeros(sets.n_variables + 1, dtype=bool)
        usable[-1] = True  # unused places are clipped to this one
        fitting: dict[int, list[int]] = {}
        for v in (int(v) for v in order):
            places = np.minimum(sets.parents[:, sets.span(v)], sets.n_variables)
            fitting[v] = np.flatnonzero(usable[places].all(axis=0))[: self.k].tolist()
            usable[v] = True
        best = [fitting[v][0] for v in range(sets.n_variables)]
        self.add(best)
        for v in range(sets.n_variables):
            for rank in fitting[v][1:]:
                self.add([*best[:v], rank, *best[v + 1 :]])
