"""Check a certificate: a proof that no network of some parent sets costs less than it says.

It may be about the networks that respect some statements alone, such as "A is an ancestor of B".

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
    from collections.abc import Iterator, Sequence

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

    No network that respects the statements scores more than ``bound``. ``score`` is that of the
    network in the certificate, or None. Both are exact fractions of nats.
    """

    bound: Fraction
    score: Fraction | None
    nodes: int
    cuts: int
    statements: dict[str, list[tuple[int, int]]]


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
        _expect(certificate["version"] == 1, "it has a version that this checker does not know")
        _expect(certificate["variables"] == list(names), "it is about other variables")
        _expect(certificate["sets"] == len(scores), "it is about other parent sets")
        checker = _Checker(certificate, offsets, scores, parents)
        checker.check_tree()
        sizes = len(certificate["nodes"]), len(certificate["cuts"])
        return Checked(checker.bound, checker.score(), *sizes, checker.statements)
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RefusedError(f"it is not well formed ({type(error).__name__}: {error})") from error


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise RefusedError(message)


def _whole(value: Any, least: int = 0, most: int = 2**61) -> int:
    _expect(type(value) is int and least <= value <= most, f"{value!r} is not a number that fits")
    return int(value)


_STATEMENTS = ("before", "ancestors", "not_ancestors", "adjacent")


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
        self.statements = {
            kind: [self._pair(pair) for pair in certificate["statements"].get(kind, ())]
            for kind in _STATEMENTS
        }
        _expect(set(certificate["statements"]) <= set(_STATEMENTS), "it has an unknown statement")
        self._cuts = [self._read_cut(cut) for cut in certificate["cuts"]]
        self._visits = 0

    # ---- what it says -------------------------------------------------------------------------

    @property
    def bound(self) -> Fraction:
        """The score that is the proven cost below the sum of the best scores."""
        return Fraction(sum(self._best.tolist()) - self._target) / Fraction(self._ticks)

    def score(self) -> Fraction | None:
        """The score of the network, which must be as the certificate says."""
        if self._network is None:
            return None
        _expect(len(self._network) == self.n, "the network has not one parent set per variable")
        total, parents = Fraction(0), np.zeros((self.n, self.n), dtype=bool)
        for v, given in enumerate(self._network):
            own = self._sets.span(v)
            wanted = self._members(given)
            slots = self._sets.slots[own]
            same = (np.isin(slots, [*wanted, self.n]).all(axis=1)) & (
                (slots < self.n).sum(axis=1) == len(wanted)
            )
            _expect(bool(same.any()), f"variable {v} has no such parent set as in the network")
            total += Fraction(float(self._scores[own][same][0]))
            parents[v, wanted] = True
        above = _closed(parents)
        _expect(not above.diagonal().any(), "the network has a cycle")
        said = self.statements
        ordered = parents.copy()
        for first, then in said["before"]:
            ordered[then, first] = True
        respects = (
            not _closed(ordered).diagonal().any()
            and all(above[b, a] for a, b in said["ancestors"])
            and not any(above[b, a] for a, b in said["not_ancestors"])
            and all(parents[a, b] or parents[b, a] for a, b in said["adjacent"])
        )
        _expect(respects, "the network violates a statement")
        return total

    def _members(self, given: Sequence[Any]) -> list[int]:
        members = [_whole(v, 0, self.n - 1) for v in given]
        _expect(len(set(members)) == len(members), "something names a variable twice")
        return members

    def _pair(self, given: Sequence[Any]) -> tuple[int, int]:
        first, second = self._members(given)
        return first, second

    # ---- cuts: why every network satisfies them ------------------------------------------------

    def _read_cut(self, cut: dict[str, Any]) -> _Cut:
        if "cluster" in cut:
            # The first k of a cluster in a topological order have fewer than k parents in it.
            group = self._members(cut["cluster"])
            level = _whole(cut["level"], 1, len(group))
            return _Cut(len(group) - level, 1, group, level)
        if "values" in cut:
            return self._read_local_cut(cut)
        return self._read_statement_cut(cut)

    def _read_local_cut(self, cut: dict[str, Any]) -> _Cut:
        group = self._members(cut["group"])
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
        return _Cut(limit, int(table.max()), group, table=table)

    def _read_statement_cut(self, cut: dict[str, Any]) -> _Cut:
        """Read a cut that a statement makes valid: of some heads, not all count."""
        said, kind = self.statements, cut["because"]
        group = self._members(cut["group"])
        if kind == "before":
            # In the order of the statements, the first of the group has no parent in it.
            barred = {then for first, then in said["before"] if {first, then} <= set(group)}
            sides = [([v for v in group if v not in barred], group, True)]
            _expect(bool(sides[0][0]), "a cut has no heads")
            return _Cut.of_sides(sides)
        a, b = self._pair(cut["pair"])
        _expect((a, b) in said.get(kind, ()), "a cut is because of a statement that is not there")
        if kind == "ancestors":
            # The path from a to b leaves the group somewhere.
            _expect(a in group and b not in group, "a cut does not separate its pair")
            return _Cut.of_sides([([v for v in range(self.n) if v not in group], group, False)])
        if kind == "not_ancestors":
            # If all but a had a parent in the group, going back from b would end at a.
            _expect(a in group and b in group, "a cut does not hold its pair")
            return _Cut.of_sides([([v for v in group if v != a], group, True)])
        return _Cut.of_sides([([a], [b], False), ([b], [a], False)])

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
            if cut.level:
                clusters.append((cut, price))
            for places, values in cut.coefficients(sets):
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
        # An ancestor comes before its descendants in every topological order.
        before = (*self.statements["before"], *self.statements["ancestors"])
        root = _propagated(_State(self._sets, np.arange(self.n), before, self._target))
        open_ = [] if root is None else [(0, root)]
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
        _expect(not any(self.statements.values()), "statements may join the parts")
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
    """The sum of the coefficients of a network's sets is at most the limit.

    It is a cluster with a level, a group with a table of values, or it has sides: heads, tails, and
    whether a head's sets count 1 if they have tails, or if they have none.
    """

    limit: int
    largest: int
    group: list[int]
    level: int = 0
    table: Ints | None = None
    sides: Sequence[tuple[list[int], list[int], bool]] = ()

    @classmethod
    def of_sides(cls, sides: Sequence[tuple[list[int], list[int], bool]]) -> _Cut:
        return cls(sum(len(heads) for heads, _, _ in sides) - 1, 1, [], sides=sides)

    def coefficients(self, sets: _Sets) -> Iterator[tuple[Ints, Ints]]:
        """Yield sets, and how much they count. Clusters are added up elsewhere."""
        if self.table is not None:
            bit = np.zeros(len(sets.starts), dtype=np.int64)
            bit[self.group] = 1 << np.arange(len(self.group))
            for values, v in zip(self.table, self.group, strict=True):
                own = np.arange(sets.starts[v], sets.starts[v + 1])
                yield own, values[bit[sets.slots[own]].sum(axis=1)]
        for heads, tails, having in self.sides:
            is_head, is_tail = np.zeros((2, len(sets.starts)), dtype=bool)
            is_head[heads] = is_tail[tails] = True
            own = np.flatnonzero(is_head[sets.child])
            own = own[is_tail[sets.slots[own]].any(axis=1) == having]
            yield own, np.ones(len(own), dtype=np.int64)


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
