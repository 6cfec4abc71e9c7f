"""Chain: one search, advanced generation by generation. FoundNetwork: what it finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from forebear.scoring.growing import network_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.search.alternatives import Alternative, Families
    from forebear.search.space import Individual, SearchSpace
    from forebear.search.threads import Workers


@dataclass(frozen=True, eq=False)
class FoundNetwork:
    """A network, by the parent sets that it is made of.

    Attributes
    ----------
    score
        Its score: the sum of the local scores, exactly rounded.
    order
        An order of it.
    sets
        A collection that has its parent sets.
    ranks
        The ranks of these, from 0.
    """

    score: float
    order: NDArray[np.int32]
    sets: ParentSets
    ranks: NDArray[np.int32]

    @classmethod
    def of(cls, space: SearchSpace, individual: Individual) -> FoundNetwork:
        """Return the network of a member of a population in this space."""
        ranks = space.full_ranks(individual.ranks)
        return cls(space.score(individual.ranks), individual.order, space.parent_sets, ranks)

    def alone(self) -> FoundNetwork:
        """Return the same network with no other sets than its own and the empty ones."""
        sets, ranks = network_sets(self.sets, self.ranks)
        return replace(self, sets=sets, ranks=ranks)

    @property
    def parents(self) -> Families:
        """The parents of every variable."""
        columns = self.sets.parents[:, self.sets.offsets[:-1] + self.ranks].T.tolist()
        return tuple(tuple(p for p in own if p != self.sets.none) for own in columns)


class Chain(ABC):
    """One search, advanced generation by generation."""

    runs = 0
    """How many times the search has come to a standstill and started again."""

    exhausted = True
    """Whether no further parent sets will be scored."""

    @property
    @abstractmethod
    def best(self) -> FoundNetwork:
        """The best network so far."""

    @abstractmethod
    def parent_sets(self) -> ParentSets:
        """Return all sets that its networks are made of."""

    @abstractmethod
    def networks(self) -> Sequence[Alternative]:
        """Return good networks, each once, best first."""

    @abstractmethod
    def advance(self, workers: Workers) -> None:
        """Make one generation."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue, as numbers and arrays."""

    def offer(self, workers: Workers, found: FoundNetwork) -> None:
        """Take in a network that was found elsewhere, in the sets of this chain."""
        del workers, found

    def add_sets(self, workers: Workers) -> bool:
        """Return whether there will be more parent sets: the best network of these is known.

        If so, they are scored as soon as possible.
        """
        del workers
        return False

    def is_progressing(self) -> bool:
        """Return whether work goes on that pays later, though no better network was found."""
        return False

    def rest(self) -> None:
        """Prepare for other threads: what these have begun is made again."""
        return
