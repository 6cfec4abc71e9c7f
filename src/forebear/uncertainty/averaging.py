"""What several networks agree on: the probability of arcs, edges and Markov blankets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from forebear._util.errors import ForebearError
from forebear.network import graphs
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forebear.network.graphs import Arc, Neighbours
    from forebear.result import Result
    from forebear.scoring.constraints import Variable

DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, eq=False)
class Averages:
    """How probable arcs, edges and relations are, over weighted networks.

    ``arcs`` has (parent, child) pairs of indices, ``edges`` the same without
    their direction and ``blankets`` the pairs in which each variable is in the
    other's Markov blanket; these two have the smaller index first. Pairs that
    are in no network are left out: their probability is 0.

    ``n_networks`` (or orders) were averaged; by their weights these are worth
    as much as ``effective`` ones of equal weight.
    """

    names: tuple[str, ...]
    arcs: Mapping[Arc, float]
    edges: Mapping[Arc, float]
    blankets: Mapping[Arc, float]
    n_networks: int
    effective: float

    def arc(self, parent: Variable, child: Variable) -> float:
        """The probability of an arc, by names or indices."""
        return self.arcs.get((self._index(parent), self._index(child)), 0.0)

    def edge(self, one: Variable, other: Variable) -> float:
        """The probability of an arc in either direction."""
        return self.edges.get(ascending(self._index(one), self._index(other)), 0.0)

    def blanket(self, one: Variable, other: Variable) -> float:
        """The probability that each is in the other's Markov blanket."""
        return self.blankets.get(ascending(self._index(one), self._index(other)), 0.0)

    def ranked_arcs(self) -> list[tuple[Arc, float]]:
        """The arcs with their probabilities, the most probable first; ties by child and parent."""
        return sorted(self.arcs.items(), key=lambda one: (-one[1], one[0][1], one[0][0]))

    def to_frame(self) -> pl.DataFrame:
        """Return one row an arc, the most probable first: it, and the same in either direction."""
        ranked = self.ranked_arcs()
        return pl.DataFrame(
            {
                "parent": [self.names[p] for (p, _), _ in ranked],
                "child": [self.names[v] for (_, v), _ in ranked],
                "probability": [probability for _, probability in ranked],
                "either_direction": [self.edges[ascending(*arc)] for arc, _ in ranked],
            },
            schema={
                "parent": pl.String,
                "child": pl.String,
                "probability": pl.Float64,
                "either_direction": pl.Float64,
            },
        )

    def _index(self, variable: Variable) -> int:
        return self._variables.index(variable)

    @cached_property
    def _variables(self) -> Network:
        return Network(self.names, ((),) * len(self.names))


def arc_probabilities(result: Result) -> Averages:
    """Average the alternatives of a result, each weighted by exp(score).

    With BDeu and its kin, these are the probabilities of arcs given the data
    and that one of these networks is true. Where the data do not tell the
    direction of an arc, it is the one of the networks at hand: the edge says
    more. Networks that the search did not keep count as impossible, so
    probabilities near 1 are rather too high; with the parent sets at hand,
    ``order_probabilities`` does better.
    """
    found = result.alternatives
    if not found:
        raise ForebearError(
            "this result holds no alternatives to average: it was made by hand, or by a version "
            "that kept none; search again"
        )
    weights = score_weights([one.score for one in found])
    return average(result.network.names, [one.parents for one in found], weights)


def score_weights(scores: Sequence[float]) -> list[float]:
    """Return exp(score - best) of every score: 1 for the best, 0 far below it."""
    given = np.array(scores, dtype=np.float64)
    best = given.max()
    below = np.zeros(len(given))
    # Of scores that are all minus infinity, none is below another.
    np.subtract(given, best, out=below, where=given != best)
    weights: list[float] = np.exp(below).tolist()
    return weights


def average(
    names: Sequence[str], networks: Iterable[Neighbours], weights: Sequence[float]
) -> Averages:
    """Average networks, given as every variable's parents, with weights that need not sum to 1."""
    arcs: defaultdict[Arc, float] = defaultdict(float)
    edges: defaultdict[Arc, float] = defaultdict(float)
    blankets: defaultdict[Arc, float] = defaultdict(float)
    total = squares = 0.0
    for parents, weight in zip(networks, weights, strict=True):
        if weight == 0.0:
            continue
        for v, family in enumerate(parents):
            for p in family:
                arcs[p, v] += weight
                edges[ascending(p, v)] += weight
        for pair in graphs.moral_edges(parents):
            blankets[pair] += weight
        total += weight
        squares += weight * weight
    if not total > 0.0:
        raise ForebearError("averaging needs a network with a weight above 0")

    # All sums were made in the same order, so what is in every network has exactly 1.
    def shares(sums: Mapping[Arc, float]) -> dict[Arc, float]:
        return {pair: weight / total for pair, weight in sums.items()}

    return Averages(
        names=tuple(names),
        arcs=shares(arcs),
        edges=shares(edges),
        blankets=shares(blankets),
        n_networks=len(weights),
        effective=total * total / squares,
    )


def check_threshold(threshold: float) -> None:
    """Refuse what is no probability of an edge."""
    if not 0.0 < threshold <= 1.0:
        raise ForebearError(f"threshold must be in (0, 1], got {threshold:g}")


def averaged_network(averages: Averages, threshold: float = DEFAULT_THRESHOLD) -> Network:
    """Return the network of the edges that have at least some probability.

    Each points the more probable way. Those whose direction is surest come
    first; one that would close a cycle is turned round, so that every edge
    that is probable enough is in the network, and no other.
    """
    check_threshold(threshold)
    parents: list[list[int]] = [[] for _ in averages.names]
    children: list[list[int]] = [[] for _ in averages.names]
    linked: set[Arc] = set()
    for (p, v), _ in averages.ranked_arcs():
        edge = ascending(p, v)
        if edge in linked or averages.edges[edge] < threshold:
            continue
        linked.add(edge)
        # In a DAG at most one of two variables is an ancestor of the other.
        turned = _leads_to(v, p, children)
        parent, child = (v, p) if turned else (p, v)
        parents[child].append(parent)
        children[parent].append(child)
    return Network(averages.names, tuple(map(tuple, parents)))


def _leads_to(start: int, end: int, children: Neighbours) -> bool:
    return end in graphs.reachable([start], children)


def ascending(one: int, other: int) -> Arc:
    """Return a pair with the smaller index first."""
    return (one, other) if one < other else (other, one)
