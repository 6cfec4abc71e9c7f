"""Parent sets for sampling: also those that a subset beats, unless it does so by far.

A search needs no set that scores less than one of its subsets. A sum over networks does: in 1,000
rows, a parent without influence costs about 3.5 nats, so a hundred such sets weigh more together
than the set without them.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear._util.interruptible import interruptible
from forebear.budget import (
    WIDENING_EXPANDED,
    WIDENING_FAMILIES,
    WIDENING_LEAST_EXPANDED,
    WIDENING_SETS,
)
from forebear.parentsets.collection import ParentSets
from forebear.posterior.priors import log_prior
from forebear.scoring.max_parents import LARGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.scoring.job import Job

DEFAULT_MARGIN = 8.0
"""A set is left out if a subset scores this many nats more: it has less than 0.04 % of the weight
of the subset. Judgement, between the number of sets and what is left out."""


def widened(
    first: ParentSets,
    job: Job,
    max_parents: Sequence[int],
    *,
    prior: str | float,
    margin: float,
    budget: _core.Budget,
) -> ParentSets:
    """Return the sets of a table for sampling, beginning with those that a search has used.

    The scores contain the prior. All sets of a few parents are scored, then the neighbours of the
    best sets, and of the best of these. The provenance says how far this went.
    """
    constraints, n = job.constraints, job.data.n_variables
    most = [min(own, LARGEST, n - 1) for own in max_parents]
    complete = complete_size(n, max(most))
    widen = partial(
        _core.widen,
        codes=np.ascontiguousarray(job.data.codes),
        arities=job.data.arities.tolist(),
        score=job.score.name,
        ess=float(job.score.parameters.get("ess", 1.0)),
        chi_squared=job.score.critical_values(job.data.arities, max(*most, 1)),
        allowed=None if constraints.allowed is None else constraints.allowed.astype(np.uint8),
        required=[list(constraints.required.get(v, ())) for v in range(n)]
        if constraints.required
        else [],
        offsets=np.ascontiguousarray(first.offsets),
        scores=np.ascontiguousarray(first.scores),
        parents=np.ascontiguousarray(first.parents),
        max_parents=most,
        prior=log_prior(prior, n, LARGEST).tolist(),
        margin=margin,
        complete=complete,
        most_expanded=max(WIDENING_LEAST_EXPANDED, WIDENING_EXPANDED // (n * n)),
        most_sets=max(2, WIDENING_SETS // n),
        threads=job.threads,
        budget=budget,
    )
    offsets, scores, parents, unexpanded, cut = interruptible(widen, budget)
    return ParentSets(
        names=first.names,
        offsets=offsets,
        scores=scores,
        parents=parents,
        provenance={
            **{k: x for k, x in first.provenance.items() if k != "families"},
            "max_parents": max(most),
            "max_parents_of_all": complete,
            "margin": margin,
            "prior": prior,
            "unexpanded": unexpanded,
            "cut": cut,
        },
    )


def complete_size(n_variables: int, most: int) -> int:
    """Return the number of parents up to which all sets can be scored."""
    families = n_variables
    for size in range(1, most + 1):
        families += n_variables * math.comb(n_variables - 1, size)
        if families > WIDENING_FAMILIES:
            return max(1, size - 1)
    return most
