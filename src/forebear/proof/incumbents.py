"""Incumbents: the k best networks found so far."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear.knowledge.relations import Relations
from forebear.network.network import Network
from forebear.proof.integer_costs import IntegerCosts
from forebear.scoring.scores import SCORES
from forebear.search.alternatives import parents_of


def is_score_equivalent(provenance: Mapping[str, Any]) -> bool:
    """Return whether all networks of an equivalence class certainly have the same score.

    This is unknown for files that do not name their score. With ``missing="available"`` and with
    experiments, families are scored on different rows, and the sparse prior depends on the sizes of
    the parent sets.
    """
    score = SCORES.get(str(provenance.get("score")))
    complete = not provenance.keys() & {"missing", "row_sets"}
    same_prior = provenance.get("prior", "uniform") == "uniform"
    return score is not None and score.equivalent and complete and same_prior


class Incumbents:
    """The k best networks found so far, best first; all their parent sets are allowed.

    All of them respect the relations. With ``classes``, no two of them are equivalent.
    """

    def __init__(
        self,
        costs: IntegerCosts,
        k: int = 1,
        on_best: Callable[[float], None] | None = None,
        relations: Relations | None = None,
        *,
        classes: bool = False,
    ) -> None:
        self.k = k
        self.relations = relations
        self.classes = classes
        # A cut can exclude the whole class of a network only if all its members score the same.
        # Otherwise networks are excluded one by one, and the best of each class is kept.
        self.class_cuts = classes and is_score_equivalent(costs.parent_sets.provenance)
        self.costs = costs
        self._parent_sets = costs.parent_sets
        self._on_best = on_best
        self._networks: list[tuple[float, tuple[int, ...]]] = []

    @property
    def best(self) -> float:
        """The highest score."""
        return -self._networks[0][0] if self._networks else -math.inf

    @property
    def worst(self) -> float:
        """The score that a network must exceed to become one of the k best."""
        return -self._networks[-1][0] if len(self._networks) == self.k else -math.inf

    @property
    def worst_ranks(self) -> NDArray[np.int64] | None:
        """The ranks of the worst of the k networks; None with fewer than k."""
        return np.array(self._networks[-1][1]) if len(self._networks) == self.k else None

    def all_ranks(self) -> Iterator[NDArray[np.int64]]:
        """Yield the networks, best first, each as the rank (from 0) of every variable's set."""
        return (np.array(ranks) for _, ranks in self._networks)

    @property
    def places(self) -> NDArray[np.int64]:
        """The indices of the parent sets of all networks."""
        starts = self._parent_sets.offsets[:-1]
        return np.concatenate([starts[:0], *(starts + ranks for ranks in self.all_ranks())])

    def cost(self, variables: NDArray[np.int64] | None = None) -> int:
        """Return the cost of the sets of all or some variables in the worst of the k networks.

        With fewer than k networks, this is more than any network costs.
        """
        ranks = self.worst_ranks
        if ranks is None:
            return self.costs.above_all
        costs = self.costs.of_sets[self._parent_sets.offsets[:-1] + ranks]
        return int((costs if variables is None else costs[variables]).sum())

    def offer_part(self, places: NDArray[np.int64]) -> None:
        """Offer a network with these sets; other variables keep those of the worst network."""
        starts = self._parent_sets.offsets[:-1]
        variables = np.searchsorted(self._parent_sets.offsets, places, side="right") - 1
        ranks = self.worst_ranks
        ranks = np.zeros(len(starts), dtype=np.int64) if ranks is None else ranks
        ranks[variables] = places - starts[variables]
        self.offer(ranks)

    def offer(self, ranks: Sequence[int] | NDArray[np.integer]) -> None:
        """Accept a network if it is new and one of the k best."""
        columns = self._parent_sets.offsets[:-1] + np.asarray(ranks)
        score = math.fsum(self._parent_sets.scores[columns])
        entry = (-score, tuple(int(rank) for rank in ranks))
        if score == -math.inf or score <= self.worst or entry in self._networks:
            return
        network = self._network(entry[1])  # raises an error if there is a cycle
        if self.relations and not self.relations.holds(network.parents):
            return
        if self.classes:
            equivalent = [
                one for one in self._networks if network.equivalent(self._network(one[1]))
            ]
            if equivalent and equivalent[0][0] <= entry[0]:
                return
            self._networks = [one for one in self._networks if one not in equivalent]
        best = self.best
        insort(self._networks, entry)
        del self._networks[self.k :]
        if self._on_best and score > best:
            self._on_best(score)

    def _network(self, ranks: Sequence[int]) -> Network:
        sets = self._parent_sets
        row_sets = sets.provenance.get("row_sets") if self.classes else None
        return Network(sets.names, parents_of(sets, np.array(ranks)), row_sets=row_sets)

    def offer_order(self, order: Sequence[int] | NDArray[np.int64]) -> None:
        """Offer the best network of an order, and those that differ from it in one set."""
        sets = self._parent_sets
        usable = np.zeros(sets.n_variables + 1, dtype=bool)
        usable[-1] = True  # unused places are clipped to this one
        fitting: dict[int, list[int]] = {}
        for v in (int(v) for v in order):
            places = np.minimum(sets.parents[:, sets.span(v)], sets.n_variables)
            fitting[v] = np.flatnonzero(usable[places].all(axis=0))[: self.k].tolist()
            usable[v] = True
        best = [fitting[v][0] for v in range(sets.n_variables)]
        self.offer(best)
        for v in range(sets.n_variables):
            for rank in fitting[v][1:]:
                self.offer([*best[:v], rank, *best[v + 1 :]])
