"""validate(), and the validation in learn(): compare scores and limits on held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forebear._util.checks import check_parameter_names, check_whole
from forebear._util.errors import (
    ForebearError,
    ForebearWarning,
    Parameter,
    warn_if_interrupted,
)
from forebear._util.watcher import Watcher
from forebear.budget import DEFAULT_SECONDS, Clock
from forebear.data.dataset import as_dataset
from forebear.data.read_options import ReadOptions
from forebear.data.summarize_table import warn_of_suspicions
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.knowledge import Knowledge, as_knowledge
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.learning.trials import (
    DEFAULT_FOLDS,
    SCORES_TRIED,
    Setting,
    Trials,
    fold,
    hold_out,
)
from forebear.result.validation import Validation
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT
from forebear.scoring.priors import check_prior
from forebear.scoring.scores import Score, as_score

AUTO = "auto"
"""The ``score`` that selects the score that predicts held-out rows best."""

_ENOUGH_ROWS = 250
"""The number of rows to hold out if a tenth is fewer; but at most a quarter is held out. One such
split of dna (1,600 rows) could not separate bic from bdeu, so there are several splits. With 500 of
its rows, one of three seeds chose bic, which predicts worse."""


@check_parameter_names
def validate(
    data: Any,
    *,
    scores: Sequence[Score | str] | None = None,
    prior: str | float | None = None,
    max_parents: int | None = None,
    folds: int = DEFAULT_FOLDS,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    algorithm: Any = "ps-minobs",
    time_limit: float | None = None,
    generations: int | None = None,
    max_memory: int | str | None = None,
    threads: int | None = None,
    seed: int | None = None,
    read: ReadOptions | None = None,
    watcher: Watcher | None = None,
) -> Validation:
    """Find the score and the limit on parents that predict held-out rows best.

    The rows are divided into folds. Each fold is predicted by networks learned from the other
    folds: one per score and, for the best score, one per limit on parents (1, 2, 3). The
    probabilities are fitted with light, medium and strong smoothing, and the best of the three is
    used. When the time limit is reached, the finished folds are returned. The same happens after
    Ctrl-C, with a ``ForebearWarning`` and the ``stop_reason`` "interrupted".

    Parameters
    ----------
    data
        A path, a data frame (pandas, Polars, pyarrow), an array of rows by columns, or a Dataset.
    scores
        Names or objects. Default: "bic", "bdeu" with an equivalent sample size of 1 and of 10,
        or averaged over sizes, "fnml" and "aic"; without a ``prior``, also "bdeu" with a size of
        1 and "fnml" with the prior "sparse", and the averaged one only with it.
    prior
        The prior over networks of all scores: "uniform", "sparse" or the probability of an arc.
        Default: those of the score objects.
    max_parents
        The largest parent set. Default: no limit, as in ``learn``.
    folds
        Number of folds, at least 2.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn.
    algorithm
        A name or settings, as in ``learn``.
    time_limit
        Total time limit in seconds. Default: 60; no limit with ``generations``.
    generations
        Stop every search after this many generations. The same seed then gives the same results.
    max_memory
        Bytes, or text such as "4GB". Default: the free memory.
    threads
        Number of threads. Default: one per core.
    seed
        Random seed. Default: random.
    read
        How to read the table. Default: ``ReadOptions()``.
    watcher
        An object that is notified of every trial. Default: as in ``learn``.

    Returns
    -------
    Validation
        The trials, each with its log-likelihood per held-out row and its standard error.

    Examples
    --------
    >>> import forebear
    >>> validation = forebear.validate("example:orchard", scores=["bic", "aic"], folds=2,
    ...                           generations=2, seed=1)
    >>> validation.best.score
    'bic'
    """
    run = Run.make(
        algorithm=algorithm,
        time_limit=time_limit,
        generations=generations,
        threads=threads,
        seed=seed,
        watcher=watcher,
        max_memory=max_memory,
    )
    settings = _settings(scores, prior, max_parents)
    check_whole(2, folds=folds)
    statements = as_knowledge(knowledge)
    table = as_dataset(data, read)
    problem = Problem(table, *settings[0], Enforcement.of(statements, table.names))
    warn_of_suspicions(table, data)
    run.watcher.loaded(table)
    trials = Trials(problem, run, fold(table, folds, run.seed), 1 / folds)
    try:
        trials.try_all(settings)
    except KeyboardInterrupt:
        if not trials.attempts:
            raise
        reason = "interrupted"
    else:
        reason = "folds" if trials.folds == folds and not trials.left_out else "limits"
    validation = replace(trials.validation(trials.best()), stop_reason=reason)
    warn_if_interrupted(reason, f"the result has {validation.folds} of {folds} folds")
    return validation


def _settings(
    scores: Sequence[Score | str] | None, prior: str | float | None, max_parents: int | None
) -> list[Setting]:
    """Check the scores, the prior and the limit, and return the settings to try."""
    if max_parents is not None:
        check_whole(0, MAX_PARENTS_LIMIT, max_parents=max_parents)
    if isinstance(scores, str):
        scores = [scores]
    if scores is not None and not isinstance(scores, Iterable):
        raise ForebearError(Parameter("scores"), f" must be a list of scores, got {scores!r}")
    chosen = _with_prior(SCORES_TRIED if scores is None else scores, prior)
    if not chosen:
        raise ForebearError(Parameter("scores"), " must name at least one score")
    return [Setting(score, max_parents) for score in chosen]


def _with_prior(scores: Iterable[Score | str], prior: str | float | None) -> list[Score]:
    """Give scores this prior, if it is not None, and drop duplicates."""
    return list(dict.fromkeys(as_score(score, prior=prior) for score in scores))


def as_score_or_auto(
    score: Score | str | None, prior: str | float | None = None, **parameters: Any
) -> Score | None:
    """Create a score; None stands for "auto", which also chooses the parameters."""
    if score != AUTO:
        return as_score(score, AUTO, prior=prior, **parameters)
    if prior is not None:
        check_prior(prior)
    for name, value in parameters.items():
        if value is not None:
            raise ForebearError(
                Parameter("score", AUTO),
                " also chooses the parameters: leave out ",
                Parameter(name),
            )
    return None


def choose_by_held_out(
    problem: Problem,
    run: Run,
    holdout: float | None,
    *,
    auto: bool,
    prior: str | float | None = None,
) -> tuple[Problem, Run, Validation | None]:
    """Try several scores and limits on parents on held-out rows.

    With ``auto``, the simplest setting that is not clearly worse than the best is chosen. All have
    the given prior over networks; if it is None, several priors are tried. Without ``auto``, the
    setting of the problem is kept, and a warning is issued if it overfits. If no trial finishes in
    time, a warning is issued, and there is no validation.

    Returns
    -------
    tuple
        The problem with the chosen setting; the run, which starts from the network of that trial
        unless the user passed a start; and the validation, or None.
    """
    table, own_setting = problem.table, Setting(problem.score, problem.max_parents)
    share = _default_holdout(table.n_rows) if holdout is None else holdout
    splits = hold_out(table, share, run.seed, DEFAULT_FOLDS if run.timed else 1)
    seconds = run.clock.half()
    if seconds is None and run.timed:  # only a stop rule of the user ends the search
        seconds = DEFAULT_SECONDS / 2
    # With few rows, one split is not reliable: several splits with less time each.
    part = 1 / len(splits) if table.n_rows < 10 * _ENOUGH_ROWS else 1.0
    trials = Trials(problem, replace(run, clock=Clock(seconds)), splits, part)
    own = None if auto else own_setting
    others = _settings(None, prior, problem.max_parents)
    trials.try_all(others if auto else list(dict.fromkeys([own_setting, *others])), own)
    if not trials.has(own):
        _warn_of_no_trial(own_setting, trials.failure)
        return problem, run, None
    chosen = own or trials.simplest()
    validation = trials.validation(chosen)
    run.clock.lap("validate")
    if not auto:
        warn_of_overfitting(validation)
    if run.start is None and run.exact is None:
        run = replace(run, start=trials.attempts[chosen].results[0])
    score, limit = chosen
    return replace(problem, score=score, max_parents=limit), run, validation


def _default_holdout(n_rows: int) -> float:
    """Return the share of rows to hold out: a tenth, or up to a quarter if there are few rows."""
    return min(max(0.1, _ENOUGH_ROWS / n_rows), 0.25)


def _warn_of_no_trial(setting: Setting, failure: Exception | None) -> None:
    """Warn that there is no validation; the remaining time is used to learn the network."""
    warnings.warn(
        ForebearWarning(
            f"validation on held-out rows failed, so the score is {setting.name}: {failure}"
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
    ranked = sorted(simpler, key=lambda trial: -trial.held_out)[
        :3
    ]  # more would make the warning hard to read
    listed = ", ".join(f"{trial.held_out:.2f} with {trial.name}" for trial in ranked)
    warnings.warn(
        ForebearWarning(
            f"{own.name} overfits this table: the log-likelihood per held-out row is "
            f"{own.held_out:.2f} nats (standard error {own.held_out_se:.2f}), compared "
            f"with {listed}: choose one of these, or pass ",
            Parameter("score", AUTO),
        ),
        stacklevel=4,
    )
