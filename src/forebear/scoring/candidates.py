"""Fewer candidate parents for each variable, where scoring all would take too long.

The candidates of a variable are those that explain it best alone. A parent that helps only
together with another is missed. This makes thousands of variables possible.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.checks import check_whole
from forebear._util.errors import LimitError, TimeLimitError
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import ScoringRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job


_LOOKED_AT = 1000
"""Sets that are looked at first. They usually contain more than enough candidates."""


def restrict_candidates(
    job: Job,
    most: int,
    *,
    seconds: float | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Job:
    """Allow every variable only its ``most`` best candidates and its required parents."""
    check_whole(1, math.inf, max_candidates=most)
    most = int(most)
    n = job.data.n_variables
    if most >= n - 1 or job.max_parents < 2:
        return job
    pairs = replace(
        job, max_parents=1, max_sets=most + 1, constraints=_without_required(job.constraints)
    )
    run = ScoringRun(pairs, seconds=0.0 if seconds is None else max(seconds, 1e-9))
    stopped = run.watch(on_progress)
    if stopped != "done":
        raise (TimeLimitError if stopped == "time" else LimitError)(
            f"scoring all pairs of {n:,} variables takes more {stopped} than the limit: "
            "raise the limit, or use fewer variables or rows"
        )
    offsets, _, parents = run.arrays()
    none = np.iinfo(parents.dtype).max

    def best(v: int) -> NDArray[np.integer]:
        own = parents[0, int(offsets[v]) : int(offsets[v + 1])]
        return np.asarray(own[own != none][:most])

    return allow_only(job, most, best)


def allow_only(job: Job, most: int, best: Callable[[int], NDArray[np.integer]]) -> Job:
    """Allow every variable the candidates that ``best`` returns, and the parents it may need."""
    n, given = job.data.n_variables, job.constraints
    allowed = np.eye(n, dtype=bool)
    for v in range(n):
        allowed[v, best(v)] = True
        allowed[v, list(given.required.get(v, ()))] = True
    for parent, child in given.direct:
        allowed[child, parent] = True
    return replace(job, constraints=replace(given, allowed=allowed), max_candidates=most)


def best_candidates(sets: ParentSets, v: int, most: int) -> NDArray[np.integer]:
    """Return the parents in a variable's best sets, those of better sets first."""
    begin, end = int(sets.offsets[v]), int(sets.offsets[v + 1])
    none = np.iinfo(sets.parents.dtype).max
    for last in (min(begin + _LOOKED_AT, end), end):
        members = sets.parents[:, begin:last].T.ravel()
        members = members[members != none]
        distinct, first = np.unique(members, return_index=True)
        if len(distinct) >= most:
            break
    return distinct[np.argsort(first)][:most]


def _without_required(constraints: Constraints) -> Constraints:
    """Return the constraints without required parents: candidates are scored alone."""
    return Constraints(constraints.n_variables, constraints.allowed)
