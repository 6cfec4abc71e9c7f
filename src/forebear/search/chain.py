"""Chain: one search, advanced generation by generation. FoundNetwork: a network that it finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from forebear.scoring.growing_sets import network_sets
from forebear.search.alternatives import parents_of
from forebear.search.space import as_order

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
    """A network, given by its parent sets.

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
        return parents_of(self.sets, self.ranks)


def arrays_of(sets: ParentSets) -> dict[str, NDArray[Any]]:
    """Return the arrays of a collection."""
    return {"offsets": sets.offsets, "scores": sets.scores, "parents": sets.parents}


def found_fields(found: FoundNetwork, *, with_sets: bool = True) -> dict[str, Any]:
    """Return a network as plain data, with its sets unless these are of a fixed collection."""
    alone = found.alone() if with_sets else found
    fields = {"score": alone.score, "order": alone.order, "ranks": alone.ranks}
    return {**fields, "sets": arrays_of(alone.sets)} if with_sets else fields


def found_of(sets: ParentSets, fields: dict[str, Any]) -> FoundNetwork:
    """Make a network of plain data, over the variables of a collection or over its sets."""
    if "sets" in fields:
        sets = replace(sets, path=None, **fields["sets"])
    order, ranks = as_order(fields["order"]), as_order(fields["ranks"])
    return FoundNetwork(float(fields["score"]), order, sets, ranks)


class Chain(ABC):
    """One search, advanced generation by generation."""

    @property
    def runs(self) -> int:
        """How many times the search has come to a standstill and started again."""
        return 0

    @property
    def sets_grow(self) -> bool:
        """Whether it has parent sets of its own, which grow."""
        return False

    @property
    def exhausted(self) -> bool:
        """Whether no further parent sets will be scored."""
        return True

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

    def remember(self, found: FoundNetwork) -> None:
        """Note a network of this search, so that it is not lost."""
        del found

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
