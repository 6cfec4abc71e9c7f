"""How knowledge is made sure of: by what is scored, and by which orders are searched.

Arcs, tiers and limits decide which parent sets there are. That A comes before B
decides which orders are searched: every set of B is taken to need A, so that A
precedes B in every order; the network itself does not have that arc unless it
pays. An ancestor is made sure of by the arc itself, and a pair to be joined by
one of its arcs: simple, sure, and told.
"""

from __future__ import annotations

import warnings
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import ForebearError, ForebearWarning
from forebear._util.text import listing
from forebear.knowledge.knowledge import Pair, ScoringConstraints
from forebear.knowledge.statements import Kind
from forebear.parentsets.collection import ParentSets
from forebear.scoring.parts import ranking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forebear.knowledge.knowledge import Knowledge

MOST_SLOTS = 15
"""Members that a set may have when the search begins."""


def scoring_constraints(knowledge: Knowledge, names: Sequence[str]) -> ScoringConstraints:
    """Say knowledge as required and forbidden arcs and tiers, so that scoring keeps to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)  # what is loose there is seen to here
        plain = knowledge.to_constraints(names)
    required = set(plain.required)
    chosen = []
    for a, b in sorted(knowledge.pairs(Kind.ANCESTOR)):
        if not _leads_to(required, a, b):
            chosen.append((a, b))
            required.add((a, b))
    for a, b in sorted(knowledge.pairs(Kind.ADJACENT)):
        if not required & {(a, b), (b, a)}:
            arc = (b, a) if (a, b) in plain.forbidden or _leads_to(required, b, a) else (a, b)
            chosen.append(arc)
            required.add(arc)
    if chosen:
        arcs = listing([f"{a} -> {b}" for a, b in chosen])
        warnings.warn(
            f"ancestors and pairs to be joined are made sure of by arcs: {arcs}; "
            "other ways are not tried",
            ForebearWarning,
            stacklevel=3,
        )
    return ScoringConstraints(sorted(required), plain.forbidden, plain.tiers)


def _leads_to(arcs: Iterable[Pair], start: str, end: str) -> bool:
    """Tell whether a path leads from one variable to another."""
    reached, todo = {start}, [start]
    while todo:
        here = todo.pop()
        for a, b in arcs:
            if a == here and b not in reached:
                reached.add(b)
                todo.append(b)
    return end in reached


def predecessors(knowledge: Knowledge, names: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """Which variables each has to come after, those left out that follow from others.

    That A is no ancestor of B holds in every order with B first. Where both are
    to be no ancestors of each other, one of them is first, and the network has
    to be looked at for the rest.
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
    graph: dict[str, set[str]] = {}
    for a, b in pairs:
        graph.setdefault(b, set()).add(a)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return False
    return True


def ordered_sets(parent_sets: ParentSets, earlier: Mapping[int, Sequence[int]]) -> ParentSets:
    """Return sets that need the variables which come earlier, and score as before.

    Every order that gives all variables a set keeps to what comes before what.
    """
    if not earlier:
        return parent_sets
    slots = parent_sets.max_parents + max(map(len, earlier.values()))
    if slots > MOST_SLOTS:
        raise ForebearError(
            f"too many variables come directly before one: with {parent_sets.max_parents} parents "
            f"there may be {MOST_SLOTS - parent_sets.max_parents}; use tiers for groups of them"
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
    """The sets of one variable, each with those that come earlier."""
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
    _, first = np.unique(members, axis=1, return_index=True)  # of equal ones, the best
    keep = np.sort(first[np.isfinite(scores[first])])
    scores = np.append(scores[keep], -np.inf)
    members = np.append(members[:, keep], np.full((slots, 1), none, members.dtype), axis=1)
    order = ranking(scores, members)
    return scores[order], members[:, order]
