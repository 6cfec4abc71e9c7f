"""All parent sets of a few variables, whatever their size, scored in one walk.

The core counts every set of variables once, and time and memory double with each further variable.
What is kept is what a job without a limit on parents keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear._util.errors import LimitError, Parameter, TimeLimitError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import counted, show_bytes
from forebear.budget import ALL_SETS_WORK, ALL_SETS_WORK_WHOLE, WHOLE_VARIABLES
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.scoring.job import ScoringRun
from forebear.scoring.max_parents import LARGEST

if TYPE_CHECKING:
    from forebear._util.watcher import Watcher
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job

_BY_SET = ("bdeu", "bic", "aic", "qnml", "ll")
"""Scores that are differences of one function of a set of variables."""
_BY_STATES = ("k2", "fnml")
"""Scores that also need a function for every number of states that a child may have."""

_MOST_VARIABLES = 31
"""The core keeps sets of variables as bits of a word."""


def can_score_all(job: Job, max_memory: int | None = None) -> bool:
    """Return whether all sets of a job can be scored, within this memory."""
    states, required = job.data.arities, job.constraints.required
    told_apart = int((states > 1).sum())
    return (
        job.score.name in (*_BY_SET, *_BY_STATES)
        and not job.data.has_missing
        and job.max_sets is None
        and job.max_candidates is None
        and job.constraints.useful is None
        # A parent with one state is in no set that is kept, so it must not be required.
        and not any(states[p] == 1 for parents in required.values() for p in parents)
        and 1 <= told_apart <= _MOST_VARIABLES
        and resident_bytes() + _bytes_needed(job) <= (max_memory or memory_bytes())
    )


def variable_sets(job: Job) -> int:
    """Return how many sets of variables there are: each is counted once."""
    return 1 << int((job.data.arities > 1).sum())


def _bytes_needed(job: Job) -> int:
    """Return the memory for the sums of all sets."""
    states = job.data.arities
    classes = len(np.unique(states)) if job.score.name in _BY_STATES else 0
    return _core.bytes_of_all_sets(int((states > 1).sum()), classes, job.threads)


def is_cheap(job: Job) -> bool:
    """Return whether scoring all sets takes a moment: a matter of variables and rows."""
    whole = job.data.n_variables <= WHOLE_VARIABLES
    most = ALL_SETS_WORK_WHOLE if whole else ALL_SETS_WORK
    return variable_sets(job) * job.data.n_rows <= most


def collect_all(run: ScoringRun) -> ParentSets:
    """Return the ranked sets of a finished run over all sets."""
    if run.largest > LARGEST:
        raise LimitError(
            f"some parent sets that are not dominated have {counted(run.largest, 'parent')}, "
            f"more than the limit of {LARGEST}: set ",
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
    """Score all sets of a job, of any size, until the time or the memory ends it, as an error."""
    limit = max_memory or memory_bytes()
    budget = _core.Budget(seconds)
    run = ScoringRun(job, limit - resident_bytes(), budget=budget, any_size=True)
    work = variable_sets(job)
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
