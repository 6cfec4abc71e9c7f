"""Certificates: proofs that another program can check, as they are recorded and written.

``docs/reference/certificates.md`` describes the format. ``checker/`` verifies it and shares no
code with what writes it.
"""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.atomic import atomic_path
from forebear._util.errors import ForebearWarning
from forebear._util.formats import OWN_VERSION
from forebear.proof.dual_ascent import NOT_ALLOWED
from forebear.proof.relation_cuts import HeadsCut, TailsCut
from forebear.proof.separation import ClusterCut, LocalCut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.proof.branching import ArcDecision
    from forebear.proof.flat_sets import FlatSets
    from forebear.proof.separation import Cut
    from forebear.proof.solver import Solver

FORMAT = "forebear certificate"
VERSION = 1

LARGEST_TABLE = 16
"""Variables of a group that dynamic programming solves: a check takes 2^16 steps then."""


# ---- the record of a proof ---------------------------------------------------------------------


@dataclass
class Record:
    """A node: the decision that made it, the prices that dropped sets or closed it, its branches.

    ``variables`` are the numbers, in the problem, of the variables that the decision names. A step
    has the numbers of some cuts, and their prices. ``parts`` are the groups of variables that the
    node was split into, the root of each, and what its variables cost at least.
    """

    decision: ArcDecision | None = None
    variables: tuple[int, ...] = ()
    steps: list[tuple[list[int], list[int]]] = field(default_factory=list)
    branches: list[int] = field(default_factory=list)
    parts: list[tuple[tuple[int, ...], int, int]] = field(default_factory=list)


@dataclass
class Tree:
    """The nodes of a proof, and the cuts that they use."""

    records: list[Record] = field(default_factory=lambda: [Record()])
    cuts: list[tuple[tuple[int, ...], Cut]] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    def step(
        self,
        record: int,
        cuts: Sequence[Cut],
        prices: NDArray[np.int64],
        variables: tuple[int, ...],
    ) -> None:
        """Record the prices of some cuts over these variables at a node."""
        used = np.flatnonzero(prices)
        numbers = [self._number(cuts[i], variables) for i in used.tolist()]
        self.records[record].steps.append((numbers, prices[used].tolist()))

    def branch(self, record: int, decision: ArcDecision, variables: tuple[int, ...]) -> int:
        """Add a branch to a node and return its number."""
        self.records.append(Record(decision, variables))
        self.records[record].branches.append(len(self.records) - 1)
        return len(self.records) - 1

    def split(self, record: int, groups: Sequence[Sequence[int]]) -> list[int]:
        """Split a node into groups of variables; return the number of each part."""
        if not groups:  # the cheapest sets that are left have no cycle: their sum is the proof
            self.step(record, (), np.empty(0, dtype=np.int64), ())
        numbers = []
        for group in groups:
            self.records.append(Record())
            numbers.append(len(self.records) - 1)
            self.records[record].parts.append((tuple(group), numbers[-1], 0))
        return numbers

    def aim(self, record: int, costs: Sequence[int]) -> None:
        """Note what the variables of each part cost at least; nothing if it was not split."""
        parts = self.records[record].parts
        for i, cost in enumerate(costs[: len(parts)]):
            parts[i] = (*parts[i][:2], cost)

    def _number(self, cut: Cut, variables: tuple[int, ...]) -> int:
        # The cuts stay alive in the list, so their identities do not recur.
        if id(cut) not in self._numbers:
            self._numbers[id(cut)] = len(self.cuts)
            self.cuts.append((variables, cut))
        return self._numbers[id(cut)]


def solution_table(sets: FlatSets, dearest: int) -> tuple[LocalCut, int]:
    """Return a cut over a group of variables that proves its least cost, and that cost.

    The value of a subset of the group is how much cheaper a variable is if it may choose its
    parents within the subset, compared with no parents. In every network, the values of what comes
    before each variable add up to at most ``limit``. A set within a smaller subset has a smaller
    value by as much as it costs more at least, or by less. So the sum of the cheapest sets and the
    largest values, less the limit, is the cost of the cheapest network. ``dearest`` is more than
    any network costs.
    """
    n = sets.n_variables
    masks = (sets.members(np.arange(len(sets))) << np.arange(n)).sum(axis=1)
    values = np.empty((n, 1 << n), dtype=np.int64)
    for v in range(n):
        own = sets.span(v)
        cheapest = np.full(1 << n, NOT_ALLOWED)
        np.minimum.at(cheapest, masks[own], sets.cost[own])
        for bit in range(n):
            halves = cheapest.reshape(-1, 2, 1 << bit)
            np.minimum(halves[:, 1], halves[:, 0], out=halves[:, 1])
        values[v] = np.maximum(min(int(cheapest[0]), dearest) - cheapest, 0)
    limit = _most_of_any_order(values)
    cost = int((sets.least(sets.cost) + values[:, -1]).sum()) - limit
    return LocalCut(tuple(range(n)), values, limit), cost


