"""All parent sets worth having, however large, by limits on what larger sets can score.

For some scores there are limits on what a set P and all its supersets can score:

- BIC and AIC (de Campos and Ji, 2011): the log-likelihood is at most that given all candidates, and
  the penalty at least that of P.
- BDeu, BDs and K2 (after de Campos and Ji, 2011, and Correia, Cussens and de Campos, 2020): where a
  state occurs first in a configuration of the parents, its probability is at most 1/r. So every
  non-zero cell of the table of P costs log r, however larger sets split it. Nor is a configuration
  more likely than by the frequencies given all candidates.

If a subset of P scores as high as the limit, no superset of P is worth having. The core explores
all sets of which this is not so, beyond the size that was scored.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.scoring.functions import x_log_x
from forebear.scoring.max_parents import LARGEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset
    from forebear.scoring.job import Job
    from forebear.scoring.scores import Score

_DIRICHLET = ("bdeu", "bds", "k2")
"""Scores that are marginal likelihoods with the same prior weight on every cell."""
_PENALISED = ("bic", "aic")
"""Scores that are the log-likelihood less a penalty per free parameter."""
_MOST_CANDIDATES = 63
"""The core keeps sets of candidates as bits."""
_MOST_FOUND = 100_000
"""Of one variable: with more large sets, tables have so few rows that nothing is worth proving."""


def has_limits(data: Dataset, score: Score) -> bool:
    """Return whether there are limits on what larger sets can score.

    There are none where families are scored on different rows, or on rows that stand for others.
    """
    complete = not data.has_missing and data.copies == 1
    return complete and score.name in (*_DIRICHLET, *_PENALISED)


def can_be_complete(job: Job) -> bool:
    """Return whether limits can show that the sets of a job, and some larger ones, are all."""
    return (
        has_limits(job.data, job.score)
        and job.max_sets is None
        and job.max_candidates is None
        and job.constraints.useful is None
        and int(job.constraints.candidates.max(initial=0)) <= _MOST_CANDIDATES
    )


def limits_of(
    data: Dataset, score: Score, child: int, candidates: list[int]
) -> _core.ScoreUpperBounds:
    """Prepare the limits of one child with these candidate parents."""
    arity, rows = int(data.arities[child]), data.n_rows
    weight = {"bic": 0.5 * math.log(rows), "aic": 1.0}.get(score.name, 0.0)
    return _core.ScoreUpperBounds(
        family="penalised" if score.name in _PENALISED else score.name,
        ess=float(score.parameters.get("ess", 1.0)),
        penalty=weight * (arity - 1),
        child=np.ascontiguousarray(data.codes[child], dtype=np.int32),
        codes=np.ascontiguousarray(data.codes[candidates], dtype=np.int32).reshape(-1, rows),
        arity=arity,
        arities=[int(data.arities[c]) for c in candidates],
        likelihood=_likelihood(data, child, candidates),
    )


def _likelihood(data: Dataset, child: int, candidates: list[int]) -> NDArray[np.float64]:
    """Return a log-likelihood for every row, given all candidates; no set has a higher sum."""
    group = np.zeros(data.n_rows, dtype=np.int64)
    for c in candidates:
        joined = group * int(data.arities[c]) + data.codes[c]
        group = np.unique(joined, return_inverse=True)[1]
    arity = int(data.arities[child])
    count = int(group.max()) + 1
    cells = np.bincount(group * arity + data.codes[child], minlength=count * arity)
    cells = cells.reshape(count, arity)
    total = cells.sum(axis=1)
    each = (x_log_x(cells).sum(axis=1) - x_log_x(total)) / total
    return np.ascontiguousarray(np.minimum(each[group], 0.0))


def falls_fast(score: Score) -> bool:
    """Return whether the limits of a score soon show that no larger set is worth having."""
    return score.name in _PENALISED


def completed(
    job: Job,
    sets: ParentSets,
    *,
    most_explored: int = 2**62,
    budget: _core.Budget | None = None,
) -> ParentSets | None:
    """Add to the sets of a job all larger ones that are worth having; None if that took too long.

    ``most_explored`` limits the sets of candidates that are explored for each variable, so that
    the outcome does not depend on the speed of the machine. ``budget`` limits the time.

    The result says in its provenance that it is complete: the best of its networks is the best of
    all networks that the constraints allow.
    """
    if job.max_parents >= int(job.constraints.candidates.max(initial=0)):
        return _marked(sets, sets.provenance.get("max_parents", job.max_parents))
    if not can_be_complete(job):
        return None
    budget = budget or _core.Budget(None)
    with ThreadPoolExecutor(max(1, job.threads)) as pool:
        try:
            found = list(
                pool.map(
                    lambda v: _larger(job, sets, v, most_explored, budget),
                    range(job.data.n_variables),
                )
            )
        except BaseException:
            budget.cancel()
            raise
    if any(more is None for more in found):
        return None
    # They are scored by the definition of the score.
    lists = [
        [(job.score.local(job.data, v, own), own) for own in more or ()]
        for v, more in enumerate(found)
    ]
    largest = max([job.max_parents, *(len(own) for more in lists for _, own in more)])
    if largest > LARGEST:
        return None
    return _marked(sets.merge(ParentSets.of_lists(sets.names, lists)), largest)


def _marked(sets: ParentSets, max_parents: int) -> ParentSets:
    made = {**sets.provenance, "max_parents": max_parents, SCORED_UP_TO: sets.n_variables - 1}
    return replace(sets, provenance=made, path=None)


def _larger(
    job: Job, sets: ParentSets, child: int, most_explored: int, budget: _core.Budget
) -> list[tuple[int, ...]] | None:
    """Find the larger sets of one child that beat their subsets; None if that took too long.

    There may also be some that a subset beats which was found later.
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
    found, _, complete = limits_of(job.data, job.score, child, candidates).larger(
        known=masks[finite].tolist(),
        scores=scores[finite].tolist(),
        scored=job.max_parents,
        required=sum(int(bit[p]) for p in job.constraints.required.get(child, ())),
        most_explored=most_explored,
        most_found=_MOST_FOUND,
        budget=budget,
    )
    if not complete:
        return None
    return [tuple(c for i, c in enumerate(candidates) if mask >> i & 1) for mask in found]
