"""Parent sets for sampling: dominated sets within a margin are kept, and chains can add more.

A search does not need dominated sets, which score less than one of their subsets. A sum over
networks does. With 1,000 rows, a parent without influence costs about 3.5 nats, so a hundred sets
with such a parent together have more weight than the set without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.executors import interruptible
from forebear.budget import Clock
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.scoring.constraints import Constraints
from forebear.scoring.growing_sets import GrowingSets
from forebear.scoring.job import Job
from forebear.scoring.score_job import score_in_time

DEFAULT_PRIOR = "sparse"
"""The usual choice of samplers (Friedman and Koller, 2003). With hundreds of variables, "uniform"
expects many parents per variable."""

DEFAULT_MARGIN = 8.0
"""A set is pruned if a subset scores this many nats more: it has less than 0.04 % of the weight of
the subset. With 1,000 rows of alarm, 4 nats kept half as many sets, and probabilities of arcs
differed more than twice as much from those of a long run; 16 nats kept five times as many, and
probabilities differed as much as with 8."""

_FAMILIES = 8_000_000
"""All sets are scored up to the largest size with at most this many families: a few seconds."""

_EXTENDED = 50
"""As many of the best small sets of every variable are extended before chains start. Without this,
the mean score of the draws of win95pts was 11 nats lower. With 20 and with 100, the draws of
diabetes had about the same scores."""

_SET_MEMORY = 1_000_000_000
"""Memory for the sets, in bytes. If a variable exceeds its share, its worst sets are dropped."""


def score_sampled_sets(
    first: ParentSets,
    job: Job,
    max_parents: Sequence[int],
    *,
    margin: float,
    clock: Clock | None = None,
    max_memory: int | None = None,
) -> GrowingSets:
    """Score all sets of a few parents, and add those that a search has found.

    Parameters
    ----------
    first
        The sets of a search.
    job
        The table, the score with its prior over networks, and the constraints.
    max_parents
        The largest parent set of every variable.
    margin
        A set is pruned if a subset scores higher by this many nats.
    clock
        If it expires, only smaller sets are all scored. Default: no limit.
    max_memory
        Memory for the scoring and for the sets, in bytes. Default: the free memory, and 1 GB for
        the sets.

    Returns
    -------
    GrowingSets
        The parent sets.
    """
    most = _complete_size(job.data.n_variables, job.max_parents)
    job = replace(job, margin=margin, max_parents=most)
    clock = clock or Clock()
    scored = score_in_time(job, clock, after_limit=True, max_memory=max_memory)
    growing = GrowingSets(scored, job, max_parents, min(_SET_MEMORY, max_memory or _SET_MEMORY))
    # The search has pruned its sets strictly, so they are not complete for sampling.
    growing.add(replace(first, provenance={**first.provenance, SCORED_UP_TO: 0}), job.threads)
    _extend_best(growing, job.threads, first.max_parents, clock)
    return growing


def _extend_best(growing: GrowingSets, threads: int, size: int, clock: Clock) -> None:
    """Extend the best sets of every variable that are smaller than a size, until none is left."""
    while not clock.expired:
        sets = growing.sets(threads)
        small = np.isfinite(sets.scores) & ((sets.parents != sets.none).sum(axis=0) < size)
        before = np.append(0, np.cumsum(small))  # small sets, in the order of the collection
        rank = before[:-1] - before[sets.offsets[sets.child]]
        due = small & (rank < _EXTENDED) & ~growing.extended(sets)
        if not due.any():
            return
        budget = _core.Budget(None if clock.limit is None else clock.left())
        interruptible(partial(growing.grow, as_networks(sets, due), threads, budget), budget)


def _complete_size(n_variables: int, most: int) -> int:
    """Return the largest size up to which all sets are few enough to score."""
    whole = Constraints(n_variables)
    larger = range(2, most + 1)
    return max((size for size in larger if whole.families(size) <= _FAMILIES), default=min(1, most))


def as_networks(sets: ParentSets, used: NDArray[np.bool_]) -> list[NDArray[np.int32]]:
    """Return networks of these sets and of the best of every variable, as ranks.

    They may have cycles.
    """
    places = np.flatnonzero(used)
    child = sets.child[places]
    starts = np.searchsorted(child, np.arange(sets.n_variables))
    number = np.arange(len(places)) - starts[child]
    networks = np.zeros((int(number.max(initial=0)) + 1, sets.n_variables), dtype=np.int32)
    networks[number, child] = places - sets.offsets[child]
    return list(networks)
