"""SearchSpace: parent sets prepared for the climb over orders, in the core."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.errors import ForebearError
from forebear._util.machine import memory_bytes
from forebear._util.memory_maps import release_pages
from forebear._util.text import show_bytes
from forebear.parentsets.collection import ParentSets
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT

LARGEST_SCORE = float(np.finfo(np.float64).max) / np.iinfo(np.uint16).max
"""Far beyond any score of data. Sums over the largest number of variables do not overflow."""


Individual: TypeAlias = _core.Individual


def _adds_up(scores: NDArray[np.float64]) -> bool:
    """Return whether sums of scores do not overflow. Sets that are not allowed are ignored."""
    allowed = np.isfinite(scores)
    low = float(np.min(scores, where=allowed, initial=0.0))
    return low >= -LARGEST_SCORE and float(scores.max()) <= LARGEST_SCORE


def bytes_needed(n: int, spaces: int = 1, threads: int = 1) -> int:
    """Return the memory of the tables of all pairs of variables: one per space, two per thread.

    Beyond a few thousand variables, sparse tables are used. Their size is small, and not known
    beforehand.
    """
    if n > _core.OrderSets.square_variables:
        return 0
    return 4 * n * n * (spaces + 2 * threads)


class SearchSpace:
    """Parent sets, all or a sample, prepared for the climb. All threads share them."""

    def __init__(
        self,
        parent_sets: ParentSets,
        *,
        threads: int = 1,
        largest_square: int = _core.OrderSets.square_variables,
        earlier: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        """Prepare sets. Beyond ``largest_square`` variables, tables of pairs are sparse.

        ``earlier`` lists the variables that must precede each variable in every order.
        """
        if parent_sets.parents.dtype != np.uint16:
            raise ForebearError("orders of more than 65,534 variables cannot be searched")
        if parent_sets.max_parents > MAX_PARENTS_LIMIT:
            raise ForebearError(
                f"the search supports at most {MAX_PARENTS_LIMIT} parents, "
                f"but these sets have up to {parent_sets.max_parents}"
            )
        if not _adds_up(parent_sets.scores):
            raise ForebearError(
                f"scores beyond {LARGEST_SCORE:.1e} cannot be added up and compared"
            )
        needed = bytes_needed(parent_sets.n_variables)
        if needed > memory_bytes():
            raise ForebearError(
                f"searching orders of {parent_sets.n_variables:,} variables needs at least "
                f"{show_bytes(needed)}; this machine has {show_bytes(memory_bytes())}"
            )
        self.parent_sets = parent_sets
        with release_pages(parent_sets.scores):
            self.sets = _core.OrderSets(
                np.ascontiguousarray(parent_sets.offsets),
                np.ascontiguousarray(parent_sets.scores),
                np.ascontiguousarray(parent_sets.parents),
                largest_square,
                threads,
                _by_variable(parent_sets.n_variables, earlier),
            )

    @property
    def n(self) -> int:
        """The number of variables."""
        return self.parent_sets.n_variables

    def sample(self, ranks: list[NDArray[np.int32]]) -> SearchSpace:
        """Return the space of some sets only: ascending ranks (from 0) of every variable."""
        with release_pages(self.parent_sets.scores):
            sets = self.sets.sample(*_flat(ranks))
        smaller = object.__new__(SearchSpace)
        smaller.parent_sets, smaller.sets = self.parent_sets, sets
        return smaller

    def full_ranks(self, ranks: NDArray[np.int32]) -> NDArray[np.int32]:
        """Translate ranks of this space into ranks (from 0) of all sets."""
        return self.sets.full_ranks(ranks)

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        """The number of sets of every variable, up to the empty one."""
        return self.sets.counts

    def best_ranks(self, order: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the rank of every variable's best set in an order."""
        climber = _core.Climber(self.sets)
        climber.start(order)
        return climber.ranks

    def score(self, ranks: NDArray[np.int32]) -> float:
        """Add up the scores of chosen sets, exactly rounded."""
        columns = self.parent_sets.offsets[:-1] + self.full_ranks(ranks)
        return math.fsum(self.parent_sets.scores[columns])


def _flat(ranks: list[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where the ranks of each variable begin, and all ranks in one array."""
    starts = np.zeros(len(ranks) + 1, dtype=np.int64)
    np.cumsum([len(chosen) for chosen in ranks], out=starts[1:])
    return starts, np.concatenate(ranks).astype(np.int32)


def _by_variable(n: int, earlier: Mapping[int, Sequence[int]] | None) -> list[list[int]]:
    """Return which variables must precede each one; an empty list without order constraints."""
    return [list(earlier.get(v, ())) for v in range(n)] if earlier else []


def assign(space: SearchSpace, order: NDArray[np.int32]) -> Individual:
    """Give every variable its best set among the variables that precede it."""
    score, ranks = _core.best_sets(space.sets, order)
    return Individual(score, order, ranks)


def as_order(order: Sequence[int] | NDArray[np.integer]) -> NDArray[np.int32]:
    """Return an order, or ranks, as an array for the core."""
    return np.ascontiguousarray(order, dtype=np.int32)


def as_orders(orders: Sequence[Sequence[int]]) -> list[NDArray[np.int32]]:
    """Return several orders, or lists of ranks, as arrays for the core."""
    return [as_order(order) for order in orders]
