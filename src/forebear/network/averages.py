"""Averages: probabilities of arcs, and networks that summarize them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear._util.checks import check_kind, check_real
from forebear._util.errors import ForebearError, Parameter
from forebear._util.html import escaped, html_figure, html_table
from forebear._util.text import counted, listing, show_facts
from forebear._util.variable_names import Variable, VariableNames
from forebear.network import graphs
from forebear.network.graphs import Arc, Neighbors
from forebear.network.network import Network

DEFAULT_THRESHOLD = 0.5
"""The smallest probability of an edge of the averaged network."""

_ARCS_SHOWN = 10
"""The number of arcs that notebooks show."""


class Probabilities(VariableNames):
    """The probabilities of arcs and edges. An edge is an arc in either direction.

    Pairs of probability 0 may be left out of the mappings.

    Attributes
    ----------
    names
        The names of the variables.
    arcs
        The probability of each arc, by (parent, child) indices.
    edges
        The probability of each edge, by pairs of indices with the smaller one first.
    """

    names: tuple[str, ...]
    arcs: Mapping[Arc, float]
    edges: Mapping[Arc, float]

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
        return self.arcs.get((self.index(parent), self.index(child)), 0.0)

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
        return self.edges.get(ascending(self.index(one), self.index(other)), 0.0)

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
        schema = {
            "parent": pl.String,
            "child": pl.String,
            "probability": pl.Float64,
            "either_direction": pl.Float64,
        }
        rows = [
            (self.names[p], self.names[v], share, self.edges[ascending(p, v)])
            for (p, v), share in self.ranked_arcs()
        ]
        return pl.DataFrame(rows, schema, orient="row")

    def matrix(self) -> NDArray[np.float64]:
        """Return the probabilities of arcs as an array.

        Returns
        -------
        numpy.ndarray
            Rows are parents, columns are children.
        """
        matrix = np.zeros((len(self.names), len(self.names)))
        for arc, share in self.arcs.items():
            matrix[arc] = share
        return matrix

    def median(self) -> Network:
        """Return the median probability network: all arcs that are more probable than not.

        Returns
        -------
        Network
            The arcs with a probability above 0.5. If they form a cycle, the least probable are left
            out.
        """
        parents: list[list[int]] = [[] for _ in self.names]
        for (p, v), share in self.ranked_arcs():
            if share > DEFAULT_THRESHOLD and v not in graphs.reachable([p], parents):
                parents[v].append(p)
        return Network(self.names, tuple(map(tuple, parents)))

    def consensus(self, threshold: float = DEFAULT_THRESHOLD) -> Network:
        """Return the network of all edges with at least a given probability.

        Parameters
        ----------
        threshold
            Smallest probability of an edge, in (0, 1]. Default: 0.5.

        Returns
        -------
        Network
            The edges that reach the threshold, each in its more probable direction
            (``averaged_network``).
        """
        return averaged_network(self, threshold)

    def _facts(self) -> list[tuple[str, object]]:
        """Return the facts about arcs that ``repr`` shows."""
        half = sum(share >= DEFAULT_THRESHOLD for share in self.arcs.values())
        count = f"{len(self.arcs):,}, of which {half:,} have a probability of at least 0.5"
        ranked = [
            f"{self.names[p]} -> {self.names[v]} {share:.2f}"
            for (p, v), share in self.ranked_arcs()[:_ARCS_SHOWN]
        ]
        return [("arcs", count), *([("most probable", listing(ranked))] if ranked else [])]

    def _table(self) -> str:
        """Return the most probable arcs as an HTML table."""
        rows = [
            (f"{parent} → {child}", f"{share:.3f}", f"{either:.3f}")
            for parent, child, share, either in self.to_frame().head(_ARCS_SHOWN).iter_rows()
        ]
        rest = len(self.arcs) - len(rows)
        more = f"<p>and {counted(rest, 'less probable arc')}</p>" if rest else ""
        return html_table(("arc", "probability", "either direction"), rows) + more


class NetworkProbabilities(Probabilities):
    """Probabilities of arcs, edges and Markov blankets, computed from a collection of networks.

    Attributes
    ----------
    blankets
        The probability that each of two variables is in the Markov blanket of the other, by
        pairs of indices with the smaller one first.
    """

    blankets: Mapping[Arc, float]

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
        return self.blankets.get(ascending(self.index(one), self.index(other)), 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class Averages(NetworkProbabilities):
    """The probabilities of arcs, edges and Markov blankets, averaged over networks.

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
    requested
        Number of networks that were requested; more than ``n_networks`` if the run was interrupted.

    Examples
    --------
    >>> import forebear
    >>> table = forebear.simulate(4, 300, seed=1).data
    >>> averages = forebear.bootstrap_averages(table, replicates=2, generations=2, seed=1)
    >>> averages
    Averages of 2 networks of 4 variables
      arcs: 6, of which 6 have a probability of at least 0.5
      most probable: X1 -> X2 1.00, X2 -> X3 1.00, X4 -> X2 0.50, X1 -> X3 0.50, X1 -> X4 0.50, ...
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
    requested: int

    @property
    def stop_reason(self) -> str:
        """Why the run ended: "replicates" if all networks were learned, or "interrupted"."""
        return "replicates" if self.n_networks == self.requested else "interrupted"

    @property
    def shown_number(self) -> str:
        """The number of networks in words; both numbers if fewer than requested were learned."""
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
    names: Sequence[str], networks: Sequence[Neighbors], requested: int | None = None
) -> Averages:
    """Average networks, given as the parents of every variable.

    ``requested`` is the number of networks that were requested. Default: the number given.
    """
    arcs = ((p, v) for parents in networks for v, family in enumerate(parents) for p in family)
    edges = (edge for parents in networks for edge in graphs.skeleton(parents))
    blankets = (edge for parents in networks for edge in graphs.moral_edges(parents))

    def shares(pairs: Iterable[Arc]) -> dict[Arc, float]:
        return {pair: count / len(networks) for pair, count in Counter(pairs).items()}

    return Averages(
        names=tuple(names),
        arcs=shares(arcs),
        edges=shares(edges),
        blankets=shares(blankets),
        n_networks=len(networks),
        requested=requested or len(networks),
    )


