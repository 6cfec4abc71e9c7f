"""Find all parent sets that are not dominated, of all sizes, in one of two ways.

With few variables, all sets are scored in one pass: the core counts every set of variables once,
and time and memory double with each further variable. Otherwise upper bounds on larger sets may
prove that all other sets are dominated. The choice depends on counts, never on the speed of the
machine. Both ways keep the same sets: those of a job without a limit on parents.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from forebear import _core
from forebear._util.errors import LimitError, Parameter, TimeLimitError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import show_bytes
from forebear._util.watcher import Watcher
from forebear.budget import QUICK_WORK, Clock
from forebear.data.dataset import Dataset
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.scoring.completeness import (
    add_larger_sets,
    can_prove_complete,
    has_tight_bounds,
    has_upper_bounds,
)
from forebear.scoring.job import Job, ScoringRun
from forebear.scoring.max_parents import (
    MAX_PARENTS_LIMIT,
    WHOLE_VARIABLES,
    possible_max_parents,
    preferred_max_parents,
)
from forebear.scoring.score_job import score_job
from forebear.scoring.scores import Score

ALL = "all"
"""The ``max_parents`` that means no limit."""

ALL_SETS_WORK = 1 << 30
"""Sets of variables times rows. With more than 13 variables, `learn` scores parent sets of all
sizes if their work is at most this, such as 19 variables with 2,000 rows. Each unit took at most
2.7 ns on one thread, three seconds in total (19 variables of 2, 3 and 8 states, 2,000 to 200,000
rows)."""

_BY_SET = ("bdeu", "bic", "aic", "qnml", "ll")
"""Scores that are differences of one function of a set of variables."""
_BY_STATES = ("k2", "fnml")
"""Scores that also need a function for every number of states that a child may have."""


def can_score_all(job: Job, max_memory: int | None = None) -> bool:
    """Return whether sets of all sizes can be scored within this memory."""
    states, required = job.data.arities, job.constraints.required
    n_varying = int((states > 1).sum())
    return (
        job.score.name in (*_BY_SET, *_BY_STATES)
        and not job.data.has_missing
        and job.max_sets is None
        and job.max_candidates is None
        and job.constraints.useful is None
        # Sets with a parent of one state are pruned, so such a parent must not be required.
        and not any(states[p] == 1 for parents in required.values() for p in parents)
        and 1 <= n_varying <= _core.most_variables_of_all_sets
        and resident_bytes() + _bytes_needed(job) <= (max_memory or memory_bytes())
    )


def n_variable_sets(job: Job) -> int:
    """Return the number of sets of variables; each is counted once on every table."""
    return job.n_tables << int((job.data.arities > 1).sum())


def _bytes_needed(job: Job) -> int:
    """Return the memory for the sums of all sets, in bytes."""
    states = job.data.arities
    classes = len(np.unique(states)) if job.score.name in _BY_STATES else 0
    return _core.bytes_of_all_sets(int((states > 1).sum()), classes, job.threads)


def can_score_all_quickly(job: Job) -> bool:
    """Return whether scoring sets of all sizes is quick, by the numbers of variables and rows."""
    whole = job.data.n_variables <= WHOLE_VARIABLES
    most = QUICK_WORK if whole else ALL_SETS_WORK
    return n_variable_sets(job) * job.counted_rows <= most


def collect_all(run: ScoringRun) -> ParentSets:
    """Return the ranked sets of a finished run over sets of all sizes."""
    if run.largest > MAX_PARENTS_LIMIT:
        raise LimitError(
            f"the search supports sets of {MAX_PARENTS_LIMIT} parents, but some sets that are not "
            f"dominated have {run.largest}: set ",
            Parameter("max_parents"),
        )
    job, most = run.job, run.job.data.n_variables - 1
    families = job.constraints.families(most)
    return run.collect(families=families, max_parents=run.largest, **{SCORED_UP_TO: most})


def score_all(
    job: Job,
    *,
    seconds: float | None = None,
    max_memory: int | None = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score sets of all sizes. Raise LimitError if the time or the memory does not suffice."""
    limit = max_memory or memory_bytes()
    budget = _core.Budget(seconds)
    run = ScoringRun(job, limit - resident_bytes(), budget=budget, all_sizes=True)
    work = n_variable_sets(job)
    stopped = run.watch(lambda done: watcher.scoring(min(1.0, done / work)) if watcher else None)
    if stopped == "time":
        raise TimeLimitError(
            "there is not enough time to score all parent sets: increase ",
            Parameter("time_limit"),
            ", or set ",
            Parameter("max_parents"),
        )
    try:
        if stopped == "memory":
            raise MemoryError
        sets = collect_all(run)
    except MemoryError:
        raise LimitError(
            f"the parent sets do not all fit in {show_bytes(limit)} of memory: set ",
            Parameter("max_parents"),
        ) from None
    if watcher:
        watcher.scoring(1.0)
    return sets


def initial_max_parents(data: Dataset, score: Score) -> int:
    """Return the size up to which sets are scored before upper bounds are used."""
    n = data.n_variables
    if n > WHOLE_VARIABLES and has_upper_bounds(data, score):
        return preferred_max_parents(n)
    return min(n - 1, possible_max_parents(n))


def score_all_sizes(
    job: Job,
    clock: Clock,
    *,
    max_memory: int | None = None,
    executor: Any = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Find all sets that are not dominated, of all sizes; the job's ``max_parents`` is ignored."""
    job = replace(job, max_parents=initial_max_parents(job.data, job.score))
    whole, bounded = can_score_all(job, max_memory), can_prove_complete(job)
    if not whole and not bounded:
        _check_possible(job)
    if not whole or (bounded and has_tight_bounds(job.score) and not can_score_all_quickly(job)):
        sets = score_job(
            job, clock=clock, max_memory=max_memory, executor=executor, watcher=watcher
        )
        # Exploring more sets than there are sets of variables would be slower than scoring all.
        most = n_variable_sets(job) // job.data.n_variables if whole else 2**62
        budget = _core.Budget(clock.share(1.0))
        complete = add_larger_sets(job, sets, most_explored=most, budget=budget)
        if complete is not None:
            return complete
    if whole:
        return score_all(job, seconds=clock.share(1.0), max_memory=max_memory, watcher=watcher)
    raise TimeLimitError(
        "the large parent sets could not all be found, because there are too many of them or too "
        f"little time (all sets of up to {job.max_parents} parents were scored): increase ",
        Parameter("time_limit"),
        ", or set ",
        Parameter("max_parents"),
    )


def _check_possible(job: Job) -> None:
    """Reject a job that has no upper bounds and too many sets to score all."""
    n = job.data.n_variables
    if n - 1 <= possible_max_parents(n):
        return
    raise LimitError(
        f"larger parent sets cannot be bounded under this score ({job.score.name}"
        f"{', with missing values' if job.data.has_missing else ''}), and sets of "
        f"{n - 1} parents cannot be scored: set ",
        Parameter("max_parents"),
    )
