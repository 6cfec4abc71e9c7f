"""add_larger_sets(): find all parent sets that can be optimal, by upper bounds on larger sets.

For some scores, there are upper bounds on the scores of a set P and all its supersets:

- BIC and AIC (de Campos and Ji, 2011): the log-likelihood is at most that given all candidates, and
  the penalty at least that of P.
- BDeu, BDs and K2 (after de Campos and Ji, 2011, and Correia, Cussens and de Campos, 2020): where a
  state occurs for the first time in a configuration of the parents, its probability is at most 1/r.
  Every non-zero cell of the table of P therefore costs at least log r, however larger sets split
  it. The likelihood of a configuration is also at most that of the frequencies given all
  candidates.

If a subset of P scores as high as the upper bound, every superset of P is dominated. Beyond the
size that was scored, the core explores all sets for which this is not the case.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from forebear import _core
from forebear.data.dataset import Dataset
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.scoring.job import Job
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT
from forebear.scoring.scores import Score

_DIRICHLET = ("bdeu", "bds", "k2")
"""Scores that are marginal likelihoods with the same prior weight on every cell."""
_PENALIZED = ("bic", "aic")
"""Scores that are the log-likelihood minus a penalty per free parameter."""
_MOST_CANDIDATES = 63
"""The core stores sets of candidates as bits of a word."""
_MOST_FOUND = 100_000
"""Largest number of larger sets of one variable. With more, the table has too few rows for a useful
proof."""


def has_upper_bounds(data: Dataset, score: Score) -> bool:
    """Return whether the scores of larger sets have upper bounds.

    There are none if families are scored on different rows or on completed rows.
    """
    complete = not data.has_missing and data.copies == 1
    return complete and score.name in (*_DIRICHLET, *_PENALIZED)


def can_prove_complete(job: Job) -> bool:
    """Return whether upper bounds can prove that a collection of sets is complete."""
    return (
        has_upper_bounds(job.data, job.score)
        and job.max_sets is None
        and job.max_candidates is None
        and job.constraints.useful is None
        and int(job.constraints.candidates.max(initial=0)) <= _MOST_CANDIDATES
    )


def upper_bounds(job: Job) -> _core.UpperBounds:
    """Prepare the upper bounds of a job."""
    return _core.UpperBounds.make(job.table, threads=job.threads, **job.core_score)


def has_tight_bounds(score: Score) -> bool:
    """Return whether the upper bounds of a score prune larger sets early."""
    return score.name in _PENALIZED


def add_larger_sets(
    job: Job,
    sets: ParentSets,
    *,
    most_explored: int = 2**62,
    budget: _core.Budget | None = None,
) -> ParentSets | None:
    """Add all larger sets that are not dominated to the sets of a job.

    Return None if a limit is reached. ``most_explored`` limits the sets of candidates that are
    explored for each variable, so that the outcome does not depend on the speed of the machine.
    ``budget`` limits the time.

    The provenance of the result records that it is complete: its best network is the best of all
    networks that the constraints allow.
    """
    if job.max_parents >= int(job.constraints.candidates.max(initial=0)):
        return _mark_complete(sets, sets.provenance.get("max_parents", job.max_parents))
    if not can_prove_complete(job):
        return None
    budget, bounds = budget or _core.Budget(None), upper_bounds(job)
    with ThreadPoolExecutor(max(1, job.threads)) as pool:
        try:
            larger = list(
                pool.map(
                    lambda v: _find_larger_sets(job, bounds, sets, v, most_explored, budget),
                    range(job.data.n_variables),
                )
            )
        except BaseException:
            budget.cancel()
            raise
    if any(more is None for more in larger):
        return None
    # These scores are computed in NumPy, by the definition of the score.
    lists = [
        [(job.score.local(job.data, v, own), own) for own in more or ()]
        for v, more in enumerate(larger)
    ]
    largest = max([job.max_parents, *(len(own) for more in lists for _, own in more)])
    if largest > MAX_PARENTS_LIMIT:
        return None
    return _mark_complete(sets.merge(ParentSets.of_lists(sets.names, lists)), largest)


def _mark_complete(sets: ParentSets, max_parents: int) -> ParentSets:
    provenance = {**sets.provenance, "max_parents": max_parents, SCORED_UP_TO: sets.n_variables - 1}
    return replace(sets, provenance=provenance, path=None)


def _find_larger_sets(
    job: Job,
    bounds: _core.UpperBounds,
    sets: ParentSets,
    child: int,
    most_explored: int,
    budget: _core.Budget,
) -> list[tuple[int, ...]] | None:
    """Find the larger sets of one child that are not dominated; None if a limit is reached.

    The result may contain sets that are dominated by a subset found later.
    """
    n, allowed = job.data.n_variables, job.constraints.allowed
    candidates = [
        c for c in range(n) if c != child and (allowed is None or bool(allowed[child, c]))
    ]
    bit = np.zeros(n + 1, dtype=np.uint64)
    bit[candidates] = np.uint64(1) << np.arange(len(candidates), dtype=np.uint64)
    own = sets.span(child)
    scores = sets.scores[own]
    masks = bit[np.minimum(sets.parents[:, own], n)].sum(axis=0, dtype=np.uint64)
    finite = np.isfinite(scores)
    masks_found, complete = bounds.larger(
        child,
        candidates,
        masks=masks[finite].tolist(),
        scores=scores[finite].tolist(),
        scored_size=job.max_parents,
        required=sum(int(bit[p]) for p in job.constraints.required.get(child, ())),
        most_explored=most_explored,
        most_found=_MOST_FOUND,
        budget=budget,
    )
    if not complete:
        return None
    return [tuple(c for i, c in enumerate(candidates) if mask >> i & 1) for mask in masks_found]
