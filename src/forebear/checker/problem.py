"""What a node is about: parent sets, and what comes before what in every network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

_FORBIDDEN = 2**62
"""Above all reduced costs: costs are up to 2^61, and prices add less than 2^60."""


class RefusedError(Exception):
    """The certificate does not prove what it says."""


def expect(condition: bool, message: str) -> None:
    """Reject the certificate unless the condition holds."""
    if not condition:
        raise RefusedError(message)


def whole(value: Any, least: int = 0, most: int = 2**61) -> int:
    """Return a whole number within these limits; refuse anything else."""
    expect(type(value) is int and least <= value <= most, f"{value!r} is not a number in its range")
    return int(value)


def only_fields(given: Any, *names: str) -> None:
    """Refuse what is not an object with these fields and no others."""
    expect(
        isinstance(given, dict) and set(given) == set(names),
        f"an object has fields other than {', '.join(names)}",
    )


@dataclass(frozen=True, eq=False)
class Sets:
    """Parent sets in ticks: how much each costs more than the best of its variable.

    ``slots`` has one row per set with its members, ascending, then the number of variables.
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
        """Return where the sets of a variable are."""
        return slice(int(self.starts[v]), int(self.starts[v + 1]))

    def counts(self) -> Ints:
        """Return for each variable how many of its sets contain each variable."""
        n = len(self.starts) - 1
        cells = self.child[:, None] * (n + 1) + self.slots
        return np.bincount(cells.ravel(), minlength=n * (n + 1)).reshape(n, n + 1)[:, :-1]

    def least(self, values: Ints) -> list[int]:
        """Return the least value of each variable's sets."""
        least = np.full(len(self.starts) - 1, _FORBIDDEN)
        np.minimum.at(least, self.child, values)
        return [int(value) for value in least]


def have_network(sets: Sets) -> bool:
    """Return whether there is a network of some sets: variables are placed as soon as a set is."""
    placed = np.zeros(len(sets.starts), dtype=bool)
    placed[-1] = True  # unused slots
    while not placed.all():
        new = sets.child[placed[sets.slots].all(axis=1)]
        if not len(new):
            return False
        placed[new] = True
        sets = sets.kept(~placed[sets.child])
    return True


class State(NamedTuple):
    """A node's subproblem: the sets left, the variables it is about, and what comes before what."""

    sets: Sets
    scope: Ints
    before: tuple[tuple[int, int], ...]
    target: int


def closed(links: Bools) -> Bools:
    """Return the transitive closure."""
    links = links.copy()
    for u in range(len(links)):
        links[links[:, u]] |= links[u]
    return links


def propagated(state: State) -> State | None:
    """Drop the sets that would close a cycle with what all networks have; None if all are."""
    sets, n = state.sets, len(state.sets.starts) - 1
    while True:
        sizes = np.diff(sets.starts)
        if not sizes[state.scope].all():
            return None
        earlier = (sets.counts() == sizes[:, None]) & (sizes > 0)[:, None]
        for first, then in state.before:
            earlier[then, first] = True
        earlier = closed(earlier)
        if earlier.diagonal().any():
            return None
        # What comes after a variable cannot be its parent.
        later = np.zeros((n, n + 1), dtype=bool)  # the last column stands for unused slots
        later[:, :-1] = earlier.T
        closes: Bools = np.any(later[sets.child[:, None], sets.slots], axis=1)
        if not closes.any():
            return state._replace(sets=sets)
        sets = sets.kept(~closes)


def decided(state: State, kind: str, decision: list[Any]) -> State | None:
    """Return the networks of a state in which a decision holds; None if there are none."""
    first, second = (whole(v, 0, len(state.sets.starts) - 2) for v in decision[:2])
    expect(
        first != second and {first, second} <= set(state.scope.tolist()), "a decision is not valid"
    )
    if kind == "before":
        return propagated(state._replace(before=(*state.before, (first, second))))
    expect(type(decision[2]) is bool, "a decision is not valid")
    has = (state.sets.slots == second).any(axis=1)
    fits: Bools = (state.sets.child != first) | (has ^ (not decision[2]))
    return propagated(state._replace(sets=state.sets.kept(fits)))
