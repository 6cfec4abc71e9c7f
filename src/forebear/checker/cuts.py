"""Cuts: inequalities that every network satisfies, and why each one is valid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from forebear.checker.subproblem import Ints, Sets, expect, expect_fields, read_integer

Statements = dict[str, list[tuple[int, int]]]

LARGEST_GROUP = 16
"""The most variables of a local cut: checking it takes 2^16 steps."""
_LARGEST_VALUE = 2**53
"""The largest value of a local cut: sums over a group do not overflow."""

STATEMENTS = ("before", "ancestors", "not_ancestors", "adjacent")


class ValidCut(NamedTuple):
    """An inequality: the coefficients of every network's sets add up to at most ``limit``.

    There are three kinds: a cluster with a level, a group with a table of values, and sides. A side
    consists of heads, tails and a flag. If the flag is true, the sets of a head that contain a tail
    have the coefficient 1; otherwise, those that contain no tail.
    """

    limit: int
    largest: int
    group: list[int]
    level: int = 0
    table: Ints | None = None
    sides: Sequence[tuple[list[int], list[int], bool]] = ()

    @classmethod
    def of_sides(cls, sides: Sequence[tuple[list[int], list[int], bool]]) -> ValidCut:
        """Return the cut that excludes that the sets of all heads have coefficient 1."""
        return cls(sum(len(heads) for heads, _, _ in sides) - 1, 1, [], sides=sides)

    def coefficients(self, sets: Sets) -> Iterator[tuple[Ints, Ints]]:
        """Yield the indices of sets, and their coefficients."""
        if self.level:
            inside = np.zeros(len(sets.starts), dtype=np.int8)
            inside[self.group] = 1
            own = np.concatenate([np.arange(*sets.starts[v : v + 2]) for v in self.group])
            own = own[inside[sets.slots[own]].sum(axis=1) >= self.level]
            yield own, np.ones(len(own), dtype=np.int64)
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


def read_members(given: Sequence[Any], n: int) -> list[int]:
    """Read numbers of variables, each at most once."""
    members = [read_integer(v, 0, n - 1) for v in given]
    expect(len(set(members)) == len(members), "an object lists a variable twice")
    return members


def read_pair(given: Sequence[Any], n: int) -> tuple[int, int]:
    """Read two different variables."""
    first, second = read_members(given, n)
    return first, second


def read_statements(given: dict[str, Any], n: int) -> Statements:
    """Read the statements that networks have to respect."""
    expect(set(given) <= set(STATEMENTS), "it has an unknown statement")
    found = {kind: [read_pair(pair, n) for pair in given.get(kind, ())] for kind in STATEMENTS}
    once = all(len(set(pairs)) == len(pairs) for pairs in found.values())
    expect(once, "it has a statement twice")
    return found


def read_cut(cut: dict[str, Any], n: int, statements: Statements) -> ValidCut:
    """Read a cut, and check that every network that respects the statements satisfies it."""
    if "cluster" in cut:
        expect_fields(cut, "cluster", "level")
        # The first k of a cluster in a topological order have fewer than k parents in it.
        group = read_members(cut["cluster"], n)
        level = read_integer(cut["level"], 1, len(group))
        return ValidCut(len(group) - level, 1, group, level)
    if "values" in cut:
        return _read_local_cut(cut, n)
    return _read_statement_cut(cut, n, statements)


def _read_local_cut(cut: dict[str, Any], n: int) -> ValidCut:
    expect_fields(cut, "group", "values", "limit")
    group = read_members(cut["group"], n)
    expect(0 < len(group) <= LARGEST_GROUP, "a group has too many variables, or none")
    table = np.zeros((len(group), 1 << len(group)), dtype=np.int64)
    for own, entries in zip(table, cut["values"], strict=True):
        masks = [read_integer(mask, 0, len(own) - 1) for mask, _ in entries]
        expect(len(set(masks)) == len(masks), "a local cut lists a subset twice")
        own[masks] = [read_integer(value, 0, _LARGEST_VALUE) for _, value in entries]
    for bit in range(len(group)):  # more parents count at least as much
        halves = table.reshape(len(group), -1, 2, 1 << bit)
        np.maximum(halves[:, :, 1], halves[:, :, 0], out=halves[:, :, 1])
    limit = read_integer(cut["limit"])
    expect(_most_of_any_order(table) <= limit, "a local cut has a limit that is too low")
    return ValidCut(limit, int(table.max()), group, table=table)


def _read_statement_cut(cut: dict[str, Any], n: int, statements: Statements) -> ValidCut:
    """Read a cut that follows from a statement: at least one of its heads has coefficient 0."""
    kind = cut["because"]
    expect_fields(cut, "because", "group", *([] if kind == "before" else ["pair"]))
    group = read_members(cut["group"], n)
    if kind == "before":
        # In the order of the statements, the first of the group has no parent in it.
        barred = {then for first, then in statements["before"] if {first, then} <= set(group)}
        sides = [([v for v in group if v not in barred], group, True)]
        expect(bool(sides[0][0]), "a cut has no heads")
        return ValidCut.of_sides(sides)
    a, b = read_pair(cut["pair"], n)
    expect((a, b) in statements.get(kind, ()), "a cut refers to a statement that does not exist")
    if kind == "ancestors":
        # The path from a to b leaves the group somewhere.
        expect(a in group and b not in group, "a cut does not separate its pair")
        return ValidCut.of_sides([([v for v in range(n) if v not in group], group, False)])
    if kind == "not_ancestors":
        # If all but a had a parent in the group, going back from b would end at a.
        expect(a in group and b in group, "a cut does not contain its pair")
        return ValidCut.of_sides([([v for v in group if v != a], group, True)])
    expect({a, b} == set(group), "a cut does not contain its pair")
    return ValidCut.of_sides([([a], [b], False), ([b], [a], False)])


def _most_of_any_order(table: Ints) -> int:
    """Return the largest sum of values over all orders, by the predecessors of each variable.

    For a set of variables, each is tried as the last one, after the best order of the others.
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
