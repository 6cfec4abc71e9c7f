"""From a Dataset to ParentSets: score all families, prune, rank."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearError, ForebearWarning, LimitError, TimeLimitError
from forebear._util.machine import cores, resident_bytes
from forebear._util.text import show_bytes, show_seconds
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.constraints import Constraints
from forebear.scoring.cost import Cost, Limits, check
from forebear.scoring.distributed import score_elsewhere
from forebear.scoring.job import Job, ScoringRun
from forebear.scoring.scores import Score, as_score

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from forebear.data.dataset import Dataset
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.constraints import Arcs, Variable

MANY_FAMILIES = 20_000_000_000
"""Past so many families, the default in-degree deserves a warning."""


def default_max_parents(n_variables: int) -> int:
    """The paper's rule: up to 3 parents below 500 variables, 2 from there on."""
    limit = 3 if n_variables < 500 else 2
    families = n_variables * sum(math.comb(n_variables - 1, k) for k in range(limit + 1))
    if families > MANY_FAMILIES:
        warnings.warn(
            f"{limit} parents of {n_variables:,} variables make {families:.1e} families: "
            f"max_parents={limit - 1} would be quicker by far",
            ForebearWarning,
            stacklevel=3,
        )
    return min(limit, n_variables - 1)


def make_job(
    data: Dataset,
    *,
    score: Score | str = "bdeu",
    max_parents: int | None = None,
    threads: int | None = None,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    tiers: Sequence[Collection[Variable]] | None = None,
    max_sets_per_variable: int | None = None,
) -> Job:
    """Check the settings of a scoring job and choose those not given."""
    n = data.n_variables
    if max_parents is None:
        max_parents = default_max_parents(n)
    if not 0 <= max_parents <= 15:
        raise ForebearError(f"max_parents must be in 0..15, got {max_parents}")
    if threads is not None and threads < 1:
        raise ForebearError(f"threads must be at least 1, got {threads}")
    most = max_sets_per_variable
    if most is not None and most < 1:
        raise ForebearError(f"max_sets_per_variable must be at least 1, got {most}")
    max_parents = min(max_parents, n - 1)
    constraints = Constraints.make(data.names, required=required, forbidden=forbidden, tiers=tiers)
    for child, parents in constraints.required.items():
        if len(parents) > max_parents:
            raise ForebearError(
                f"variable {data.names[child]!r} must have {len(parents)} "
                f"parent{'s' * (len(parents) > 1)}, but max_parents is {max_parents}"
            )
    _check_packing(n, max_parents)
    return Job(
        data=data,
        score=as_score(score),
        constraints=constraints,
        max_parents=max_parents,
        max_sets=most,
        threads=threads or cores(),
    )


def most_parents(n_variables: int) -> int:
    """The core holds a set in one word of 64 bits: its size in four, its parents in the others."""
    return 60 // max(1, (n_variables - 1).bit_length())


def _check_packing(n_variables: int, max_parents: int) -> None:
    most = most_parents(n_variables)
    if max_parents > most:
        raise LimitError(
            f"sets of {max_parents} parents among {n_variables:,} variables cannot be held: "
            f"lower max_parents to {most}"
        )


def score_parent_sets(
    data: Dataset,
    *,
    score: Score | str = "bdeu",
    max_parents: int | None = None,
    threads: int | None = None,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    tiers: Sequence[Collection[Variable]] | None = None,
    max_sets_per_variable: int | None = None,
    max_candidates: int | None = None,
    time_limit: float | None = None,
    max_memory: int | None = None,
    executor: Any = None,
    on_cost: Callable[[Cost], None] | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> ParentSets:
    """Score the candidate parent sets of every variable, prune and rank them.

    All sets of up to ``max_parents`` parents are scored. A set is dropped if
    some proper subset scores at least as high; the others are ranked best
    first. With ``max_candidates`` only so many parents of each variable are
    considered, those that explain it best one by one. What this costs is
    predicted first: past ``time_limit`` (seconds) or ``max_memory`` (bytes; by
    default what the machine has) it stops with a ``LimitError`` that says what
    would fit. With an ``executor`` parts of the work go to its workers, each on
    ``threads`` of its own (1). ``on_cost`` receives the prediction,
    ``on_progress`` the fraction done.
    """
    job = make_job(
        data,
        score=score,
        max_parents=max_parents,
        threads=threads,
        required=required,
        forbidden=forbidden,
        tiers=tiers,
        max_sets_per_variable=max_sets_per_variable,
    )
    started = time.monotonic()
    if max_candidates is not None:
        job = restrict_candidates(job, max_candidates, seconds=time_limit)
        if time_limit is not None:
            time_limit = max(time_limit - (time.monotonic() - started), 1e-9)
    if executor is not None:
        return score_elsewhere(
            executor,
            replace(job, threads=threads or 1),
            time_limit=time_limit,
            on_progress=on_progress,
        )
    return score_job(
        job,
        time_limit=time_limit,
        max_memory=max_memory,
        on_cost=on_cost,
        on_progress=on_progress,
    )


def score_job(
    job: Job,
    *,
    time_limit: float | None = None,
    max_memory: int | None = None,
    cost: Cost | None = None,
    on_cost: Callable[[Cost], None] | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> ParentSets:
    """Do a scoring job within its limits; ``cost`` is what it takes, if that is known."""
    if time_limit is not None and not time_limit > 0:
        raise ForebearError(f"time_limit must be positive, got {time_limit:g}")
    start = time.monotonic()
    limits = Limits.given(max_memory, time_limit)
    cost = cost or check(job, limits)
    if on_cost:
        on_cost(cost)
    left = math.inf if time_limit is None else time_limit - (time.monotonic() - start)
    run = ScoringRun(job, byte_limit=limits.bytes - resident_bytes(), seconds=max(left, 1e-9))
    tell = None if on_progress is None else lambda done: on_progress(min(1.0, done / job.work))
    stopped = run.watch(tell)
    if stopped == "time":
        raise TimeLimitError(
            f"scoring takes longer than was expected: {show_seconds(time_limit or 0)} are over. "
            "Lower max_parents, or allow more time"
        )
    try:
        if stopped == "memory":
            raise MemoryError
        sets = run.collect()
    except MemoryError:
        raise LimitError(
            f"scoring needs more memory than was expected: the limit of "
            f"{show_bytes(limits.bytes)} was reached. "
            "Lower max_parents, or keep fewer sets with max_sets_per_variable"
        ) from None
    if on_progress:
        on_progress(1.0)
    return sets
