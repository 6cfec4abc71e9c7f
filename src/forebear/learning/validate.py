"""validate(): how well networks of several scores and limits predict held-out rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear._util.checks import check_whole, known_parameters
from forebear._util.errors import ForebearError, Parameter, warn_if_interrupted
from forebear.data.dataset import as_dataset
from forebear.data.summarize_table import warn_of_suspicions
from forebear.knowledge.enforcement import Enforced
from forebear.knowledge.knowledge import as_knowledge
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.learning.trials import DEFAULT_FOLDS, SCORES_TRIED, Setting, Trials, fold
from forebear.scoring.max_parents import LARGEST
from forebear.scoring.scores import as_score

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear._util.watcher import Watcher
    from forebear.data.read_options import ReadOptions
    from forebear.knowledge.knowledge import Knowledge
    from forebear.result.validation import Validation
    from forebear.scoring.scores import Score


@known_parameters
def validate(
    data: Any,
    *,
    scores: Sequence[Score | str] | None = None,
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
    """Find out which score and which limit on parents predict held-out rows best.

    The rows are divided into folds. Each fold is predicted by networks that are learnt from the
    others: one per score, and for the best score one per limit on parents (1, 2, 3). The
    probabilities are fitted with light, medium and strong smoothing, and the best of these counts.
    Out of time, it returns the folds that are finished. Interrupted by Ctrl-C, it does so with a
    ``ForebearWarning``, and the ``stop_reason`` of the validation is "interrupted".

    Parameters
    ----------
    data
        A path, a data frame (pandas, Polars, pyarrow), an array of rows by columns, or a Dataset.
    scores
        Names or objects. Default: "bic", "bdeu" with an equivalent sample size of 1 and of 10,
        "fnml" and "aic".
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
        Stop every search after this many generations. The same seed then gives the same figures.
    max_memory
        Bytes, or text such as "4GB". Default: what is free.
    threads
        Number of threads. Default: one per core.
    seed
        Random seed. Default: random.
    read
        How to read the table. Default: ``ReadOptions()``.
    watcher
        Every trial is reported to it. Default: as in ``learn``.

    Returns
    -------
    Validation
        The trials, each with its log-likelihood per held-out row and its standard error.

    Examples
    --------
    >>> import forebear
    >>> found = forebear.validate("example:orchard", scores=["bic", "aic"], folds=2,
    ...                           generations=2, seed=1)
    >>> found.best.score
    'bic'
    """
    run = Run.checked(
        algorithm=algorithm,
        time_limit=time_limit,
        generations=generations,
        threads=threads,
        seed=seed,
        watcher=watcher,
        max_memory=max_memory,
    )
    settings = _settings(scores, max_parents)
    check_whole(2, folds=folds)
    statements = as_knowledge(knowledge)
    table = as_dataset(data, read)
    problem = Problem(table, *settings[0], Enforced.of(statements, table.names))
    warn_of_suspicions(table, data)
    run.watcher.loaded(table)
    trials = Trials(problem, run, fold(table, folds, run.seed), 1 / folds)
    try:
        trials.try_all(settings)
    except KeyboardInterrupt:
        if not trials.done:
            raise
        reason = "interrupted"
    else:
        reason = "folds" if trials.folds == folds and not trials.left_out else "limits"
    found = replace(trials.validation(trials.best()), stop_reason=reason)
    warn_if_interrupted(reason, f"the result has {found.folds} of {folds} folds")
    return found


def _settings(scores: Sequence[Score | str] | None, max_parents: int | None) -> list[Setting]:
    """Check what to try."""
    if max_parents is not None:
        check_whole(0, LARGEST, max_parents=max_parents)
    if isinstance(scores, str):
        scores = [scores]
    if scores is not None and not isinstance(scores, Iterable):
        raise ForebearError(Parameter("scores"), f" must be a list of scores, got {scores!r}")
    made = SCORES_TRIED if scores is None else [as_score(score) for score in scores]
    if not made:
        raise ForebearError(Parameter("scores"), " must name at least one score")
    return [Setting(score, max_parents) for score in dict.fromkeys(made)]
