"""What ``learn`` does with held-out rows: choose a score, or warn of one that overfits."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear.budget import DEFAULT_SECONDS, Clock
from forebear.learning.trials import DEFAULT_FOLDS, SCORES_TRIED, Setting, Trials, hold_out
from forebear.scoring.scores import as_score

if TYPE_CHECKING:
    from forebear.learning.problem import Problem
    from forebear.learning.run import Run
    from forebear.result.validation import Validation
    from forebear.scoring.scores import Score

AUTO = "auto"
"""The name that stands for the score that predicts held-out rows best."""

_ENOUGH_ROWS = 250
"""With few rows up to a quarter is held out, so that these are. One such split of dna (1,600 rows)
could not tell bic from bdeu, so there are several; with 500 of its rows, bic was chosen with one of
three seeds, and predicts worse."""


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
    problem: Problem, run: Run, holdout: float | None, *, auto: bool
) -> tuple[Problem, Run, Validation | None]:
    """Try several scores and limits on parents on held-out rows.

    With ``auto``, the setting that predicts best is chosen, or a simpler one that may be as good.
    Otherwise that of the problem is kept, and a warning says if it overfits. If nothing can be
    tried in time, a warning says so, and there is no validation.

    Returns
    -------
    tuple
        The problem to solve, a run that starts from what was learnt in the trial of it, unless the
        user gave a start, and what was tried.
    """
    table, given = problem.table, Setting(problem.score, problem.max_parents)
    share = _default_holdout(table.n_rows) if holdout is None else holdout
    splits = hold_out(table, share, run.seed, DEFAULT_FOLDS if run.timed else 1)
    seconds = run.clock.half()
    if seconds is None and run.timed:  # only a rule of the user's ends the search
        seconds = DEFAULT_SECONDS / 2
    # With few rows one split says little: less time for each trial, but several splits.
    part = 1 / len(splits) if table.n_rows < 10 * _ENOUGH_ROWS else 1.0
    trials = Trials(problem, replace(run, clock=Clock(seconds)), splits, part)
    own = None if auto else given
    tried = [Setting(score, problem.max_parents) for score in SCORES_TRIED]
    trials.try_all(tried if auto else list(dict.fromkeys([given, *tried])), own)
    if not trials.has(own):
        _warn_of_no_trial(given, trials.failure)
        return problem, run, None
    chosen = own or trials.simplest()
    validation = trials.validation(chosen)
    run.clock.lap("validate")
    if not auto:
        warn_of_overfitting(validation)
    if run.start is None and run.exact is None:
        run = replace(run, start=trials.done[chosen].results[0])
    score, limit = chosen
    return replace(problem, score=score, max_parents=limit), run, validation


def _default_holdout(n_rows: int) -> float:
    """Return the share of the rows that is held out: a tenth, or up to a quarter of few rows."""
    return min(max(0.1, _ENOUGH_ROWS / n_rows), 0.25)


def _warn_of_no_trial(setting: Setting, failure: Exception | None) -> None:
    """Warn that validation is given up: the time is better spent on a network."""
    warnings.warn(
        ForebearWarning(
            f"held-out rows could not be predicted, so the score is {setting.name}: {failure}"
        ),
        stacklevel=4,
    )


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
