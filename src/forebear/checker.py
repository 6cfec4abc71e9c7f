"""Check a certificate: a proof that no network of some parent sets costs less than it says.

This module shares nothing with the programs that write certificates. It reads the certificate and
the parent sets, and does all arithmetic with whole numbers, so that nothing depends on rounding.
The page "Certificates" of the documentation describes the format and why a proof is valid.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

_FORBIDDEN = 2**62
"""Above all reduced costs: costs are up to 2^61, and prices add less than 2^60."""
_LARGEST_GROUP = 16
"""Variables of a local cut: its check takes 2^16 steps then."""


_COMBINATIONS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)
"""All combinations of eight bits."""


class RefusedError(Exception):
    """The certificate does not prove what it says."""


class Checked(NamedTuple):
    """What a certificate proves.

    No network scores more than ``bound``. ``score`` is that of the network in the certificate, or
    None. Both are exact fractions of nats.
    """

    bound: Fraction
    score: Fraction | None
    nodes: int
    cuts: int


@dataclass(frozen=True, eq=False)
class _Sets:
    """Parent sets in ticks: how much each costs more than the best of its variable.

    ``slots`` has one row per set with its members, ascending, then the number of variables.
    """

    child: Ints
    cost: Ints
    slots: Ints
    starts: Ints  # where the sets of each variable begin

    def kept(self, keep: Bools) -> _Sets:
        child = self.child[keep]
        starts = np.searchsorted(child, np.arange(len(self.starts)))
        return _Sets(child, self.cost[keep], self.slots[keep], starts)

    def span(self, v: int) -> slice:
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


class _State(NamedTuple):
    """A node's subproblem: the sets left, the variables it is about, and what comes before what."""

    sets: _Sets
    scope: Ints
    before: tuple[tuple[int, int], ...]
    target: int


def check_certificate(
    path: Path | str,
    names: Sequence[str],
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    parents: NDArray[Any],
) -> Checked:
    """Check a certificate against parent sets, given as the arrays of ``ParentSets``.

    Raises
    ------
    RefusedError
        If it is no proof for these sets; the message says why.
    """
    try:
        certificate = json.loads(Path(path).read_text(encoding="utf-8"))
        _expect(certificate["format"] == "forebear certificate", "it is no certificate")
        version, writer = certificate["version"], certificate.get("forebear", "an unknown version")
        _expect(
            version == 1,
            f"it has version {version!r} of the format and was written by forebear {writer}, but "
            "this checker knows version 1 alone: use a newer forebear",
        )
        _expect(certificate["variables"] == list(names), "it is about other variables")
        _expect(certificate["sets"] == len(scores), "it is about other parent sets")
        checker = _Checker(certificate, offsets, scores, parents)
        checker.check_tree()
        return Checked(
            checker.bound, checker.score(), len(certificate["nodes"]), len(certificate["cuts"])
        )
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RefusedError(f"it is not well formed ({type(error).__name__}: {error})") from error


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise RefusedError(message)


def _whole(value: Any, least: int = 0, most: int = 2**61) -> int:
    _expect(type(value) is int and least <= value <= most, f"{value!r} is not a number that fits")
    return int(value)


