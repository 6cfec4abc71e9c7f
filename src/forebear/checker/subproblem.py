"""The subproblem of a node: its parent sets, and variables that must precede others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

_FORBIDDEN = 2**62
"""Above all reduced costs: costs are up to 2^61, and prices add less than 2^60."""


class CertificateError(Exception):
    """The certificate does not prove its claim."""


def expect(condition: bool, message: str) -> None:
    """Reject the certificate unless the condition holds."""
    if not condition:
        raise CertificateError(message)


def read_integer(value: Any, least: int = 0, most: int = 2**61) -> int:
    """Return a whole number within these limits; reject anything else."""
    expect(type(value) is int and least <= value <= most, f"{value!r} is not a number in its range")
    return int(value)


def expect_fields(given: Any, *names: str) -> None:
    """Reject anything but an object with exactly these fields."""
    expect(
        isinstance(given, dict) and set(given) == set(names),
        f"an object has fields other than {', '.join(names)}",
    )


@dataclass(frozen=True, eq=False)
class Sets:
    """Parent sets with their costs in ticks: the distance from the best set of the variable.

    ``slots`` has one row per set: its members, ascending, then the number of variables in unused
    slots.
    """

    child: Ints
    cost: Ints
    slots: Ints
    starts: Ints  # where the sets of each variable begin

    def kept(self, keep: Bools) -> Sets:
        """Return some of the sets."""
        child = self.child[keep]
        starts = np.searchsorted(child, np.arange(len(self.starts)))
        return Sets(child, self.cost[keep], self.slots[keep], starts)

    def span(self, v: int) -> slice:
        """Return the range of the sets of a variable."""
        return slice(int(self.starts[v]), int(self.starts[v + 1]))

    def counts(self) -> Ints:
        """Return how many sets of each variable contain each other variable."""
        n = len(self.starts) - 1
        cells = self.child[:, None] * (n + 1) + self.slots
        return np.bincount(cells.ravel(), minlength=n * (n + 1)).reshape(n, n + 1)[:, :-1]

    def least(self, values: Ints) -> list[int]:
        """Return the least value of each variable's sets."""
        least = np.full(len(self.starts) - 1, _FORBIDDEN)
        np.minimum.at(least, self.child, values)
        return [int(value) for value in least]


def has_network(sets: Sets) -> bool:
    """Return whether there is a network: a variable is placed once all members of a set are."""
    placed = np.zeros(len(sets.starts), dtype=bool)
    placed[-1] = True  # unused slots
    while not placed.all():
        new = sets.child[placed[sets.slots].all(axis=1)]
        if not len(new):
            return False
        placed[new] = True
        sets = sets.kept(~placed[sets.child])
    return True


class Subproblem(NamedTuple):
    """The subproblem of a node.

    ``sets`` are the remaining sets, and ``scope`` the variables that need one. The first of each
    pair in ``before`` precedes the second in a topological order. Every network must cost
    ``target`` or more.
    """

    sets: Sets
    scope: Ints
    before: tuple[tuple[int, int], ...]
    target: int


def transitive_closure(links: Bools) -> Bools:
    """Return the transitive closure."""
    links = links.copy()
    for u in range(len(links)):
        links[links[:, u]] |= links[u]
    return links


def propagate(problem: Subproblem) -> Subproblem | None:
    """Drop the sets that would close a cycle in every network; None if no network is left."""
    sets, n = problem.sets, len(problem.sets.starts) - 1
    while True:
        sizes = np.diff(sets.starts)
        if not sizes[problem.scope].all():
            return None
        earlier = (sets.counts() == sizes[:, None]) & (sizes > 0)[:, None]
        for first, then in problem.before:
            earlier[then, first] = True
        earlier = transitive_closure(earlier)
        if earlier.diagonal().any():
            return None
        # A variable that comes later cannot be a parent.
        later = np.zeros((n, n + 1), dtype=bool)  # the last column stands for unused slots
        later[:, :-1] = earlier.T
        closes: Bools = np.any(later[sets.child[:, None], sets.slots], axis=1)
        if not closes.any():
            return problem._replace(sets=sets)
        sets = sets.kept(~closes)


def apply_decision(problem: Subproblem, kind: str, decision: list[Any]) -> Subproblem | None:
    """Return the subproblem in which a decision holds; None if no network is left."""
    first, second = (read_integer(v, 0, len(problem.sets.starts) - 2) for v in decision[:2])
    in_scope = {first, second} <= set(problem.scope.tolist())
    expect(first != second and in_scope, "a decision is not valid")
    if kind == "before":
        return propagate(problem._replace(before=(*problem.before, (first, second))))
    expect(type(decision[2]) is bool, "a decision is not valid")
    has = (problem.sets.slots == second).any(axis=1)
    fits: Bools = (problem.sets.child != first) | (has ^ (not decision[2]))
    return propagate(problem._replace(sets=problem.sets.kept(fits)))
