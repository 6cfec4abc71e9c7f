"""Brute-force versions of ranking and search, written from the definitions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any, TypeAlias

from naive_scores import local_score

from forebear.data.dataset import Dataset
from forebear.parentsets.collection import ParentSets

Parents: TypeAlias = tuple[int, ...]
ScoredSet: TypeAlias = tuple[float, Parents]
ScoredSets: TypeAlias = list[list[ScoredSet]]
Arc: TypeAlias = tuple[int, int]


def allowed_sets(
    n_variables: int,
    child: int,
    max_parents: int,
    required: Collection[int] = (),
    forbidden: Collection[int] = (),
) -> list[Parents]:
    """List the parent sets that the constraints leave to a child."""
    others = [v for v in range(n_variables) if v != child and v not in forbidden]
    sets = (parents for size in range(max_parents + 1) for parents in combinations(others, size))
    return [parents for parents in sets if set(required) <= set(parents)]


def drop_dominated(scored: Iterable[ScoredSet]) -> list[ScoredSet]:
    """Drop every set of which some proper subset scores at least as high."""
    scored = list(scored)
    return [
        (score, parents)
        for score, parents in scored
        if not any(
            set(subset) < set(parents) and subset_score >= score for subset_score, subset in scored
        )
    ]


def best_first(scored: Iterable[ScoredSet]) -> list[ScoredSet]:
    """Sort by score, best first; ties by size, then lexicographic."""
    return sorted(scored, key=lambda item: (-item[0], len(item[1]), item[1]))


def parent_sets(
    dataset: Dataset,
    max_parents: int,
    score: str,
    required: Mapping[int, Collection[int]] | None = None,
    forbidden: Mapping[int, Collection[int]] | None = None,
    **params: Any,
) -> ScoredSets:
    """Return every variable's candidate parent sets as (score, parents), best first.

    The empty set is always the last one. Where ``required`` rules it out, its
    score is minus infinity and it makes no other set dominated.
    """
    result = []
    for child in range(dataset.n_variables):
        sets = allowed_sets(
            dataset.n_variables,
            child,
            max_parents,
            (required or {}).get(child, ()),
            (forbidden or {}).get(child, ()),
        )
        scored = [
            (local_score(dataset, child, parents, score, **params), parents) for parents in sets
        ]
        if () not in sets:
            scored.append((-math.inf, ()))
        result.append(best_first(drop_dominated(scored)))
    return result


def is_valid(
    offsets: Sequence[int], scores: Sequence[float], members: Sequence[Sequence[int]], none: int
) -> bool:
    """Whether these are parent sets; ``members`` has one sequence per set, padded with none."""
    for v, (begin, end) in enumerate(pairwise(offsets)):
        own = scores[begin:end]
        if any(math.isnan(score) or score == math.inf for score in own):
            return False
        if any(a < b for a, b in pairwise(own)):
            return False
        sets = [[p for p in places if p != none] for places in members[begin:end]]
        if sum(not parents for parents in sets) != 1:
            return False
        for parents, places in zip(sets, members[begin:end], strict=True):
            if list(places[: len(parents)]) != sorted(set(parents)):
                return False
            if v in parents or any(p >= len(offsets) - 1 for p in parents):
                return False
    return True


def order_parents(parent_sets: ScoredSets, order: Sequence[int]) -> list[ScoredSet]:
    """Return every variable's best (score, parents) among those that precede it in ``order``."""
    result = []
    for variable, scored in enumerate(parent_sets):
        predecessors = set(order[: list(order).index(variable)])
        result.append(
            best_first(item for item in scored if predecessors.issuperset(item[1]))[0],
        )
    return result


def as_lists(parent_sets: ParentSets) -> ScoredSets:
    """Spell a ``ParentSets`` out as the lists that the functions here take and give."""
    none = parent_sets.none
    result = []
    for v in range(parent_sets.n_variables):
        columns = range(int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1]))
        result.append(
            [
                (
                    float(parent_sets.scores[column]),
                    tuple(int(p) for p in parent_sets.parents[:, column] if int(p) != none),
                )
                for column in columns
            ]
        )
    return result


def order_score(parent_sets: ScoredSets, order: Sequence[int]) -> float:
    """Return the score of the best network that an order allows."""
    return math.fsum(score for score, _ in order_parents(parent_sets, order))


