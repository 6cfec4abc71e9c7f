"""What ``learn`` does with held-out rows: choose a score, or warn of one that overfits."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear.budget import DEFAULT_SECONDS, Clock
from forebear.learning.splits import DEFAULT_FOLDS, default_holdout, hold_out, rows_are_few
from forebear.learning.trials import SCORES_TRIED, Setting, Trials
from forebear.scoring.scores import BDeu, as_score

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.run import Run
    from forebear.result import Result
    from forebear.result.validation import Validation
    from forebear.scoring.scores import Score

AUTO = "auto"
"""The name that stands for the score that predicts held-out rows best."""


def as_score_or_auto(score: Score | str, **parameters: float | None) -> Score | None:
    """Make a score; None stands for "auto", which chooses the parameters, too."""
    if score != AUTO:
        return as_score(score, AUTO, **parameters)
    for name, value in parameters.items():
        if value is not None:
            raise ForebearError(
                Parameter("score", AUTO),
                " chooses the parameters, too: leave ",
                Parameter(name),
                " out",
            )
    return None


def choose_by_held_out(
    table: Dataset,
    score: Score | None,
    max_parents: int | None,
    holdout: float | None,
    known: Enforced,
    run: Run,
) -> tuple[Setting, Validation | None, Result | None]:
    """Try several scores and limits on parents on held-out rows.

    Without a score, the setting that predicts best is chosen, or a simpler one that may be as good.
    With one it is kept, and a warning says if it overfits. If nothing can be tried in time, a
    warning says so.

    Returns
    -------
    tuple
        The setting to learn with, what was tried, and what was learnt with it in a trial; the
        last two are None if nothing was tried.
    """
    share = default_holdout(table.n_rows) if holdout is None else holdout
    splits = hold_out(table, share, run.seed, DEFAULT_FOLDS if run.timed else 1)
    seconds = run.clock.half()
    if seconds is None and run.timed:  # only a rule of the user's ends the search
        seconds = DEFAULT_SECONDS / 2
    # With few rows one split says little: less time for each trial, but several splits.
    part = 1 / len(splits) if rows_are_few(table.n_rows) else 1.0
    trials = Trials(splits, known, replace(run, clock=Clock(seconds)), part)
    own = None if score is None else Setting(score, max_parents)
    others = [Setting(one, max_parents) for one in SCORES_TRIED if one != score]
    trials.run(others if own is None else [own, *others], own)
    if not trials.has(own):
        return _untried(own or Setting(BDeu(), max_parents), trials.failure)
    chosen = own or trials.simplest()
    validation = trials.validation(chosen)
    run.clock.lap("validate")
    if own is not None:
        warn_of_overfitting(validation)
    return chosen, validation, trials.result_of(chosen)


def _untried(setting: Setting, failure: Exception | None) -> tuple[Setting, None, None]:
    """Give up validation, with a warning: the time is better spent on a network."""
    warnings.warn(
        ForebearWarning(
            f"held-out rows could not be predicted, so the score is {setting.name}: {failure}"
        ),
        stacklevel=4,
    )
    return setting, None, None


def start_from_trial(run: Run, found: Result | None) -> Run:
    """Start the search from what a trial found, unless the user gave a start."""
    if run.start is not None or run.exact is not None:
        return run
    return replace(run, start=found)


def warn_of_overfitting(validation: Validation) -> None:
    """Warn if a simpler network predicts held-out rows clearly better."""
    own = validation.own
    simpler = [
        trial
        for trial in validation.trials
        if trial.arcs < own.arcs and trial.held_out > own.held_out
    ]
    if not own.clearly_behind or validation.best not in simpler:
        return
    ranked = sorted(simpler, key=lambda trial: -trial.held_out)[:3]  # a warning stays readable
    listed = ", ".join(f"{trial.held_out:.2f} with {trial.name}" for trial in ranked)
    warnings.warn(
        ForebearWarning(
            f"{own.name} overfits this table: its network gives held-out rows "
            f"{own.held_out:.2f} nats each (standard error {own.held_out_se:.2f}), compared "
            f"with {listed}: choose one of these, or pass ",
            Parameter("score", AUTO),
        ),
        stacklevel=4,
    )
