"""Brute-force versions of averages over networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from naive import Arc, Parents, is_acyclic


def feature_probabilities(
    networks: Sequence[Sequence[Parents]], weights: Sequence[Fraction]
) -> tuple[dict[Arc, Fraction], dict[Arc, Fraction], dict[Arc, Fraction]]:
    """How probable every arc, edge and Markov-blanket pair is: one pair after the other."""
    n = len(networks[0])
    weighted = [(g, weight / sum(weights)) for g, weight in zip(networks, weights, strict=True)]
    zero = Fraction()
    arcs, edges, blankets = {}, {}, {}
    for u, v in product(range(n), repeat=2):
        arcs[u, v] = sum((w for g, w in weighted if u in g[v]), zero)
    for u, v in combinations(range(n), 2):
        linked = [(g, w, u in g[v] or v in g[u]) for g, w in weighted]
        edges[u, v] = sum((w for _, w, link in linked if link), zero)
        blankets[u, v] = sum((w for g, w, link in linked if link or _marry(g, u, v)), zero)
    return arcs, edges, blankets


def _marry(network: Sequence[Parents], u: int, v: int) -> bool:
    return any(u in family and v in family for family in network)


def averaged_arcs(
    n: int, arcs: Mapping[Arc, float], edges: Mapping[Arc, float], threshold: float
) -> set[Arc]:
    """The surest arcs first, turned round where a cycle would close; no edges too rare."""
    kept: set[Arc] = set()
    for arc in sorted(arcs, key=lambda arc: (-arcs[arc], arc[1], arc[0])):
        probable = edges[min(arc), max(arc)] >= threshold
        if probable and not {arc, arc[::-1]} & kept:
            kept.add(arc if is_acyclic(_parents(n, kept | {arc})) else arc[::-1])
    return kept


def _parents(n: int, arcs: set[Arc]) -> list[list[int]]:
    return [[u for u, child in arcs if child == v] for v in range(n)]
