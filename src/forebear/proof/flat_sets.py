"""FlatSets: the parent sets of a group of variables, as flat arrays of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from forebear.proof.integer_costs import NOT_ALLOWED, IntegerCosts


@dataclass(frozen=True, eq=False)
class FlatSets:
    """Parent sets of some variables, sorted by variable.

    ``variables`` are the numbers of the variables in the problem; here they are numbered from 0.
    For each set, ``place`` is its index in the ``ParentSets``, ``child`` its variable, and
    ``cost`` its distance from the score of the variable's best set, in whole ticks, so that all
    sums are exact. ``parents`` has one row per set; unused entries hold the number of variables.
    ``ticks`` is the number of ticks per nat.
    """

    ticks: float
    variables: NDArray[np.int64]
    place: NDArray[np.int64]
    child: NDArray[np.int32]
    cost: NDArray[np.int64]
    parents: NDArray[np.int32]

    @classmethod
    def of(cls, costs: IntegerCosts, keep: NDArray[np.bool_] | None = None) -> FlatSets:
        """Return all allowed sets, or those of them to keep."""
        sets, n = costs.parent_sets, costs.parent_sets.n_variables
        allowed = costs.of_sets < NOT_ALLOWED
        place = np.flatnonzero(allowed if keep is None else allowed & keep)
        child = np.repeat(np.arange(n, dtype=np.int32), sets.counts)[place]
        parents = np.ascontiguousarray(np.minimum(sets.parents[:, place], n).astype(np.int32).T)
        return cls(costs.ticks, np.arange(n), place, child, costs.of_sets[place], parents)

    def __len__(self) -> int:
        return len(self.child)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The sets of variable v are at ``starts[v]:starts[v + 1]``."""
        return np.searchsorted(self.child, np.arange(self.n_variables + 1)).astype(np.int64)

    def span(self, variable: int) -> slice:
        """Return the range of the sets of a variable."""
        return slice(int(self.starts[variable]), int(self.starts[variable + 1]))

    def kept(self, keep: NDArray[np.bool_]) -> FlatSets:
        """Return only these sets."""
        return replace(
            self,
            place=self.place[keep],
            child=self.child[keep],
            cost=self.cost[keep],
            parents=np.ascontiguousarray(self.parents[keep]),
        )

    def within(self, group: Sequence[int]) -> FlatSets:
        """Return the sets of a group of variables, without their parents outside the group."""
        number = np.full(self.n_variables + 1, len(group), dtype=np.int32)
        number[list(group)] = np.arange(len(group))
        own = self.kept(np.isin(self.child, group))
        return replace(
            own,
            variables=self.variables[list(group)],
            child=number[own.child],
            parents=np.sort(number[own.parents], axis=1),
        )

    def members(self, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the members of some sets: one row per set, one column per variable."""
        table = np.zeros((len(chosen), self.n_variables + 1), dtype=bool)
        table[np.arange(len(chosen))[:, None], self.parents[chosen]] = True
        return table[:, :-1]

    def with_parent(self, child: int, parent: int) -> NDArray[np.bool_]:
        """Return which sets of a child contain a parent."""
        return np.asarray((self.parents[self.span(child)] == parent).any(axis=1))

    def least(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the least value of the sets of each variable; every variable must have a set."""
        return np.asarray(np.minimum.reduceat(values, self.starts[:-1]))

    def cheapest(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, for each variable, the index of its set with the least value."""
        return np.asarray(np.lexsort((values, self.child))[self.starts[:-1]])

    def best_of_order(self, order: Sequence[int]) -> NDArray[np.int64] | None:
        """Return the cheapest set of each variable whose members come before it in the order.

        Returns None if a variable has no such set, or is not in the order.
        """
        if len(order) < self.n_variables:
            return None
        usable = np.zeros(self.n_variables + 1, dtype=bool)
        usable[-1] = True  # unused places
        chosen = np.zeros(self.n_variables, dtype=np.int64)
        for v in order:
            own = self.span(v)
            fits = own.start + np.flatnonzero(usable[self.parents[own]].all(axis=1))
            if not len(fits):
                return None
            chosen[v] = fits[np.argmin(self.cost[fits])]
            usable[v] = True
        return chosen
