"""score_parent_sets(): score the parent sets of a table and rank them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from forebear._util.checks import check_parameter_names, check_run, check_whole
from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear._util.machine import thread_count
from forebear._util.progress import default_watcher
from forebear._util.text import counted, memory_limit
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.data.dataset import as_dataset
from forebear.data.read_options import ReadOptions
from forebear.data.summarize_table import warn_of_suspicions
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.knowledge import Knowledge, as_knowledge
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import CUT_SHORT, SCORED_UP_TO
from forebear.parentsets.parent_set_files import check_target, is_native
from forebear.scoring.all_sets import ALL, initial_max_parents, score_all_sizes
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT, paper_max_parents
from forebear.scoring.score_job import score_in_time
from forebear.scoring.scores import Score, as_score


@check_parameter_names
def score_parent_sets(
    data: Any,
    *,
    score: Score | str = "bdeu",
    prior: str | float | None = None,
    max_parents: int | Literal["all"] | None = None,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    max_sets_per_variable: int | None = None,
    max_candidates: int | None = None,
    time_limit: float | None = None,
    max_memory: int | str | None = None,
    threads: int | None = None,
    executor: Any = None,
    path: Path | str | None = None,
    read: ReadOptions | None = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score every parent set of every variable up to a given size, prune and rank them.

    A set is pruned if a proper subset scores at least as high. A request that cannot fit in memory
    raises a ``LimitError``.

    Parameters
    ----------
    data
        A path, a data frame (pandas, Polars, pyarrow), an array of rows by columns, or a Dataset.
    score
        A name ("bdeu", "bds", "bic", "aic", "fnml", "qnml", "mit", "k2", "ll") or an object such
        as ``BDeu(ess=10)``. Default: "bdeu" with an equivalent sample size of 1, as in the
        literature and other programs; ``learn`` has another default.
    prior
        The prior over networks, which is part of the score: "uniform"; "sparse", which gives all
        numbers of parents of a variable the same probability; or the probability of an arc, above
        0 and at most 0.5. With few rows and many columns, "sparse" prevents arcs that are due to
        chance. Default: the prior of a score object, otherwise "uniform".
    max_parents
        The largest parent set. Default: 3 with fewer than 500 variables, otherwise 2 (the paper's
        rule). "all": no limit. All sets are scored, except those that upper bounds prove to be in
        no optimal network; suitable for few variables.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn.
    max_sets_per_variable
        Keep only this many of the best sets of each variable. Default: all.
    max_candidates
        Consider only this many candidate parents of each variable: those with the highest scores as
        single parents. Default: all.
    time_limit
        Time limit in seconds. If it is reached, the sets scored so far are returned with a
        ``ForebearWarning``: all sets up to some size, and larger ones of some variables. Default:
        no limit.
    max_memory
        Bytes, or text such as "4GB". Default: the free memory.
    threads
        Number of threads. Default: one per core, or one per worker of an ``executor``. At most 16
        threads are started on this machine, or one per core if it has more cores.
    executor
        A ``concurrent.futures`` executor that runs the scoring, such as that of a Dask client or of
        MPI. Default: threads on this machine.
    path
        A ``.cps`` or ``.jkl`` file to write. With a ``.cps`` file, a job that takes long or does
        not fit in memory is scored part by part. If the process is killed, the same call continues
        the job. Default: none.
    read
        How to read the table. Default: ``ReadOptions()``. ``missing="em"`` is treated as
        "available", because rows are completed only between searches.
    watcher
        An object that is notified of the number of families and of the progress. Default: as in
        ``learn``.

    Returns
    -------
    ParentSets
        The ranked parent sets of every variable.
    """
    check_run(time_limit=time_limit, threads=threads, watcher=watcher)
    clock, memory = Clock(time_limit), memory_limit(max_memory)
    checked_score = as_score(score, prior=prior)
    watcher = watcher or default_watcher()
    if path is not None:
        check_target(path)
    statements = as_knowledge(knowledge)
    _check_limits(
        max_parents, max_sets_per_variable=max_sets_per_variable, max_candidates=max_candidates
    )
    table = as_dataset(data, read)
    warn_of_suspicions(table, data)
    if table.missing == "em":
        table = replace(table, missing="available")
    watcher.loaded(table)
    enforcement = Enforcement.of(statements, table.names)
    enforcement.warn_of_relations()
    if max_parents is None:
        most = paper_max_parents(table.n_variables)
    elif max_parents == ALL:
        most = initial_max_parents(table, checked_score)
    else:
        most = int(max_parents)
    job = make_job(
        table,
        score=checked_score,
        max_parents=most,
        constraints=enforcement.constraints(most),
        max_sets_per_variable=max_sets_per_variable,
        threads=thread_count(threads) if executor is None else int(threads or 1),
    )
    if max_candidates is not None:
        job = restrict_candidates(job, max_candidates, seconds=clock.share(1.0))
    target = None if path is None else Path(path)
    to_file = target is not None and is_native(target) and not enforcement.has_parent_limits
    spill = target if to_file else None
    if max_parents == ALL:
        sets = score_all_sizes(job, clock, max_memory=memory, executor=executor, watcher=watcher)
    else:
        sets = score_in_time(
            job, clock, max_memory=memory, executor=executor, spill=spill, watcher=watcher
        )
        about = sets.provenance
        if about["max_parents"] < job.max_parents or SCORED_UP_TO in about:
            sets = _mark_cut_short(sets)
    sets = enforcement.apply_limits(sets)
    watcher.scored(sets, clock.spent(), None)
    if target is not None and sets.path is None:
        sets.save(target)
        sets = replace(sets, path=target, threads=job.threads)
    return sets


def _check_limits(max_parents: int | str | None, **limits: int | None) -> None:
    """Check the limits on the sets; none is allowed if all sets are requested."""
    if max_parents not in (None, ALL):
        check_whole(0, MAX_PARENTS_LIMIT, max_parents=max_parents)
    for name, value in limits.items():
        if value is None:
            continue
        if max_parents == ALL:
            raise ForebearError(
                Parameter("max_parents", ALL), " cannot be combined with ", Parameter(name)
            )
        check_whole(1, math.inf, **{name: value})


def _mark_cut_short(sets: ParentSets) -> ParentSets:
    """Record in the provenance that the time limit ended the scoring, and warn about it."""
    provenance, most = sets.provenance, sets.complete
    least, some = provenance["max_parents"], ""
    if SCORED_UP_TO in provenance:
        least, some = int(most.min()), f", and of up to {most.max()} for some variables"
    warnings.warn(
        ForebearWarning(
            "the time limit ended the scoring of larger sets: the result has all of up to "
            f"{counted(least, 'parent')}{some}; for larger sets, increase ",
            Parameter("time_limit"),
        ),
        stacklevel=4,
    )
    return replace(sets, provenance={**provenance, CUT_SHORT: True})
