"""Incumbents: the best networks found so far, and the goal to find better ones."""

from __future__ import annotations

import math
from bisect import insort
from typing import TYPE_CHECKING

import numpy as np

from forebear.network.graphs import topological_order
from forebear.proof.equivalence_classes import EquivalenceClass, is_score_equivalent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.proof.solver import Solver


class Incumbents:
    """The k best networks found so far, best first; all their parent sets are allowed.

    All of them respect the relations. With ``classes``, no two of them are equivalent.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        k: int,
        on_best: Callable[[float], None] | None = None,
        relations: Relations | None = None,
        *,
        classes: bool = False,
    ) -> None:
        self.k = k
        self.relations = relations
        self.classes = classes
        self.score_equivalent = is_score_equivalent(parent_sets.provenance)
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
        parents = self._parents(columns)
        topological_order(parents)  # raises an error for a cycle: then the search is wrong
        if self.relations and not self.relations.holds(parents):
            return
        if self.classes and not self._is_best_of_class(entry):
            return
        best = self.best
        insort(self._found, entry)
        del self._found[self.k :]
        if self._on_best and score > best:
            self._on_best(score)

    def _is_best_of_class(self, entry: tuple[float, tuple[int, ...]]) -> bool:
        """Return whether no equivalent network is as good; forget one that is worse."""
        own = self._class(entry[1])
        for other in self._found:
            if self._class(other[1]) == own:
                if other[0] <= entry[0]:
                    return False
                self._found.remove(other)
                return True
        return True

    def _class(self, ranks: tuple[int, ...]) -> EquivalenceClass:
        columns = self._parent_sets.offsets[:-1] + np.array(ranks)
        return EquivalenceClass.of(self._parents(columns))

    def _parents(self, columns: NDArray[np.int64]) -> list[list[int]]:
        none = self._parent_sets.none
        members = self._parent_sets.parents[:, columns].T.tolist()
        return [[p for p in own if p != none] for own in members]

    def add_order(self, order: Sequence[int] | NDArray[np.int64]) -> None:
        """Add the best network of an order, and those that differ from it in one set."""
        sets = self._parent_sets
        before: list[int] = []
        fitting: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * sets.n_variables
        for v in (int(v) for v in order):
            fitting[v] = _fitting(sets, v, before, self.k)
            before.append(v)
        best = [int(ranks[0]) for ranks in fitting]
        self.add(best)
        for v, ranks in enumerate(fitting):
            for rank in ranks[1:].tolist():
                self.add([*best[:v], rank, *best[v + 1 :]])


def _fitting(sets: ParentSets, v: int, before: Sequence[int], most: int) -> NDArray[np.int64]:
    """Return the ranks (from 0) of a variable's best sets whose members all come before it."""
    usable = np.zeros(sets.n_variables + 1, dtype=bool)
    usable[list(before)] = True
    usable[-1] = True  # unused places are clipped to this one
    own = slice(int(sets.offsets[v]), int(sets.offsets[v + 1]))
    places = np.minimum(sets.parents[:, own], sets.n_variables)
    return np.flatnonzero(usable[places].all(axis=0))[:most]


class Goal:
    """What remains to be found in some variables: anything that costs less than the incumbents."""

    def __init__(self, solver: Solver, variables: NDArray[np.int64], slack: int) -> None:
        self.k = solver.incumbents.k
        # A network rules its class out only if the others of the class score the same. Otherwise
        # the networks are listed one by one, and the incumbents are the best of their classes.
        incumbents = solver.incumbents
        self.class_cuts = incumbents.classes and incumbents.score_equivalent
        self._solver = solver
        self._variables = variables
        self._slack = slack

    @property
    def cost(self) -> int:
        """The cost that a network must stay below, by more than rounding errors."""
        return self._solver.incumbent_cost(self._variables) - self._slack

    def offer(self, places: NDArray[np.int64]) -> None:
        """Take these sets, one per variable of the goal, and the incumbent's for the others."""
        self._solver.offer(places)

    def known(self) -> NDArray[np.int64]:
        """Return the places of the incumbents' sets."""
        return self._solver.known