def best_score(parent_sets: ScoredSets) -> float:
    """Return the best score of any network: dynamic programming over sets of variables.

    The best network of a set of variables ends in one of them, which takes its best
    set among the others (Silander and Myllymäki, 2006).
    """
    n = len(parent_sets)
    best = [0.0] + [-math.inf] * (2**n - 1)
    for members in range(1, 2**n):
        for last in range(n):
            if members >> last & 1:
                before = members & ~(1 << last)
                choice = next(
                    score
                    for score, parents in best_first(parent_sets[last])
                    if all(before >> parent & 1 for parent in parents)
                )
                best[members] = max(best[members], best[before] + choice)
    return best[-1]


def best_within(scored: Sequence[ScoredSet], members: Collection[int]) -> int:
    """Return the rank of the best set whose members are all among those given."""
    return next(rank for rank, (_, parents) in enumerate(scored) if set(members) >= set(parents))


def is_acyclic(parents: Sequence[Collection[int]]) -> bool:
    """Tell if variables can be taken one by one, each after its parents."""
    placed: set[int] = set()
    while ready := [v for v, own in enumerate(parents) if v not in placed and placed >= set(own)]:
        placed.update(ready)
    return len(placed) == len(parents)


def arc_moves(
    parent_sets: ScoredSets, ranks: Sequence[int], max_parents: int
) -> list[tuple[str, int, int, list[int]]]:
    """List the moves of one arc from a network as (kind, parent, child, ranks after it).

    A move changes the parents of a child, or of two where the arc is reversed; each
    then takes its best candidate within. An arc that no candidate asks for is no move.
    """
    parents = [set(sets[rank][1]) for sets, rank in zip(parent_sets, ranks, strict=True)]
    pairs = [(p, u) for p in range(len(ranks)) for u in range(len(ranks)) if p != u]
    moves = []
    for p, u in pairs:
        if p in parents[u]:
            changes = [("remove", {u: parents[u] - {p}})]
            changes.append(("reverse", {u: parents[u] - {p}, p: parents[p] | {u}}))
        else:
            changes = [("add", {u: parents[u] | {p}})]
        for kind, changed in changes:
            graph = [changed.get(v, own) for v, own in enumerate(parents)]
            after = [best_within(sets, own) for sets, own in zip(parent_sets, graph, strict=True)]
            gainer = {"add": u, "reverse": p}.get(kind)
            idle = gainer is not None and after[gainer] == ranks[gainer]
            if is_acyclic(graph) and max(map(len, graph)) <= max_parents and not idle:
                moves.append((kind, p, u, after))
    return moves


def acyclic_selection(parent_sets: ScoredSets, order: Sequence[int]) -> list[int]:
    """Return the ranks that ASOBS chooses: from last to first, the best set that makes no cycle."""
    parents: list[Parents] = [() for _ in order]
    ranks = [0 for _ in order]
    for v in reversed(order):
        for rank, (_, members) in enumerate(parent_sets[v]):
            ranks[v], parents[v] = rank, members
            if is_acyclic(parents):
                break
    return ranks


def all_networks(parent_sets: ScoredSets) -> list[tuple[float, tuple[Parents, ...]]]:
    """List all networks with their scores, best first: every choice of sets is tried."""
    found = []
    for choice in product(*parent_sets):
        score = math.fsum(score for score, _ in choice)
        parents = tuple(own for _, own in choice)
        if score > -math.inf and is_acyclic(parents):
            found.append((score, parents))
    return sorted(found, key=lambda one: -one[0])


def score_of_ranks(sets: ScoredSets, ranks: Sequence[int]) -> float:
    """The score of the network that has the set of this rank (from 0) for every variable."""
    return math.fsum(own[rank][0] for own, rank in zip(sets, ranks, strict=True))


def best_distinct(
    sets: ScoredSets, networks: Iterable[Sequence[int]]
) -> list[tuple[float, tuple[int, ...]]]:
    """All networks that have a finite score, each once, best first."""
    scored = {(score_of_ranks(sets, ranks), tuple(ranks)) for ranks in networks}
    return sorted((one for one in scored if math.isfinite(one[0])), reverse=True)