class _Checker:
    def __init__(
        self,
        certificate: dict[str, Any],
        offsets: NDArray[np.int64],
        scores: NDArray[np.float64],
        parents: NDArray[Any],
    ) -> None:
        self.n = len(offsets) - 1
        self._nodes = certificate["nodes"]
        self._network = certificate["network"]
        self._target = _whole(certificate["cost"], -(2**61))
        # Scores become whole ticks, rounded up: then no network seems worse than it is.
        self._ticks = 2.0 ** _whole(certificate["ticks"], 0, 1000)
        allowed = np.flatnonzero(np.isfinite(scores))
        scaled = np.ceil(scores[allowed] * self._ticks)
        _expect(bool((np.abs(scaled) <= 2.0**60).all()), "the ticks are too small")
        raised = scaled.astype(np.int64)
        child = np.repeat(np.arange(self.n), np.diff(offsets))[allowed]
        starts = np.searchsorted(child, np.arange(self.n + 1))
        _expect(bool((np.diff(starts) > 0).all()), "a variable has no allowed set")
        self._best = np.maximum.reduceat(raised, starts[:-1])
        slots = np.sort(np.minimum(parents[:, allowed], self.n).T.astype(np.int64), axis=1)
        self._sets = _Sets(child, self._best[child] - raised, slots, starts)
        self._scores = scores[allowed]
        self._cuts = [self._read_cut(cut) for cut in certificate["cuts"]]
        self._visits = 0

    # ---- what it says -------------------------------------------------------------------------

    @property
    def bound(self) -> Fraction:
        """The score that is the proven cost below the sum of the best scores."""
        return Fraction(sum(self._best.tolist()) - self._target) / Fraction(self._ticks)

    def score(self) -> Fraction | None:
        """The score of the network, which must be acyclic and have sets that are there."""
        if self._network is None:
            return None
        _expect(len(self._network) == self.n, "the network has not one parent set per variable")
        total = Fraction(0)
        left = {}
        for v, parents in enumerate(self._network):
            left[v] = {_whole(p, 0, self.n - 1) for p in parents}
            slots = self._sets.slots[self._sets.span(v)]
            row = [*sorted(left[v]), *[self.n] * slots.shape[1]][
                : max(len(left[v]), slots.shape[1])
            ]
            _expect(len(row) == slots.shape[1], f"variable {v} has too many parents in the network")
            found = np.flatnonzero((slots == row).all(axis=1))
            _expect(len(found) > 0, f"variable {v} has no such parent set as in the network")
            total += Fraction(float(self._scores[self._sets.starts[v] + found[0]]))
        while left:
            ready = [v for v, parents in left.items() if not parents & left.keys()]
            _expect(bool(ready), "the network has a cycle")
            for v in ready:
                del left[v]
        return total

    # ---- cuts: why every network satisfies them ------------------------------------------------

    def _read_cut(self, cut: dict[str, Any]) -> _Cut:
        key = "cluster" if "cluster" in cut else "group"
        group = [_whole(v, 0, self.n - 1) for v in cut[key]]
        _expect(len(set(group)) == len(group), "a cut names a variable twice")
        if key == "cluster":
            # The first k of a cluster in a topological order have fewer than k parents in it.
            level = _whole(cut["level"], 1, len(group))
            return _Cut(group, level, None, len(group) - level)
        _expect(len(group) <= _LARGEST_GROUP, "a group has too many variables")
        table = np.zeros((len(group), 1 << len(group)), dtype=np.int64)
        for own, entries in zip(table, cut["values"], strict=True):
            for mask, value in entries:
                own[_whole(mask, 0, len(own) - 1)] = _whole(value, 0, 2**40)
        for bit in range(len(group)):  # more parents count at least as much
            halves = table.reshape(len(group), -1, 2, 1 << bit)
            np.maximum(halves[:, :, 1], halves[:, :, 0], out=halves[:, :, 1])
        limit = _whole(cut["limit"])
        _expect(_most_of_any_order(table) <= limit, "a local cut has a limit that is too low")
        return _Cut(group, 0, table, limit)

    # ---- prices: what they prove ---------------------------------------------------------------

    def reduced(self, sets: _Sets, step: Sequence[Sequence[int]]) -> tuple[Ints, int]:
        """Add up costs and prices times coefficients; return also prices times limits."""
        numbers, prices = step
        _expect(len(numbers) == len(prices), "a step has not one price per cut")
        reduced = sets.cost.copy()
        size, paid = 0, 0
        clusters: list[tuple[_Cut, int]] = []
        for number, given in zip(numbers, prices, strict=True):
            cut, price = self._cuts[_whole(number, 0, len(self._cuts) - 1)], _whole(given)
            size += price * max(cut.largest, cut.limit)
            _expect(size < 2**60, "prices are so large that sums could overflow")
            paid += price * cut.limit
            if cut.table is None:
                clusters.append((cut, price))
            else:
                places, values = cut.coefficients(sets)
                reduced[places] += price * values
        _add_clusters(reduced, sets, clusters)
        return reduced, paid

    def _apply(self, state: _State, step: Sequence[Sequence[int]]) -> _State | None:
        """Drop the sets that only networks at or above the target have; None if that is all."""
        sets = state.sets
        reduced, paid = self.reduced(sets, step)
        least = sets.least(reduced)
        cost = sum(least[v] for v in state.scope.tolist()) - paid
        if cost >= state.target:
            return None
        # The cost of this set and the cheapest ones of the other variables is below the target.
        extra = reduced - np.array(least)[sets.child]
        return _propagated(state._replace(sets=sets.kept(extra < min(state.target - cost, 2**62))))

    # ---- the tree ------------------------------------------------------------------------------

    def check_tree(self) -> None:
        """Go through the tree from its root; every leaf must be closed."""
        open_: list[tuple[int, _State]] = [
            (0, _State(self._sets, np.arange(self.n), (), self._target))
        ]
        while open_:
            number, state = open_.pop()
            self._visits += 1
            _expect(self._visits <= len(self._nodes), "its nodes do not form a tree")
            node = self._nodes[_whole(number, 0, len(self._nodes) - 1)]
            left: _State | None = state
            for step in node["steps"]:
                left = left and self._apply(left, step)
            if left is None:
                continue
            if node["parts"]:
                open_ += self._split(left, node["parts"])
            else:
                open_ += self._branch(number, left, node["branches"])

    def _branch(
        self, number: int, state: _State, branches: Sequence[int]
    ) -> list[tuple[int, _State]]:
        """Make both decisions: together they must cover every network."""
        _expect(len(branches) == 2, f"node {number} is neither closed nor split")
        (kind, *first), (other, *second) = (self._nodes[b]["decision"] for b in branches)
        sizes = {"arc": 3, "before": 2}
        _expect(kind == other and sizes.get(kind) == len(first), "a decision is of no known kind")
        opposite = [*first[:2], not first[2]] if kind == "arc" else first[::-1]
        _expect(second == opposite, f"the branches of node {number} are not opposites")
        states = [
            (branch, _decided(state, kind, decision))
            for branch, decision in zip(branches, (first, second), strict=True)
        ]
        # A branch on which nothing is possible needs no node, but it counts as visited.
        self._visits += sum(one is None for _, one in states)
        return [(branch, one) for branch, one in states if one is not None]

    def _split(
        self, state: _State, parts: Sequence[tuple[list[int], int, int]]
    ) -> list[tuple[int, _State]]:
        """Split into groups between which there is no cycle; each must reach its own target."""
        sets = state.sets
        _expect(not state.before and len(state.scope) == self.n, "only the root may be split")
        home = np.arange(self.n) + len(parts)  # variables in no part are alone
        for i, (group, _, _) in enumerate(parts):
            places = [_whole(v, 0, self.n - 1) for v in group]
            _expect(bool((home[places] >= len(parts)).all()), "a variable is in two parts")
            home[places] = i
        links = np.zeros((self.n + len(parts),) * 2, dtype=bool)
        children, members = np.nonzero(sets.counts())
        outside = home[children] != home[members]
        links[home[children[outside]], home[members[outside]]] = True
        _expect(not _closed(links).diagonal().any(), "there are cycles between the parts")
        cheapest = sets.least(sets.cost)
        total = sum(cheapest[v] for v in range(self.n) if home[v] >= len(parts))
        states = []
        for i, (_, number, target) in enumerate(parts):
            total += _whole(target, -(2**61))
            inside = home == i
            own = sets.kept(inside[sets.child])
            own = replace(
                own, slots=np.where(np.append(inside, True)[own.slots], own.slots, self.n)
            )
            part = _propagated(_State(own, np.flatnonzero(inside), (), target))
            if part is not None:
                states.append((number, part))
            else:
                self._visits += 1
        _expect(total >= state.target, "the parts do not add up to the target")
        return states


