"""Averages: how probable arcs, edges and Markov blankets are over several networks."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from forebear._util.checks import check_real
from forebear._util.errors import ForebearError, Parameter
from forebear._util.names import Names
from forebear.network import graphs
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forebear._util.names import Variable
    from forebear.network.graphs import Arc, Neighbours

DEFAULT_THRESHOLD = 0.5
"""Edges that are more probable than not."""


@dataclass(frozen=True, eq=False)
class Averages:
    """How probable arcs, edges and Markov blankets are, averaged over weighted networks.

    ``bootstrap_averages`` returns it, and ``Posterior.averages`` is one. An edge is an arc in
    either direction. Pairs that occur in no network are left out of the mappings; their
    probability is 0.

    Attributes
    ----------
    names
        The names of the variables.
    arcs
        The probability of each arc, by (parent, child) indices.
    edges
        The probability of each edge, by pairs of indices with the smaller one first.
    blankets
        The probability that each of two variables is in the Markov blanket of the other, by
        pairs of indices with the smaller one first.
    n_networks
        Number of networks averaged.
    effective
        Effective number of networks: as many of equal weight carry the same information.

    Examples
    --------
    >>> import forebear
    >>> table = forebear.simulate(4, 300, seed=1).data
    >>> averages = forebear.bootstrap_averages(table, replicates=2, generations=2, seed=1)
    >>> averages.n_networks
    2
    >>> averages.to_frame().columns
    ['parent', 'child', 'probability', 'either_direction']
    """

    names: tuple[str, ...]
    arcs: Mapping[Arc, float]
    edges: Mapping[Arc, float]
    blankets: Mapping[Arc, float]
    n_networks: int
    effective: float

    def arc(self, parent: Variable, child: Variable) -> float:
        """Return the probability of an arc.

        Parameters
        ----------
        parent
            The parent, by name or index.
        child
            The child, by name or index.

        Returns
        -------
        float
            The probability of this arc in this direction.
        """
        return self.arcs.get((self._index(parent), self._index(child)), 0.0)

    def edge(self, one: Variable, other: Variable) -> float:
        """Return the probability of an arc in either direction.

        Parameters
        ----------
        one
            A variable, by name or index.
        other
            Another variable, by name or index.

        Returns
        -------
        float
            The probability that the two are adjacent.
        """
        return self.edges.get(ascending(self._index(one), self._index(other)), 0.0)

    def blanket(self, one: Variable, other: Variable) -> float:
        """Return the probability that each variable is in the other's Markov blanket.

        Parameters
        ----------
        one
            A variable, by name or index.
        other
            Another variable, by name or index.

        Returns
        -------
        float
            The probability that they are adjacent or have a child in common.
        """
        return self.blankets.get(ascending(self._index(one), self._index(other)), 0.0)

    def ranked_arcs(self) -> list[tuple[Arc, float]]:
        """Return the arcs with their probabilities, the most probable first.

        Returns
        -------
        list of ((int, int), float)
            Pairs of a (parent, child) arc and its probability; ties by child, then by parent.
        """
        return sorted(self.arcs.items(), key=lambda one: (-one[1], one[0][1], one[0][0]))

    def to_frame(self) -> pl.DataFrame:
        """Return the probabilities as a data frame, the most probable arc first.

        Returns
        -------
        polars.DataFrame
            One row per arc with the columns ``parent``, ``child``, ``probability`` and
            ``either_direction``, the probability of the edge.
        """
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
        return self._lookup.index(variable)

    @cached_property
    def _lookup(self) -> Names:
        return Names(self.names)


def average(
    names: Sequence[str], networks: Iterable[Neighbours], weights: Sequence[float]
) -> Averages:
    """Average networks, given as the parents of every variable; weights need not sum to 1."""
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
        raise ForebearError("averaging needs a network with a positive weight")

    # All sums are made in the same order, so a pair in every network has exactly 1.
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
    """Check that a threshold is in (0, 1]."""
    check_real(-math.inf, threshold=threshold)
    if not 0.0 < threshold <= 1.0:
        raise ForebearError(Parameter("threshold"), f" must be in (0, 1], got {threshold:g}")


def averaged_network(averages: Averages, threshold: float = DEFAULT_THRESHOLD) -> Network:
    """Return the network of all edges with at least a given probability.

    Each edge gets its more probable direction. Arcs are added from the most probable to the
    least; one that would close a cycle is reversed. So the network has exactly the edges that
    reach the threshold.

    Parameters
    ----------
    averages
        The probabilities.
    threshold
        Smallest probability of an edge, in (0, 1]. Default: 0.5.

    Returns
    -------
    Network
        The averaged network.

    Raises
    ------
    ForebearError
        If the threshold is not in (0, 1].

    Examples
    --------
    >>> import forebear
    >>> table = forebear.simulate(4, 300, seed=1).data
    >>> averages = forebear.bootstrap_averages(table, replicates=2, generations=2, seed=1)
    >>> network = forebear.averaged_network(averages, threshold=0.9)
    >>> network.n_variables
    4
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
        # At most one of two variables is an ancestor of the other, so one direction is possible.
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
