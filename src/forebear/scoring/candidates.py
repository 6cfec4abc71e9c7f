"""Restrict the candidate parents of each variable if scoring all would take too long.

The candidates of a variable are those with the highest scores as single parents. A parent that
raises the score only together with another is missed. With this restriction, tables with thousands
of variables are feasible.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_whole
from forebear.budget import Clock
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job
from forebear.scoring.score_job import score_job


def restrict_candidates(job: Job, most: int, *, seconds: float | None = None) -> Job:
    """Allow each variable its ``most`` best candidates and parents that may be required."""
    check_whole(1, math.inf, max_candidates=most)
    most, n, constraints = int(most), job.data.n_variables, job.constraints
    if most >= n - 1 or job.max_parents < 2:
        return job
    alone = replace(
        job, max_parents=1, max_sets=most + 1, constraints=Constraints(n, constraints.allowed)
    )
    singles = score_job(alone, clock=Clock(None if seconds is None else max(seconds, 1e-9)))
    allowed = np.eye(n, dtype=bool)
    for v in range(n):
        allowed[v, best_candidates(singles, v, most)] = True
        allowed[v, list(constraints.required.get(v, ()))] = True
    for parent, child in constraints.direct:
        allowed[child, parent] = True
    return replace(job, constraints=replace(constraints, allowed=allowed), max_candidates=most)


def best_candidates(sets: ParentSets, v: int, most: int) -> NDArray[np.integer]:
    """Return the parents in a variable's best sets, in the order of the sets' scores."""
    members = sets.parents[:, sets.span(v)].T.ravel()
    distinct, first = np.unique(members[members != sets.none], return_index=True)
    return distinct[np.argsort(first)][:most]