def edges_of(arcs: Mapping[Arc, float]) -> dict[Arc, float]:
    """Return the probabilities of edges: the sums of those of the two possible arcs."""
    edges: dict[Arc, float] = {}
    for arc, share in arcs.items():
        pair = ascending(*arc)
        edges[pair] = min(1.0, edges.get(pair, 0.0) + share)
    return edges


def check_threshold(threshold: float) -> None:
    """Check that a threshold is in (0, 1]."""
    check_real(-math.inf, threshold=threshold)
    if not 0.0 < threshold <= 1.0:
        raise ForebearError(Parameter("threshold"), f" must be in (0, 1], got {threshold:g}")


def averaged_network(averages: Probabilities, threshold: float = DEFAULT_THRESHOLD) -> Network:
    """Return the network of all edges with at least a given probability.

    Each edge gets its more probable direction. Arcs are added from the most probable to the least
    probable, and an arc that would close a cycle is reversed. The network therefore has exactly the
    edges that reach the threshold.

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
    check_kind(
        Probabilities,
        "probabilities of arcs",
        "compute them with bootstrap_averages",
        averages=averages,
    )
    check_threshold(threshold)
    parents: list[list[int]] = [[] for _ in averages.names]
    children: list[list[int]] = [[] for _ in averages.names]
    added: set[Arc] = set()
    for (p, v), _ in averages.ranked_arcs():
        edge = ascending(p, v)
        if edge in added or averages.edges[edge] < threshold:
            continue
        added.add(edge)
        # At most one of two variables is an ancestor of the other, so one direction is possible.
        parent, child = (v, p) if p in graphs.reachable([v], children) else (p, v)
        parents[child].append(parent)
        children[parent].append(child)
    return Network(averages.names, tuple(map(tuple, parents)))


def ascending(one: int, other: int) -> Arc:
    """Return a pair with the smaller index first."""
    return (one, other) if one < other else (other, one)
