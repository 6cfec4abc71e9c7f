"""Larger parent sets of the best candidates, where parent sets cannot grow.

With hundreds of variables, all sets of two or three parents are as many as can be scored. Often
the best networks need larger ones. The parents in the best sets of a variable are its candidates;
all larger sets of these few are scored as well.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import LimitError
from forebear._util.machine import resident_bytes
from forebear.budget import (
    DEEPENED_SETS,
    DEEPENING_LIMIT,
    DEEPENING_PLANNED_SHARE,
    DEEPENING_TRIED_SHARE,
    GROWING_VARIABLES,
)
from forebear.learning.plan import Plan
from forebear.learning.steps import get_parent_sets
from forebear.parentsets.collection import ParentSets
from forebear.scoring.candidates import deeper_job
from forebear.scoring.cost import Cost, Limits, estimate

if TYPE_CHECKING:
    from forebear.learning.steps import Means

WAYS = ((30, 5), (20, 5), (20, 4), (20, 3))
"""Number of candidates and of parents. The first entry that there is time for is used."""

USUAL = (20, 5)
"""The entry that is used without a time limit."""

_SEARCHED = 1.25
"""Searching sets takes this many times their own memory."""


def deepen(sets: ParentSets, plan: Plan, means: Means, *, most: int, timed: bool) -> ParentSets:
    """Add sets of up to ``most`` of the best candidates, if there are time and memory.

    Under a generation limit they are added in any case, since the network must not depend on the
    speed of the machine.
    """
    job, clock = plan.job, means.clock
    if job.data.n_variables < GROWING_VARIABLES or len(sets) > DEEPENED_SETS:
        return sets
    seconds = clock.share(DEEPENING_PLANNED_SHARE) if timed else None
    limits = Limits.given(means.max_memory, seconds)
    enough = clock.spent() + DEEPENING_TRIED_SHARE * clock.left()
    for candidates, parents in WAYS if timed else (USUAL,):
        parents = min(parents, most)
        if parents <= job.max_parents or (timed and clock.spent() > enough):
            continue
        deeper = deeper_job(job, sets, candidates, parents)
        found = means.find_cached(deeper)
        cost = None if found else estimate(deeper, limits)
        if timed and not _fits(sets, cost, limits, parents):
            continue
        more = Plan(deeper, plan.seconds, plan.algorithm, cost, found)
        try:
            larger = get_parent_sets(more, means, DEEPENING_LIMIT, told=False)
            joined = join_sets(sets, larger)
            means.watcher.enlarged(len(joined) - len(sets), joined)
            return joined
        except (LimitError, MemoryError):  # the sets at hand are good enough
            if not timed:
                raise
    return sets


def _fits(sets: ParentSets, cost: Cost | None, limits: Limits, parents: int) -> bool:
    """Whether there is time to score the sets, and memory to join and search them."""
    if cost is None:
        return True
    joined = (len(sets) + cost.parent_sets) * (8 + parents * sets.parents.itemsize)
    return limits.allow(cost) and resident_bytes() + _SEARCHED * joined <= limits.bytes


def join_sets(wide: ParentSets, deep: ParentSets) -> ParentSets:
    """Return all sets of ``wide``, and those of ``deep`` that are larger than any of them.

    The subsets of every set in ``deep`` were scored for one of the two, so no set is kept that a
    subset beats.
    """
    none = np.iinfo(wide.parents.dtype).max
    sizes = np.count_nonzero(deep.parents != none, axis=0)
    larger = sizes > len(wide.parents)
    if not larger.any():
        return wide
    bounds = pairwise(deep.offsets.tolist())
    more = [start + np.flatnonzero(larger[start:end]) for start, end in bounds]
    offsets = np.cumsum([0, *(wide.counts + [len(own) for own in more])], dtype=np.int64)
    scores = np.empty(offsets[-1])
    slots = int(sizes.max())
    parents = np.empty((slots, offsets[-1]), dtype=wide.parents.dtype)
    for v, added in enumerate(more):
        own = slice(int(wide.offsets[v]), int(wide.offsets[v + 1]))
        both = slice(int(offsets[v]), int(offsets[v + 1]))
        unsorted = np.concatenate([wide.scores[own], deep.scores[added]])
        order = np.argsort(-unsorted, kind="stable")
        scores[both] = unsorted[order]
        members = np.full((slots, len(order)), none, dtype=parents.dtype)
        members[: len(wide.parents), : len(order) - len(added)] = wide.parents[:, own]
        members[:, len(order) - len(added) :] = deep.parents[:slots, added]
        parents[:, both] = members[:, order]
    return ParentSets(
        names=wide.names,
        offsets=offsets,
        scores=scores,
        parents=parents,
        provenance={
            **wide.provenance,
            "max_parents": deep.provenance["max_parents"],
            "max_candidates": deep.provenance["max_candidates"],
            "max_parents_of_all": wide.provenance["max_parents"],
        },
    )