class _Cut(NamedTuple):
    """The sum of the coefficients of a network's sets is at most the limit."""

    group: list[int]
    level: int
    table: Ints | None
    limit: int

    @property
    def largest(self) -> int:
        return 1 if self.table is None else int(self.table.max())

    def coefficients(self, sets: _Sets) -> tuple[Ints, Ints]:
        """Return the sets of the group's variables, and how much they count in a local cut."""
        assert self.table is not None
        bit = np.zeros(len(sets.starts), dtype=np.int64)
        bit[self.group] = 1 << np.arange(len(self.group))
        own = np.concatenate([np.arange(sets.starts[v], sets.starts[v + 1]) for v in self.group])
        number = np.zeros(len(sets.starts), dtype=np.int64)
        number[self.group] = np.arange(len(self.group))
        return own, self.table[number[sets.child[own]], bit[sets.slots[own]].sum(axis=1)]


def _add_clusters(reduced: Ints, sets: _Sets, clusters: list[tuple[_Cut, int]]) -> None:
    """Add the price of each cluster to the sets of its variables with enough members in it."""
    inside = np.zeros((len(sets.starts), len(clusters)), dtype=np.uint8)
    for i, (cut, _) in enumerate(clusters):
        inside[cut.group, i] = 1
    level = np.array([cut.level for cut, _ in clusters], dtype=np.int64)
    prices = np.array([price for _, price in clusters], dtype=np.int64)
    for v in range(len(sets.starts) - 1):
        own, here = sets.span(v), np.flatnonzero(inside[v])
        if own.start == own.stop or not len(here):
            continue
        rows = inside[:, here]
        held = np.zeros((own.stop - own.start, len(here)), dtype=np.uint8)
        for slot in sets.slots[own].T:
            held += rows[slot]
        # Eight clusters at once: the sum of their prices for each of the 256 combinations.
        hits = np.packbits(held >= level[here], axis=1)
        padded = np.zeros((hits.shape[1], 8), dtype=np.int64)
        padded.ravel()[: len(here)] = prices[here]
        for column, eight in zip(hits.T, padded, strict=True):
            reduced[own] += (_COMBINATIONS * eight).sum(axis=1)[column]


