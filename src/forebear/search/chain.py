"""Chain: one search, advanced generation by generation. Solution: a network that it found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear.parentsets.collection import ParentSets
from forebear.scoring.growing_sets import network_sets
from forebear.search.alternatives import Alternative, Families, parents_of
from forebear.search.space import Individual, SearchSpace, as_order
from forebear.search.threads import Workers


@dataclass(frozen=True, eq=False)
class Solution:
    """A network that was found, given by its parent sets.

    Attributes
    ----------
    score
        Its score: the sum of the local scores, exactly rounded.
    order
        An order of its variables, parents first.
    sets
        A collection that contains its parent sets.
    ranks
        The ranks of its parent sets, from 0.
    """

    score: float
    order: NDArray[np.int32]
    sets: ParentSets
    ranks: NDArray[np.int32]

    @classmethod
    def of(cls, space: SearchSpace, individual: Individual) -> Solution:
        """Return the network of a member of a population in this space."""
        ranks = space.full_ranks(individual.ranks)
        return cls(space.score(individual.ranks), individual.order, space.parent_sets, ranks)

    def alone(self) -> Solution:
        """Return the same network over a collection of its own sets and the empty sets."""
        sets, ranks = network_sets(self.sets, self.ranks)
        return replace(self, sets=sets, ranks=ranks)

    @classmethod
    def best_sets(cls, sets: ParentSets) -> Solution:
        """Return the best set of every variable. This may be no network: it may have cycles."""
        ranks = np.zeros(sets.n_variables, dtype=np.int32)
        score = float(sets.scores[sets.offsets[:-1]].sum())
        return cls(score, np.arange(sets.n_variables, dtype=np.int32), sets, ranks)

    @property
    def local_scores(self) -> NDArray[np.float64]:
        """The score of every variable's set."""
        return np.asarray(self.sets.scores[self.sets.offsets[:-1] + self.ranks])

    @cached_property
    def parents(self) -> Families:
        """The parents of every variable."""
        return parents_of(self.sets, self.ranks)


def arrays_of(sets: ParentSets) -> dict[str, NDArray[Any]]:
    """Return the arrays of a collection."""
    return {"offsets": sets.offsets, "scores": sets.scores, "parents": sets.parents}


def solution_fields(solution: Solution, *, with_sets: bool = True) -> dict[str, Any]:
    """Return a network as plain data, with its sets unless the collection is fixed."""
    alone = solution.alone() if with_sets else solution
    fields = {"score": alone.score, "order": alone.order, "ranks": alone.ranks}
    return {**fields, "sets": arrays_of(alone.sets)} if with_sets else fields


def solution_from_fields(sets: ParentSets, fields: dict[str, Any]) -> Solution:
    """Create a network from plain data; ``sets`` is the collection, or has the same variables."""
    if "sets" in fields:
        sets = replace(sets, path=None, **fields["sets"])
    order, ranks = as_order(fields["order"]), as_order(fields["ranks"])
    return Solution(float(fields["score"]), order, sets, ranks)


class Chain(ABC):
    """One search, advanced generation by generation."""

    @property
    def runs(self) -> int:
        """The number of times that the search has stalled and restarted."""
        return 0

    @property
    def sets_grow(self) -> bool:
        """Whether the chain has its own parent sets, which grow."""
        return False

    @property
    def exhausted(self) -> bool:
        """Whether no further parent sets will be scored."""
        return True

    @property
    @abstractmethod
    def best(self) -> Solution:
        """The best network so far."""

    @abstractmethod
    def parent_sets(self) -> ParentSets:
        """Return all parent sets of its networks."""

    @abstractmethod
    def networks(self) -> Sequence[Alternative]:
        """Return distinct good networks, best first."""

    @abstractmethod
    def run_generation(self, workers: Workers) -> bool:
        """Run one generation; return whether the search has stalled."""

    def restart(self, workers: Workers) -> None:
        """Continue after a stall, elsewhere or on more sets."""
        del workers

    def advance(self, workers: Workers) -> None:
        """Run one generation; restart after a stall."""
        if self.run_generation(workers):
            self.restart(workers)

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""

    def remember(self, solution: Solution) -> None:
        """Record a network of this search as the best, if it is better."""
        del solution

    def offer(self, workers: Workers, solution: Solution) -> None:
        """Use a network of other chains or of a proof, if this chain can."""
        del workers, solution

    def add_sets(self, workers: Workers) -> bool:
        """Score more parent sets as soon as possible; return whether there are any.

        This is called when the best network of the current sets is proven.
        """
        del workers
        return False

    def is_progressing(self) -> bool:
        """Return whether the search may improve later, although it has not improved yet."""
        return False

    def suspend(self) -> None:
        """Release the threads. Unfinished work is repeated when the chain continues."""
        return
