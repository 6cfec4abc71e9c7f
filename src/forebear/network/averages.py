"""Averages: how probable arcs, edges and Markov blankets are over several networks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear._util.html import escaped, html_figure
from forebear._util.text import counted, show_facts
from forebear.network import graphs
from forebear.network.arc_probabilities import NetworkProbabilities, ascending

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forebear.network.graphs import Arc, Neighbours


@dataclass(frozen=True, eq=False, repr=False)
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
    requested
        Number of networks that were asked for; more than ``n_networks`` if it was interrupted.

    Examples
    --------
    >>> import forebear
    >>> table = forebear.simulate(4, 300, seed=1).data
    >>> averages = forebear.bootstrap_averages(table, replicates=2, generations=2, seed=1)
    >>> averages
    Averages of 2 networks of 4 variables
      arcs: 5, of which 5 have a probability of at least 0.5
      most probable: X1 -> X2 1.00, X2 -> X3 1.00, X4 -> X2 0.50, X1 -> X4 0.50, X2 -> X4 0.50
    >>> averages.stop_reason
    'replicates'
    >>> averages.to_frame().columns
    ['parent', 'child', 'probability', 'either_direction']
    """

    names: tuple[str, ...]
    arcs: Mapping[Arc, float]
    edges: Mapping[Arc, float]
    blankets: Mapping[Arc, float]
    n_networks: int
    effective: float
    requested: int

    @property
    def stop_reason(self) -> str:
        """Why it ended: "replicates" if all networks were learnt, or "interrupted"."""
        return "replicates" if self.n_networks == self.requested else "interrupted"

    @property
    def shown_number(self) -> str:
        """The number of networks in words; if there are fewer than asked for, both numbers."""
        of = f"{self.n_networks:,} of " if self.stop_reason == "interrupted" else ""
        return f"{of}{counted(self.requested, 'network')}"

    def _title(self) -> str:
        ended = " (interrupted)" if self.stop_reason == "interrupted" else ""
        return f"of {self.shown_number}{ended} of {counted(len(self.names), 'variable')}"

    def __repr__(self) -> str:
        """Show the number of networks and of arcs, and the most probable arcs."""
        return show_facts(f"Averages {self._title()}", self._facts())

    def _repr_html_(self) -> str:
        """Show the most probable arcs as a table in notebooks."""
        return html_figure(f"<strong>Averages</strong> {escaped(self._title())}", self._table())


def average(
    names: Sequence[str],
    networks: Iterable[Neighbours],
    weights: Sequence[float],
    requested: int | None = None,
) -> Averages:
    """Average networks, given as the parents of every variable; weights need not sum to 1.

    ``requested`` is the number of networks that were asked for. Default: as many as are given.
    """
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
        requested=len(weights) if requested is None else requested,
    )
