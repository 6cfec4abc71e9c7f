"""Posterior: networks drawn from the posterior distribution, and the probabilities of features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear._util.errors import ForebearError
from forebear._util.text import counted, show_facts
from forebear._util.variable_names import Variable
from forebear.data.read_options import ReadOptions
from forebear.network.averages import NetworkProbabilities, edges_of
from forebear.network.graphs import Arc, moral_edges, reachable
from forebear.network.network import Network
from forebear.parentsets.collection import ParentSets
from forebear.posterior.diagnostics import Diagnostics, arc_indicators, diagnose
from forebear.result import Result

Families = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(NetworkProbabilities):
    """Networks drawn from their posterior distribution, as ``sample_posterior`` returns them.

    Attributes
    ----------
    names
        The names of the variables.
    families
        For every variable, the parent sets that it has in the draws.
    draws
        Indices into ``families``: chains by draws by variables.
    scores
        Chains by draws: the log posterior of the network, up to a constant.
    arcs
        The probability of each arc, by (parent, child) indices, averaged over all sweeps and not
        only over the draws that were kept. Arcs that never occurred are left out.
    about
        How the draws were generated: prior, seed, number of sweeps, moves, and so on.
    result
        The result of the search that the chains started from. None if the draws come from a file.
    parent_sets
        The parent sets that were sampled, with the prior in their scores. None if the draws come
        from a file.

    Examples
    --------
    >>> import forebear
    >>> table = forebear.simulate(4, 300, seed=1).data
    >>> posterior = forebear.sample_posterior(table, sweeps=2000, seed=1)
    >>> posterior.n_chains
    4
    >>> posterior.most_probable().n_variables
    4
    """

    names: tuple[str, ...]
    families: tuple[Families, ...]
    draws: NDArray[np.int32]
    scores: NDArray[np.float64]
    arcs: Mapping[Arc, float]
    about: dict[str, Any] = field(default_factory=dict)
    result: Result | None = None
    parent_sets: ParentSets | None = field(default=None, compare=False)

    @property
    def n_chains(self) -> int:
        """The number of chains."""
        return int(self.draws.shape[0])

    @property
    def n_draws(self) -> int:
        """The number of draws per chain."""
        return int(self.draws.shape[1])

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """R-hat and effective sample size of the score and of every arc."""
        return diagnose(self)

    @property
    def converged(self) -> bool:
        """Whether the chains agree well enough to trust the probabilities."""
        return self.diagnostics.converged

    @property
    def digits(self) -> int:
        """The number of digits with which probabilities should be shown."""
        return 3 if self.converged else 1

    # ---- probabilities -------------------------------------------------------------------

    def ancestor(self, ancestor: Variable, descendant: Variable) -> float:
        """Return the probability that a directed path leads from one variable to another.

        Parameters
        ----------
        ancestor
            Where the path begins, by name or index.
        descendant
            Where it ends, by name or index.

        Returns
        -------
        float
            The probability.
        """
        return self.ancestors.get((self.index(ancestor), self.index(descendant)), 0.0)

    def probability(self, feature: Callable[[Network], Any]) -> float:
        """Return the probability of any feature, or the mean of any number.

        Parameters
        ----------
        feature
            A function of a network that returns True or False, or a number. It is called once for
            every distinct network.

        Returns
        -------
        float
            The mean over all draws.
        """
        return float(self.values(feature).mean())

    def values(self, feature: Callable[[Network], Any]) -> NDArray[np.float64]:
        """Return a feature of every draw.

        Parameters
        ----------
        feature
            A function of a network that returns True or False, or a number.

        Returns
        -------
        numpy.ndarray
            Chains by draws.
        """
        networks, places = self._distinct()
        values = [float(feature(self._network(parents))) for parents in networks]
        return np.array(values)[places]

    @cached_property
    def edges(self) -> Mapping[Arc, float]:  # type: ignore[override]
        """The probability of each edge, by pairs of indices with the smaller one first."""
        return edges_of(self.arcs)

    @cached_property
    def blankets(self) -> Mapping[Arc, float]:  # type: ignore[override]
        """The probability that each of two variables is in the Markov blanket of the other."""
        return self._shares(moral_edges)

    @cached_property
    def ancestors(self) -> Mapping[Arc, float]:
        """The probability of each ancestral relation, by (ancestor, descendant) indices."""
        return self._shares(_ancestral_pairs)

    # ---- networks ------------------------------------------------------------------------

    def networks(self) -> Iterator[Network]:
        """Iterate over all draws, chain by chain.

        Yields
        ------
        Network
            The network of a draw.
        """
        for row in self.draws.reshape(-1, len(self.names)).tolist():
            yield self._network(self._parents(row))

    def most_probable(self) -> Network:
        """Return the network with the highest posterior probability among the draws.

        Returns
        -------
        Network
            An estimate of the maximum a posteriori network.
        """
        chain, draw = np.unravel_index(int(np.argmax(self.scores)), self.scores.shape)
        return self._network(self._parents(self.draws[chain, draw].tolist()))

    def to_frame(self) -> pl.DataFrame:
        """Return the probabilities of arcs as a data frame, the most probable first.

        Returns
        -------
        polars.DataFrame
            One row per arc with the columns ``parent``, ``child``, ``probability``,
            ``either_direction``, ``rhat`` and ``effective_sample_size``.
        """
        arcs = [arc for arc, _ in self.ranked_arcs()]
        rhats = self.diagnostics.arc_rhat
        sizes = self.diagnostics.arc_effective_sample_size
        return (
            super()
            .to_frame()
            .with_columns(
                rhat=pl.Series([rhats.get(arc) for arc in arcs], dtype=pl.Float64),
                effective_sample_size=pl.Series([sizes.get(arc) for arc in arcs], dtype=pl.Float64),
            )
        )

    # ---- elsewhere -----------------------------------------------------------------------

    def to_arviz(self) -> Any:
        """Return the draws as ArviZ InferenceData. This requires ArviZ.

        Returns
        -------
        arviz.InferenceData
            The score, and an array ``arc`` of the arcs that occur, by chain and draw.

        Raises
        ------
        ForebearError
            If ArviZ is not installed.
        """
        try:
            import arviz
        except ImportError:
            raise ForebearError("to_arviz requires the package arviz: pip install arviz") from None
        variables = {"score": self.scores}
        labels, columns = [], []
        for arcs, present in arc_indicators(self):
            labels += [f"{self.names[p]} -> {self.names[v]}" for p, v in arcs]
            columns.append(present)
        if columns:
            variables["arc"] = np.moveaxis(np.concatenate(columns), 0, -1).astype(np.int8)
        return arviz.from_dict(posterior=variables, dims={"arc": ["arcs"]}, coords={"arcs": labels})

    def save(self, path: Path | str) -> None:
        """Write the draws to a file.

        Parameters
        ----------
        path
            A ``.npz`` file, which NumPy reads. ``draws[chain, draw, variable]`` is the index of the
            parent set of a variable, and ``scores[chain, draw]`` the log posterior. ``counts``,
            ``sizes`` and ``members`` describe the parent sets, ``arcs`` and ``probabilities`` the
            arcs, and ``about``, JSON as bytes, the names and settings.
        """
        from forebear.posterior.draws_file import write_posterior

        write_posterior(self, path)

    @classmethod
    def load(cls, path: Path | str) -> Posterior:
        """Read draws from a file.

        Parameters
        ----------
        path
            A file written by ``save``.

        Returns
        -------
        Posterior
            The same draws.

        Raises
        ------
        FileError
            If the file cannot be read, is damaged, or does not hold draws.
        """
        from forebear.posterior.draws_file import read_posterior

        return cls(**read_posterior(path))

    def report(
        self, path: Path | str, data: Any = None, *, read: ReadOptions | None = None
    ) -> None:
        """Write an HTML report with the network, the probabilities and rank plots.

        Parameters
        ----------
        path
            The ``.html`` file.
        data
            The table, or the network of ``result`` with its probabilities (a FittedNetwork). The
            report then shows distributions and answers what-if questions. Default None: the report
            leaves these out and explains why.
        read
            How to read the table. Default None.

        Raises
        ------
        ForebearError
            If the draws come from a file: the report also describes the search, which is not saved.
        """
        from forebear.posterior.report import arc_probabilities
        from forebear.result.report.page import write_report
        from forebear.result.report.what_if import what_if_about

        if self.result is None:
            raise ForebearError(
                "draws that were read from a file have no report: sample again to write one"
            )
        what_if = what_if_about(self.result, data, read)
        write_report(self.result, path, arc_probabilities(self, self.result), what_if)

    # ---- inside --------------------------------------------------------------------------

    def _parents(self, row: list[int]) -> Families:
        return tuple(own[place] for own, place in zip(self.families, row, strict=True))

    def _network(self, parents: Families) -> Network:
        return Network(self.names, parents, row_sets=self.about.get("row_sets"))

    def _distinct(self) -> tuple[list[Families], NDArray[np.intp]]:
        """Return the parents of every distinct network, and the index of each draw's network."""
        flat = self.draws.reshape(-1, len(self.names))
        rows, places = np.unique(flat, axis=0, return_inverse=True)
        return [self._parents(row) for row in rows.tolist()], places.reshape(self.scores.shape)

    def _shares(self, relation: Callable[[Families], set[Arc]]) -> dict[Arc, float]:
        """Return the share of the draws in which each pair is related."""
        networks, places = self._distinct()
        counts: Counter[Arc] = Counter()
        for parents, times in zip(networks, np.bincount(places.ravel()).tolist(), strict=True):
            counts.update(dict.fromkeys(relation(parents), times))
        return {pair: times / places.size for pair, times in counts.items()}

    def __repr__(self) -> str:
        """Show the size, and whether the chains agree."""
        size = f"{counted(self.n_chains, 'chain')} of {counted(self.n_draws, 'draw')}"
        return show_facts(f"Posterior with {size}", self.diagnostics.facts())


def _ancestral_pairs(parents: Families) -> set[Arc]:
    """Return all pairs of an ancestor and a descendant."""
    return {(a, v) for v in range(len(parents)) for a in reachable(parents[v], parents)}


def sum_by_arc(sets: ParentSets, weights: NDArray[np.float64]) -> dict[Arc, float]:
    """Return the total weight of the parent sets that contain each arc, if it is positive.

    The weights of a variable's sets add up to 1, so a sum above 1 is a rounding error.
    """
    used = np.flatnonzero(weights)
    child = np.searchsorted(sets.offsets, used, side="right") - 1
    n = sets.n_variables
    arcs, added = [np.empty(0, np.int64)], [np.empty(0)]
    for slot in sets.parents[:, used]:
        is_member = slot != sets.none
        arcs.append(slot[is_member].astype(np.int64) * n + child[is_member])
        added.append(weights[used[is_member]])
    distinct, places = np.unique(np.concatenate(arcs), return_inverse=True)
    totals = np.bincount(places.reshape(-1), weights=np.concatenate(added))
    return {
        divmod(arc, n): min(1.0, total)
        for arc, total in zip(distinct.tolist(), totals.tolist(), strict=True)
    }
