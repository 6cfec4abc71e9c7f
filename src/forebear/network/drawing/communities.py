"""Communities: groups of nodes with more arcs within than between them.

The Louvain method (Blondel et al., 2008): every node moves to the group that raises modularity
most, until none does; then the groups are the nodes of a smaller graph, and so on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    Weights = list[dict[int, float]]


def communities(n: int, arcs: Iterable[tuple[int, int]], fewest: int = 4) -> list[list[int]]:
    """Group the nodes 0 to n - 1, the largest group first.

    Directions do not matter. Groups of fewer than ``fewest`` nodes join the one they have the most
    arcs to. Small components form one group, and so do nodes without arcs.
    """
    links = _links(n, arcs)
    alone = [v for v in range(n) if not links[v]]
    groups = _louvain(links)
    connected = [group for group in groups if links[group[0]]]
    merged, loose = _without_small(connected, links, fewest)
    found = [*merged, *([loose] if loose else []), *([alone] if alone else [])]
    return sorted(found, key=lambda group: (-len(group), group))


def _links(n: int, arcs: Iterable[tuple[int, int]]) -> Weights:
    """Return the weight of the arcs between every node and its neighbours."""
    links: Weights = [defaultdict(float) for _ in range(n)]
    for u, v in arcs:
        links[u][v] += 1.0
        links[v][u] += 1.0
    return links


def _louvain(links: Weights) -> list[list[int]]:
    groups = [[v] for v in range(len(links))]
    # An arc within a group counts as a link of the group to itself, from both ends.
    while True:
        home = _move(links)
        if len(set(home)) == len(links):
            return groups
        place = {group: k for k, group in enumerate(dict.fromkeys(home))}
        joined: list[list[int]] = [[] for _ in place]
        smaller: Weights = [defaultdict(float) for _ in place]
        for v, group in enumerate(home):
            joined[place[group]] += groups[v]
            for u, weight in links[v].items():
                smaller[place[group]][place[home[u]]] += weight
        groups, links = [sorted(group) for group in joined], smaller


def _move(links: Weights) -> list[int]:
    """Move nodes between groups until modularity does not rise; return the group of each."""
    degree = [sum(own.values()) for own in links]
    total = sum(degree)
    home = list(range(len(links)))
    mass = dict(enumerate(degree))
    moved = total > 0
    while moved:
        moved = False
        for v, own in enumerate(links):
            mass[home[v]] -= degree[v]
            towards: dict[int, float] = defaultdict(float)
            for u, weight in own.items():
                if u != v:
                    towards[home[u]] += weight
            gain = {g: w - degree[v] * mass[g] / total for g, w in towards.items()}
            stay = gain.get(home[v], -degree[v] * mass[home[v]] / total)
            best = max(gain, key=lambda g: (gain[g], -g), default=home[v])
            # A gain that is only rounding moves no node: nodes might move in circles.
            if gain.get(best, stay) > stay + 1e-9:
                home[v], moved = best, True
            mass[home[v]] += degree[v]
    return home


def _without_small(
    groups: list[list[int]], links: Weights, fewest: int
) -> tuple[list[list[int]], list[int]]:
    """Let small groups join their neighbours; return also what lies in small components."""
    home = {v: k for k, group in enumerate(groups) for v in group}
    loose: list[int] = []
    for k in sorted(range(len(groups)), key=lambda k: len(groups[k])):
        if len(groups[k]) >= fewest:
            continue
        near = Counter(home[u] for v in groups[k] for u in links[v] if home[u] != k)
        if near:
            target = max(near, key=lambda g: (near[g], -g))
            groups[target] = sorted(groups[target] + groups[k])
            home |= dict.fromkeys(groups[k], target)
        else:
            loose += groups[k]
        groups[k] = []
    return [group for group in groups if group], sorted(loose)
