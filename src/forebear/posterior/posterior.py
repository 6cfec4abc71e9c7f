"""Posterior: networks drawn from the posterior distribution, and what they say."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from forebear._util.errors import ForebearError
from forebear._util.text import counted, show_facts
from forebear.network.graphs import moral_edges
from forebear.network.network import Network
from forebear.posterior.convergence import Diagnostics, diagnose
from forebear.posterior.features import ancestral_pairs, related_shares
from forebear.uncertainty.probabilities import NetworkProbabilities, edges_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear._util.names import Variable
    from forebear.data.reading import ReadOptions
    from forebear.network.graphs import Arc
    from forebear.result import Result

    Families = tuple[tuple[int, ...], ...]

SURE_DIGITS, UNSURE_DIGITS = 3, 1
"""Digits of a probability that are shown if the chains agree, and if they do not."""


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
        Chains by draws by variables: which of these sets the variable has.
    scores
        Chains by draws: the log posterior of the network, up to a constant.
    arcs
        The probability of each arc, by (parent, child) indices, averaged over all sweeps and not
        only over the draws that were kept. Arcs that never occurred are left out.
    about
        How the draws were made: prior, seed, number of sweeps, moves, and so on.
    result
        The result of the search that the chains started from. None if the draws come from a file.

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
        """The number of digits to which probabilities may be shown."""
        return SURE_DIGITS if self.converged else UNSURE_DIGITS

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
        return self.ancestors.get((self._index(ancestor), self._index(descendant)), 0.0)

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
        flat = self.draws.reshape(-1, len(self.names))
        rows, places = np.unique(flat, axis=0, return_inverse=True)
        found = np.array([float(feature(self._network(row))) for row in rows.tolist()])
        return np.asarray(found[np.asarray(places).reshape(-1)], dtype=np.float64).reshape(
            self.scores.shape
        )

    @cached_property
    def edges(self) -> Mapping[Arc, float]:  # type: ignore[override]
        """The probability of each edge, by pairs of indices with the smaller one first."""
        return edges_of(self.arcs)

    @cached_property
    def blankets(self) -> Mapping[Arc, float]:  # type: ignore[override]
        """The probability that each of two variables is in the Markov blanket of the other."""
        return related_shares(self, moral_edges)

    @cached_property
    def ancestors(self) -> Mapping[Arc, float]:
        """The probability of each ancestral relation, by (ancestor, descendant) indices."""
        return related_shares(self, ancestral_pairs)

    # ---- networks ------------------------------------------------------------------------

    def networks(self) -> Iterator[Network]:
        """Iterate over all draws, chain by chain.

        Yields
        ------
        Network
            The network of a draw.
        """
        for row in self.draws.reshape(-1, len(self.names)).tolist():
            yield self._network(row)

    def most_probable(self) -> Network:
        """Return the network with the highest posterior that the chains met in their draws.

        Returns
        -------
        Network
            The maximum a posteriori network, as far as it is known.
        """
        chain, draw = np.unravel_index(int(np.argmax(self.scores)), self.scores.shape)
        return self._network(self.draws[chain, draw].tolist())

    def to_frame(self) -> pl.DataFrame:
        """Return the probabilities of arcs as a data frame, the most probable first.

        Returns
        -------
        polars.DataFrame
            One row per arc with the columns ``parent``, ``child``, ``probability``,
            ``either_direction``, ``rhat`` and ``ess``.
        """
        ranked = [arc for arc, _ in self.ranked_arcs()]
        found = self.diagnostics
        return (
            super()
            .to_frame()
            .with_columns(
                rhat=pl.Series([found.arc_rhat.get(arc) for arc in ranked], dtype=pl.Float64),
                ess=pl.Series([found.arc_ess.get(arc) for arc in ranked], dtype=pl.Float64),
            )
        )

    # ---- elsewhere -----------------------------------------------------------------------

    def to_arviz(self) -> Any:
        """Return the draws as InferenceData of ArviZ, which has to be installed.

        Returns
        -------
        arviz.InferenceData
            The score, and an array ``arc`` of the arcs that occur, by chain and draw.

        Raises
        ------
        ForebearError
            If ArviZ is not installed.
        """
        from forebear.posterior.arviz import as_inference_data

        return as_inference_data(self)

    def save(self, path: Path | str) -> None:
        """Write the draws to a file.

        Parameters
        ----------
        path
            A ``.npz`` file: plain arrays, which NumPy reads.
        """
        from forebear.posterior.files import write_posterior

        write_posterior(self, path)

    @classmethod
    def load(cls, path: Path | str) -> Posterior:
        """Read draws from a file.

        Parameters
        ----------
        path
            A file that ``save`` has written.

        Returns
        -------
        Posterior
            The same draws.

        Raises
        ------
        FileError
            If the file cannot be read, is damaged, or holds something else.
        """
        from forebear.posterior.files import read_posterior

        return cls(**read_posterior(path))

    def report(
        self, path: Path | str, data: Any = None, *, read: ReadOptions | None = None
    ) -> None:
        """Write the report: an HTML page with the network, the probabilities and rank plots.

        Parameters
        ----------
        path
            The page.
        data
            The table, or the network of ``result`` with its probabilities (a FittedNetwork). The
            report then shows distributions and answers what-if questions. Default None: it says
            that it cannot.
        read
            How to read the table. Default None.

        Raises
        ------
        ForebearError
            If the draws come from a file: the report is also about the search.
        """
        from forebear.posterior.reporting import write_posterior_report

        if self.result is None:
            raise ForebearError(
                "draws that were read from a file have no report: sample again to write one"
            )
        write_posterior_report(self, self.result, path, data, read)

    # ---- inside --------------------------------------------------------------------------

    def _parents(self, row: tuple[int, ...] | list[int]) -> Families:
        return tuple(own[place] for own, place in zip(self.families, row, strict=True))

    def _network(self, row: list[int]) -> Network:
        return Network(self.names, self._parents(row))

    def __repr__(self) -> str:
        """Show the size, and whether the chains agree."""
        size = f"{counted(self.n_chains, 'chain')} of {counted(self.n_draws, 'draw')}"
        return show_facts(f"Posterior with {size}", self.diagnostics.facts())