def _most_of_any_order(table: Ints) -> int:
    """Return the largest sum of values over all orders: a variable has what comes before it.

    The best order of a set of variables is the best of one that leaves out its last variable.
    """
    size = len(table)
    subsets = np.arange(1 << size)
    count = np.zeros(1 << size, dtype=np.int64)
    for bit in range(size):
        count += subsets >> bit & 1
    best = np.full(1 << size, -1)
    best[0] = 0
    for members in range(1, size + 1):
        layer = subsets[count == members]
        for v in range(size):
            having = layer[layer >> v & 1 == 1]
            before = having ^ 1 << v
            best[having] = np.maximum(best[having], best[before] + table[v, before])
    return int(best[-1])


def _closed(links: Bools) -> Bools:
    """Return the transitive closure."""
    links = links.copy()
    for u in range(len(links)):
        links[links[:, u]] |= links[u]
    return links


def _propagated(state: _State) -> _State | None:
    """Drop the sets that would close a cycle with what all networks have; None if all are."""
    sets, n = state.sets, len(state.sets.starts) - 1
    while True:
        sizes = np.diff(sets.starts)
        if not sizes[state.scope].all():
            return None
        earlier = (sets.counts() == sizes[:, None]) & (sizes > 0)[:, None]
        for first, then in state.before:
            earlier[then, first] = True
        earlier = _closed(earlier)
        if earlier.diagonal().any():
            return None
        # What comes after a variable cannot be its parent.
        later = np.zeros((n, n + 1), dtype=bool)  # the last column stands for unused slots
        later[:, :-1] = earlier.T
        closes: Bools = np.any(later[sets.child[:, None], sets.slots], axis=1)
        if not closes.any():
            return state._replace(sets=sets)
        sets = sets.kept(~closes)


def _decided(state: _State, kind: str, decision: list[Any]) -> _State | None:
    """Return the networks of a state in which a decision holds; None if there are none."""
    first, second = (_whole(v, 0, len(state.sets.starts) - 2) for v in decision[:2])
    _expect(first != second and {first, second} <= set(state.scope.tolist()), "a strange decision")
    if kind == "before":
        return _propagated(state._replace(before=(*state.before, (first, second))))
    _expect(type(decision[2]) is bool, "a strange decision")
    has = (state.sets.slots == second).any(axis=1)
    fits: Bools = (state.sets.child != first) | (has ^ (not decision[2]))
    return _propagated(state._replace(sets=state.sets.kept(fits)))
