"""Result: a network with its score, its bound and the history of the search."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError
from forebear.data.read_options import ReadOptions
from forebear.network.averages import Averages
from forebear.network.drawing.svg import network_figure
from forebear.network.file_formats import (
    RESULT,
    STRUCTURE_ONLY,
    extensions_of,
    format_of,
    is_network,
    write_network,
)
from forebear.network.fit_network import Strength
from forebear.network.formats.result_file import read_result_fields
from forebear.network.network import Fittable, Network
from forebear.parentsets.collection import ParentSet, ParentSets
from forebear.parentsets.coverage import coverage, describe_missing
from forebear.result.fields import Choice, of_fields, to_fields
from forebear.result.report.arc_probabilities import bootstrap_probabilities
from forebear.result.report.page import write_report
from forebear.result.report.what_if import what_if_about
from forebear.result.summary import summary
from forebear.scoring.priors import log_priors, prior_of
from forebear.search.alternatives import Alternative
from forebear.search.trace import Trace

if TYPE_CHECKING:
    import polars as pl

    from forebear.result.arc_margins import ArcMargins
    from forebear.result.chance import Chance
    from forebear.result.validation import Validation


def negligible(score: float) -> float:
    """Return the difference in scores that rounding can cause: 1e-9 of the score, at least 1e-6."""
    return 1e-9 * max(1000.0, abs(score))


@dataclass(frozen=True, repr=False)
class Result(Fittable):
    """A network with its score, its bound and the history of the search.

    Parameters
    ----------
    network
        The network.
    score
        Its score, recomputed from the parent sets (and by ``learn`` from the table).
    order
        An order of the variables, parents first.
    choices
        The rank and the score of every variable's parent set (the paper's Table 5).
    algorithm
        The name of the algorithm.
    settings
        The settings of the algorithm.
    seed
        The random seed.
    winner
        The chain that found the network, counted from 1.
    stop_reason
        Why the run ended: "optimal", "time", "generations", "target", "no improvement",
        "interrupted" or "cancelled".
    seconds
        The duration of the run in seconds.
    generations
        The number of generations of every chain.
    trace
        Every improvement of every chain.
    provenance
        How the parent sets were scored: the score, its parameters, the data.
    version
        The version of forebear.
    phases
        Seconds per step.
    bound
        A score that no network of these parent sets exceeds, or None.
    lost
        Descriptions of work that was lost on other machines, one sentence each.
    alternatives
        Up to 100 of the best networks found by the search, this one first.
    validation
        How well networks learned with these and other settings predict held-out rows, or None.
    chance
        How many arcs a short search finds in the table and in a copy whose columns are shuffled.
        None if the table has enough rows.
    margins
        For every edge, how much lower networks without it are proven to score, or None.
    parent_sets
        The parent sets at the end of the search, including those that were added. They are not
        saved: None for a result that was read from a file.
    """

    network: Network
    score: float
    order: tuple[int, ...]
    choices: tuple[Choice, ...]
    algorithm: str
    settings: dict[str, Any]
    seed: int
    winner: int
    stop_reason: str
    seconds: float
    generations: tuple[int, ...]
    trace: Trace
    provenance: dict[str, Any]
    version: str
    phases: dict[str, float] = field(default_factory=dict)
    bound: float | None = None
    lost: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    validation: Validation | None = None
    chance: Chance | None = None
    margins: ArcMargins | None = None
    parent_sets: ParentSets | None = field(default=None, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the parent sets out of pickles: they can be thousands of times as large."""
        return {**self.__dict__, "parent_sets": None}

    @property
    def prior(self) -> str | float:
        """The prior over networks: "uniform", "sparse", or the probability of an arc."""
        return prior_of(self.provenance)

    @property
    def log_prior(self) -> float:
        """The part of the score that is the prior over networks; 0 if it is "uniform"."""
        priors = log_priors(self.prior, self.network.n_variables)
        return math.fsum(priors[len(family)] for family in self.network.parents)

    @property
    def held_out(self) -> float | None:
        """Log-likelihood per held-out row with these settings, in nats, or None."""
        return None if self.validation is None else self.validation.own.held_out

    @property
    def held_out_se(self) -> float | None:
        """The standard error of ``held_out``, or None."""
        return None if self.validation is None else self.validation.own.held_out_se

    @property
    def smoothing(self) -> Strength | None:
        """The strength of smoothing that predicts held-out rows best, or None."""
        return None if self.validation is None else self.validation.own.smoothing

    @property
    def missing(self) -> dict[str, Any] | None:
        """How missing values were handled, their share, and a description; None if there are none.

        With "em", also the number of rounds and the score of the observed values.
        """
        done = describe_missing(self.provenance)
        if done is None:
            return None
        names = {"missing": "way", "missing_share": "share", "em_rounds": "rounds"}
        names["observed_score"] = "observed_score"
        facts = {new: self.provenance[old] for old, new in names.items() if old in self.provenance}
        return {**facts, "done": done}

    @property
    def gap(self) -> float | None:
        """The optimality gap, as a share of the score."""
        nats = self.gap_nats
        return None if nats is None else nats / abs(self.score) if self.score else 0.0

    @property
    def gap_nats(self) -> float | None:
        """The optimality gap in nats: the bound minus the score."""
        return None if self.bound is None else max(0.0, self.bound - self.score)

    @property
    def status(self) -> str:
        """``"optimal"`` if it is proven that no network scores higher, else ``"feasible"``."""
        nats = self.gap_nats
        return "optimal" if nats is not None and nats <= negligible(self.score) else "feasible"

    @property
    def covers(self) -> str:
        """The networks that the bound covers: "among networks with at most 3 parents"."""
        kept = sum(choice.sets for choice in self.choices)
        return coverage(self.provenance, self.network.n_variables, kept)

    @classmethod
    def of_order(cls, parent_sets: ParentSets, order: tuple[int, ...], **about: Any) -> Result:
        """Return the result of an order: every variable has its best parent set in that order."""
        chosen = parent_sets.best_of_order(order)
        return cls.of_choices(parent_sets, chosen, order=order, **about)

    @classmethod
    def of_choices(
        cls, parent_sets: ParentSets, chosen: Sequence[ParentSet], **about: Any
    ) -> Result:
        """Return the result that consists of one parent set per variable."""
        counts, provenance = parent_sets.counts.tolist(), parent_sets.provenance
        return cls(
            network=Network(
                parent_sets.names,
                tuple(choice.parents for choice in chosen),
                row_sets=provenance.get("row_sets"),
            ),
            score=math.fsum(choice.score for choice in chosen),
            choices=tuple(
                Choice(choice.rank, count, choice.score)
                for choice, count in zip(chosen, counts, strict=True)
            ),
            provenance=provenance,
            parent_sets=parent_sets,
            **about,
        )

    def to_frame(self) -> pl.DataFrame:
        """Return the parent set of every variable.

        Returns
        -------
        polars.DataFrame
            One row per variable: its parents, the rank and the score of this parent set, and the
            number of parent sets of the variable.
        """
        import polars as pl

        names = self.network.names
        return pl.DataFrame(
            {
                "variable": list(names),
                "parents": [[names[p] for p in family] for family in self.network.parents],
                "rank": [choice.rank for choice in self.choices],
                "sets": [choice.sets for choice in self.choices],
                "score": [choice.score for choice in self.choices],
            },
            schema_overrides={"parents": pl.List(pl.String)},
        )

    def save(self, path: Path | str) -> None:
        """Write the result or its network; the extension of the file determines which.

        Parameters
        ----------
        path
            A ``.json`` file holds the whole result, and ``Result.load`` reads it. Formats without
            probabilities (``.dot``, ``.edges.csv``, ...) hold the network. Formats with
            probabilities require a fitted network: ``result.fit(data)``.
        """
        if Path(path).suffix.lower() != RESULT:
            self._save_network(path)
            return
        try:
            content = self.to_json().encode()
        except UnicodeEncodeError as error:
            raise FileError(f"{path}: a name contains an incomplete character: {error}") from error
        with atomic_path(path) as temporary:
            temporary.write_bytes(content)

    def _save_network(self, path: Path | str) -> None:
        if not is_network(path):
            raise FileError(
                f"{path}: a result is saved as {RESULT}, its network as "
                f"{extensions_of(STRUCTURE_ONLY)}"
            )
        if format_of(path).holds_probabilities:
            raise FileError(
                f"{path}: this format requires probabilities: use "
                f"write_network(result.fit(data), {str(path)!r}), or save the result as "
                f"{RESULT}"
            )
        write_network(self.network, path)

    def to_json(self) -> str:
        """Return the whole result as one line of JSON."""
        return json.dumps(to_fields(self), ensure_ascii=False) + "\n"

    @classmethod
    def load(cls, path: Path | str) -> Result:
        """Read a result from its JSON file.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        Result
            The result.

        Raises
        ------
        FileError
            If the file cannot be read or is not a result.
        """
        fields = read_result_fields(path)
        try:
            return cls(**of_fields(fields))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise FileError(f"{path}: the result is damaged: {error}") from error

    def report(
        self,
        path: Path | str,
        data: Any = None,
        *,
        averages: Averages | None = None,
        read: ReadOptions | None = None,
    ) -> None:
        """Write an HTML report about the network, its score and the search.

        Parameters
        ----------
        path
            The ``.html`` file. It requires no other files and no internet connection.
        data
            The table, or the network with its probabilities (a FittedNetwork). The report then
            shows distributions and the strongest dependencies, and answers what-if questions.
            Default None: the report leaves these out and explains why.
        averages
            Probabilities of the arcs, from ``bootstrap_averages``. Default None: not shown.
        read
            How to read the table. Default None.
        """
        what_if = what_if_about(self, data, read)
        probabilities = (
            None if averages is None else bootstrap_probabilities(averages, self.network)
        )
        write_report(self, path, probabilities, what_if)

    def __repr__(self) -> str:
        """Show the main facts in a few lines."""
        lines = [f"  {name:<8}  {value}" for name, value in summary(self)]
        return "\n".join(["Result", *lines])

    def _repr_html_(self) -> str:
        """Show the network and its score in notebooks."""
        lines = [f"<strong>{name}</strong> {escape(value)}" for name, value in summary(self)]
        return network_figure("<br>".join(lines), self.network)
