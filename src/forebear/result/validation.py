"""Trial and Validation: the settings that were compared, and their predictions of held-out rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear._util.errors import ForebearError
from forebear._util.text import counted
from forebear.network.fit_network import Strength
from forebear.scoring.priors import prior_of
from forebear.scoring.scores import show_settings

_FIGURES = ("held_out", "held_out_se", "behind", "behind_se", "arcs", "seconds")


@dataclass(frozen=True)
class Trial:
    """One combination of settings, and how well its networks predict held-out rows.

    Parameters
    ----------
    score
        The name of the score.
    parameters
        Its parameters.
    max_parents
        The limit on parents, or None.
    smoothing
        The strength of smoothing that predicted best.
    held_out
        Log-likelihood per held-out row, in nats.
    held_out_se
        Its standard error.
    behind
        The difference from the best trial, in nats per row.
    behind_se
        The standard error of that difference, row by row.
    arcs
        The number of arcs, on average over the folds.
    seconds
        The time spent on learning, over all folds.
    prior
        The prior over networks.
    """

    score: str
    parameters: dict[str, Any] = field(default_factory=dict)
    max_parents: int | None = None
    smoothing: Strength = "medium"
    held_out: float = 0.0
    held_out_se: float = 0.0
    behind: float = 0.0
    behind_se: float = 0.0
    arcs: float = 0.0
    seconds: float = 0.0
    prior: str | float = "uniform"

    @property
    def name(self) -> str:
        """The score and the limit: "bdeu (ess 1), at most 2 parents"."""
        limit = self.max_parents
        return self.score_name + ("" if limit is None else f", at most {counted(limit, 'parent')}")

    @property
    def score_name(self) -> str:
        """The score with its parameters and prior: "bdeu (ess 1, prior sparse)"."""
        shown = show_settings(self.parameters, self.prior)
        return f"{self.score} ({shown})" if shown else self.score

    @property
    def clearly_behind(self) -> bool:
        """Whether the best trial is ahead by more than two standard errors."""
        return self.behind > 2.0 * self.behind_se


@dataclass(frozen=True, repr=False)
class Validation:
    """How well networks learned with different settings predict held-out rows.

    Parameters
    ----------
    trials
        The trials, in the order in which they ran.
    chosen
        The index of the trial whose settings are used.
    rows
        The number of held-out rows, over all folds.
    folds
        The number of folds: how often rows were held out.
    left_out
        The trials that were skipped because of the limits on time or memory.
    stop_reason
        Why ``validate`` ended: "folds" if every trial ran on all folds, "limits" if time or memory
        ran out, or "interrupted". None for the trials of ``learn``.
    """

    trials: tuple[Trial, ...]
    chosen: int
    rows: int
    folds: int
    left_out: tuple[str, ...] = ()
    stop_reason: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.chosen < len(self.trials):
            raise ForebearError("a validation needs at least one trial")

    @property
    def best(self) -> Trial:
        """The trial with the highest held-out likelihood; the first in case of ties."""
        return max(self.trials, key=lambda trial: trial.held_out)

    @property
    def simplest(self) -> Trial:
        """The trial with the fewest arcs among those within one standard error of the best."""
        close = [trial for trial in self.trials if trial.behind <= trial.behind_se]
        return min(close, key=lambda trial: (trial.arcs, trial.behind))

    @property
    def own(self) -> Trial:
        """The trial whose settings are used."""
        return self.trials[self.chosen]

    @property
    def by_score(self) -> tuple[Trial, ...]:
        """The best trial of every score, sorted from best to worst."""
        best: dict[str, Trial] = {}
        for trial in self.trials:
            incumbent = best.setdefault(trial.score_name, trial)
            if trial.held_out > incumbent.held_out:
                best[trial.score_name] = trial
        return tuple(sorted(best.values(), key=lambda trial: -trial.held_out))

    def to_frame(self) -> pl.DataFrame:
        """Return the trials, sorted from best to worst.

        Returns
        -------
        polars.DataFrame
            One row per trial: its settings, the held-out likelihood and its standard error.
        """
        ranked = sorted(self.trials, key=lambda trial: -trial.held_out)
        return pl.DataFrame(
            {
                "score": [trial.score_name for trial in ranked],
                "max_parents": pl.Series([trial.max_parents for trial in ranked], dtype=pl.Int64),
                "smoothing": [trial.smoothing for trial in ranked],
                **{name: [getattr(trial, name) for trial in ranked] for name in _FIGURES},
            }
        )

    def to_fields(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "trials": [asdict(trial) for trial in self.trials],
            "chosen": self.chosen,
            "rows": self.rows,
            "folds": self.folds,
            "left_out": list(self.left_out),
            "stop_reason": self.stop_reason,
        }

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Validation:
        """Restore a validation from the values of ``to_fields``; reject anything else."""
        trials = tuple(_trial_of(one) for one in fields["trials"])
        chosen, rows, folds = (whole(fields[name]) for name in ("chosen", "rows", "folds"))
        left_out, reason = tuple(map(str, fields["left_out"])), fields.get("stop_reason")
        return cls(trials, chosen, rows, folds, left_out, None if reason is None else str(reason))

    def __repr__(self) -> str:
        """Show the best trial and how many there were."""
        best = self.best
        return (
            f"Validation: {counted(len(self.trials), 'trial')} on {self.rows:,} held-out rows\n"
            f"  best: {best.name}, {best.held_out:.3f} nats per row "
            f"(standard error {best.held_out_se:.3f})"
        )


def compare_trials(
    trials: Sequence[Trial], likelihoods: Sequence[NDArray[np.float64]]
) -> tuple[Trial, ...]:
    """Return the trials with their figures, from the log-likelihoods of the same held-out rows."""
    means = [float(rows.mean()) for rows in likelihoods]
    best = likelihoods[int(np.argmax(means))]
    return tuple(
        replace(
            trial,
            held_out=mean,
            held_out_se=_standard_error(rows),
            behind=float((best - rows).mean()),
            behind_se=_standard_error(best - rows),
        )
        for trial, rows, mean in zip(trials, likelihoods, means, strict=True)
    )


def _standard_error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0


def _trial_of(fields: Mapping[str, Any]) -> Trial:
    limit = fields["max_parents"]
    smoothing = fields["smoothing"]
    if smoothing not in get_args(Strength) or type(fields["score"]) is not str:
        raise ForebearError(f"expected a trial, got {ascii(fields)[:40]}")
    return Trial(
        score=fields["score"],
        parameters={
            str(key): value if isinstance(value, str) else real(value)
            for key, value in dict(fields["parameters"]).items()
        },
        max_parents=None if limit is None else whole(limit),
        smoothing=smoothing,
        **{name: real(fields[name]) for name in _FIGURES},
        prior=prior_of(fields),
    )


def whole(value: Any, most: float = 2**63 - 1) -> int:
    """Check a count or an index read from a file."""
    if type(value) is not int or not 0 <= value <= most:
        raise ForebearError(f"expected a whole number, got {ascii(value)[:40]}")
    return value


def real(value: Any) -> float:
    """Check a number read from a file; a forbidden set scores minus infinity."""
    if type(value) not in (int, float) or not -math.inf <= value < math.inf:
        raise ForebearError(f"expected a number, got {ascii(value)[:40]}")
    return float(value)
