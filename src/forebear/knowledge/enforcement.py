"""Enforced: how knowledge is enforced, by what is scored and by which orders are searched.

Arcs, tiers and limits determine which parent sets there are. That A comes before B determines
which orders are searched: every parent set of B is treated as if it needed A, so A comes before B
in every order. The network itself has the arc A -> B only if that pays. An ancestor is enforced by
requiring the arc itself, and an adjacent pair by requiring one of its arcs: this is simple, and a
warning says so.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear._util.text import counted, listing
from forebear.knowledge.contradictions import precedence
from forebear.knowledge.knowledge import Knowledge, Pair, as_knowledge
from forebear.knowledge.statements import Kind
from forebear.network.graphs import reachable
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints
from forebear.scoring.max_parents import LARGEST, possible_max_parents
from forebear.scoring.parts import ranking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from forebear.result import Result


class ArcRules(NamedTuple):
    """Knowledge as far as scoring can enforce it: required and forbidden arcs, and tiers."""

    required: list[Pair]
    forbidden: list[Pair]
    tiers: list[list[str]]


@dataclass(frozen=True)
class Enforced:
    """Knowledge about the variables of a table, ready to be enforced.

    ``arcs`` is what scoring enforces. ``orders`` lists for each variable those that must come
    before it, which the search enforces. Without knowledge, nothing changes.
    """

    knowledge: Knowledge
    arcs: ArcRules
    orders: Mapping[int, tuple[int, ...]]

    @classmethod
    def of(cls, knowledge: Any, names: Sequence[str]) -> Enforced:
        """Prepare knowledge about these variables: a Knowledge, files or None."""
        named = as_knowledge(knowledge).named(names)
        return cls(named, enforced_arcs(named), predecessors(named, names))

    def constraints(self, names: Sequence[str]) -> Constraints:
        """Return the constraints on parent sets that scoring enforces."""
        return Constraints.make(names, **self.arcs._asdict())

    @property
    def limits(self) -> bool:
        """Whether single variables have a ``max_parents`` of their own."""
        return bool(self.knowledge.max_parents)

    def check_checkpoint(self, checkpoint: Path | str | None) -> None:
        """Refuse a checkpoint if it could not hold the knowledge."""
        if self.orders and checkpoint is not None:
            raise ForebearError(
                "order constraints cannot be saved in a checkpoint: leave ",
                Parameter("checkpoint"),
                " out",
            )

    def warn_of_orders(self) -> None:
        """Warn that parent sets alone do not enforce orders and non-ancestors."""
        kinds = (Kind.BEFORE, Kind.NOT_ANCESTOR)
        said = [str(one) for one in self.knowledge.statements if one.kind in kinds]
        if said:
            warnings.warn(
                ForebearWarning(
                    f"parent sets alone do not enforce that {listing(said)}: use learn, or check "
                    "the network with Knowledge.violations"
                ),
                stacklevel=3,
            )

    def limited(self, parent_sets: ParentSets) -> ParentSets:
        """Drop the parent sets that are too large for their variable."""
        return limited_sets(parent_sets, self.knowledge)

    def ordered(self, parent_sets: ParentSets) -> ParentSets:
        """Return the sets to search: all orders over them respect the order statements."""
        return ordered_sets(self.limited(parent_sets), self.orders)

    def most_parents(self, n_variables: int) -> int:
        """Return the largest ``max_parents`` that leaves room for the order statements."""
        before = max(map(len, self.orders.values()), default=0)
        return min(possible_max_parents(n_variables), LARGEST - before)

    def settle(self, result: Result, parent_sets: ParentSets) -> Result:
        """Return the result over the sets as scored; warn if the network violates knowledge."""
        if self.orders:
            result = result.over(parent_sets)
        if violations := self.knowledge.violations(result):
            warnings.warn(
                ForebearWarning(f"the network violates the knowledge: {listing(violations)}"),
                stacklevel=3,
            )
        return result


def implied_arcs(knowledge: Knowledge) -> ArcRules:
    """Return the arcs and tiers that follow from the knowledge: every network has to obey them.

    Orders and ancestors forbid single arcs, not paths. An adjacent pair requires an arc only if
    one direction is ruled out.
    """
    forbidden = set(knowledge.forbidden) | knowledge.pairs(Kind.NOT_ANCESTOR)
    forbidden |= {(b, a) for a, b in precedence(knowledge.statements)}
    required = set(knowledge.required)
    barred = forbidden | knowledge.against_tiers
    for a, b in sorted(knowledge.pairs(Kind.ADJACENT)):
        possible = [arc for arc in ((a, b), (b, a)) if arc not in barred]
        if len(possible) == 1:
            required.add(possible[0])
    tiers = [[str(v) for v in tier] for tier in knowledge.tiers]
    return ArcRules(sorted(required), sorted(forbidden), tiers)


def enforced_arcs(knowledge: Knowledge) -> ArcRules:
    """Return arcs and tiers that enforce all but the orders; warn where this takes a choice."""
    implied = implied_arcs(knowledge)
    required = set(implied.required)
    chosen = []
    for a, b in sorted(knowledge.pairs(Kind.ANCESTOR)):
        if not _leads_to(required, a, b):
            chosen.append((a, b))
            required.add((a, b))
    for a, b in sorted(knowledge.pairs(Kind.ADJACENT)):
        if not required & {(a, b), (b, a)}:
            arc = (b, a) if (a, b) in implied.forbidden or _leads_to(required, b, a) else (a, b)
            chosen.append(arc)
            required.add(arc)
    if chosen:
        arcs = listing([f"{a} -> {b}" for a, b in chosen])
        warnings.warn(
            ForebearWarning(
                f"ancestors and adjacent pairs are enforced by requiring arcs: {arcs}; "
                "networks that satisfy them in another way are not searched"
            ),
            stacklevel=4,
        )
    return ArcRules(sorted(required), implied.forbidden, implied.tiers)


def _leads_to(arcs: Iterable[Pair], start: str, end: str) -> bool:
    """Return whether a path leads from one variable to another."""
    children: defaultdict[str, list[str]] = defaultdict(list)
    for a, b in arcs:
        children[a].append(b)
    return end in reachable([start], children)


def predecessors(knowledge: Knowledge, names: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """Return the variables that must come directly before each variable.

    Orders that follow from others are left out. That A is not an ancestor of B holds in every
    order with B first. If neither of two may be an ancestor of the other, one of them comes
    first, and the network is checked for the rest.
    """
    before = set(knowledge.pairs(Kind.BEFORE)) | knowledge.pairs(Kind.ANCESTOR)
    for a, b in sorted(knowledge.pairs(Kind.NOT_ANCESTOR)):
        if _is_order(before | {(b, a)} | knowledge.required):
            before.add((b, a))
    place = {name: v for v, name in enumerate(names)}
    direct = [(a, b) for a, b in before if not _leads_to(before - {(a, b)}, a, b)]
    found: dict[int, list[int]] = {}
    for a, b in sorted(direct):
        found.setdefault(place[b], []).append(place[a])
    return {v: tuple(sorted(earlier)) for v, earlier in found.items()}


def _is_order(pairs: Iterable[Pair]) -> bool:
    """Return whether the pairs contain no cycle."""
    graph: dict[str, set[str]] = {}
    for a, b in pairs:
        graph.setdefault(b, set()).add(a)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return False
    return True


def limited_sets(parent_sets: ParentSets, knowledge: Knowledge) -> ParentSets:
    """Drop the parent sets that exceed the limits of single variables."""
    if not knowledge.max_parents:
        return parent_sets
    sizes = (parent_sets.parents != parent_sets.none).sum(axis=0)
    most = np.full(parent_sets.n_variables, parent_sets.max_parents)
    for variable, limit in knowledge.max_parents.items():
        most[parent_sets.index(variable)] = limit
    child = np.repeat(np.arange(parent_sets.n_variables), parent_sets.counts)
    keep = sizes <= most[child]
    counts = np.bincount(child[keep], minlength=parent_sets.n_variables)
    return ParentSets(
        names=parent_sets.names,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        scores=parent_sets.scores[keep],
        parents=np.ascontiguousarray(parent_sets.parents[:, keep]),
        provenance=parent_sets.provenance,
    )


def ordered_sets(parent_sets: ParentSets, earlier: Mapping[int, Sequence[int]]) -> ParentSets:
    """Add to every set the variables that must come earlier; the scores stay the same.

    Every order that gives each variable a set then respects the order statements.
    """
    if not earlier:
        return parent_sets
    crowded = max(earlier, key=lambda v: len(earlier[v]))
    slots = parent_sets.max_parents + len(earlier[crowded])
    if slots > LARGEST:
        raise ForebearError(
            f"{counted(len(earlier[crowded]), 'variable')} must come directly before "
            f"{parent_sets.names[crowded]}, but with ",
            Parameter("max_parents", parent_sets.max_parents),
            f" at most {LARGEST - parent_sets.max_parents} can: use tiers instead",
        )
    lists = [
        _needing(parent_sets, v, earlier.get(v, ()), slots) for v in range(len(parent_sets.names))
    ]
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(scores) for scores, _ in lists], out=offsets[1:])
    return ParentSets(
        names=parent_sets.names,
        offsets=offsets,
        scores=np.concatenate([scores for scores, _ in lists]),
        parents=np.ascontiguousarray(np.concatenate([members for _, members in lists], axis=1)),
        provenance=parent_sets.provenance,
    )


def _needing(
    parent_sets: ParentSets, v: int, earlier: Sequence[int], slots: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores and members of one variable's sets, with the earlier variables added."""
    span = slice(int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1]))
    scores = np.array(parent_sets.scores[span])
    none = parent_sets.none
    members = np.full((slots, len(scores)), none, dtype=parent_sets.parents.dtype)
    members[: parent_sets.max_parents] = parent_sets.parents[:, span]
    if not earlier:
        return scores, members
    for a in earlier:
        free = (members != a).all(axis=0)
        members[np.argmax(members[:, free] == none, axis=0), np.flatnonzero(free)] = a
    members.sort(axis=0)
    _, first = np.unique(members, axis=1, return_index=True)  # of equal sets, the best
    keep = np.sort(first[np.isfinite(scores[first])])
    scores = np.append(scores[keep], -np.inf)
    members = np.append(members[:, keep], np.full((slots, 1), none, members.dtype), axis=1)
    order = ranking(scores, members)
    return scores[order], members[:, order]