def _most_of_any_order(values: NDArray[np.int64]) -> int:
    """Return the largest sum of values over all orders, by dynamic programming over subsets."""
    size = len(values)
    subsets = np.arange(1 << size)
    members = np.array([subset.bit_count() for subset in subsets.tolist()])
    best = np.zeros(1 << size, dtype=np.int64)
    for count in range(1, size + 1):
        now = subsets[members == count]
        for v in range(size):
            having = now[now >> v & 1 == 1]
            before = having ^ 1 << v
            best[having] = np.maximum(best[having], best[before] + values[v, before])
    return int(best[-1])


# ---- the file ----------------------------------------------------------------------------------


def write_certificate(
    path: Path | str,
    parent_sets: ParentSets,
    tree: Tree,
    solver: Solver,
    network: Sequence[Sequence[int]] | None = None,
) -> None:
    """Write what a solver has proven, and the network that it found.

    If variables are contracted, the first of each part stands for all of it in cuts.
    """
    solver.settle()
    contraction = solver.contraction
    content = {
        "format": FORMAT,
        "version": VERSION,
        "forebear": OWN_VERSION,
        "variables": list(parent_sets.names),
        "sets": len(parent_sets),
        "provenance": parent_sets.provenance,
        "statements": _statements(solver.incumbents.relations),
        "contracted": [] if contraction is None else contraction.larger_parts,
        "ticks": round(math.log2(solver.ticks)),
        "cost": solver.cost,
        "network": None if network is None else [sorted(map(int, own)) for own in network],
        "cuts": [_cut(variables, cut) for variables, cut in tree.cuts],
        "nodes": [_node(record) for record in tree.records],
    }
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8") as file:
        json.dump(content, file, separators=(",", ":"), default=str)


def warn_of_no_certificate(path: Path | str) -> None:
    """Warn that a certificate was not written."""
    message = f"{path} was not written: the search ended before anything was proven"
    warnings.warn(ForebearWarning(message), stacklevel=2)


def _statements(relations: Relations | None) -> dict[str, list[list[int]]]:
    found = {} if relations is None else asdict(relations)
    return {kind: [list(pair) for pair in pairs] for kind, pairs in found.items() if pairs}


def _cut(variables: Sequence[int], cut: Cut) -> dict[str, Any]:
    def named(members: Sequence[int]) -> list[int]:
        return [int(variables[v]) for v in members]

    if isinstance(cut, ClusterCut):
        return {"cluster": named(cut.cluster), "level": cut.k}
    if isinstance(cut, LocalCut):
        # A row of values per variable, one value per subset of the group.
        values = [_corners(row) for row in cut.values]
        return {"group": named(cut.group), "values": values, "limit": int(cut.limit)}
    if isinstance(cut, HeadsCut):
        return (
            {"because": "before", "group": named(cut.group)}
            if cut.pair is None
            else {"because": "not_ancestors", "pair": named(cut.pair), "group": named(cut.group)}
        )
    if isinstance(cut, TailsCut):
        # Two sides are those of an adjacent pair.
        group = cut.pair if len(cut.sides) == 2 else cut.sides[0][1]
        kind = "adjacent" if len(cut.sides) == 2 else "ancestors"
        return {"because": kind, "pair": named(cut.pair), "group": named(group)}
    raise AssertionError("a cut of a kind that has no certificate")


def _corners(row: NDArray[np.int64]) -> list[list[int]]:
    """List the subsets that count more than each of their own subsets; these tell the others."""
    lower = np.zeros_like(row)
    masks = np.arange(len(row))
    for bit in range(len(row).bit_length() - 1):
        having = masks[masks >> bit & 1 == 1]
        lower[having] = np.maximum(lower[having], row[having ^ 1 << bit])
    return [[int(mask), int(row[mask])] for mask in np.flatnonzero(row > lower)]


def _node(record: Record) -> dict[str, Any]:
    variables = record.variables
    decision: list[Any] | None = None
    if record.decision is not None:
        child, parent, present = record.decision
        decision = ["arc", variables[child], variables[parent], present]
    return {
        "decision": decision,
        "steps": [list(step) for step in record.steps],
        "branches": record.branches,
        "parts": [[list(group), root, cost] for group, root, cost in record.parts],
    }
