"""Averages: how probable arcs, edges and Markov blankets are over several networks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear.network import graphs
from forebear.uncertainty.probabilities import NetworkProbabilities, ascending

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forebear.network.graphs import Arc, Neighbours


@dataclass(frozen=True, eq=False)
class Averages(NetworkProbabilities):
    """How probable arcs, edges and Markov blankets are, averaged over weighted networks.

    ``bootstrap_averages`` returns it. An edge is an arc in either direction. Pairs that occur in no
    network are left out of the mappings; their probability is 0.

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
