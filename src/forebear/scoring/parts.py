"""Divide a scoring job into parts: for executors, for little memory, and to resume.

A part is a range of variables. Of the largest families (a child and all of its parents), it scores
those whose first variable is in the range, and those of children in the range that have a walk of
their own. The first part also scores all smaller families.
Together, the parts keep exactly the sets that one run keeps, on any machine and in any order. Every
part also counts the smaller families, which are few compared with the largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from forebear import _core
from forebear._util.errors import TimeLimitError
from forebear.parentsets.ranked_sets import RankedArrays, is_empty, rank
from forebear.scoring.job import NO_LIMIT, Job, ScoringRun

PART_WORK = 10**12
"""Families times rows of a part. A kill loses at most one part, so the loss is proportional to
this."""


def split(job: Job, n_parts: int) -> list[range]:
    """Divide a job into at most ``n_parts`` parts of about the same work."""
    n, most = job.data.n_variables, job.max_parents
    if most < 2 or n_parts < 2:
        return [range(n)]
    works = [job.shared_walk * math.comb(n - 1 - v, most) for v in range(n)]
    for v in job.alone:
        works[v] += math.comb(int(job.constraints.candidates[v]), most)
    work = np.cumsum(works, dtype=object)
    cuts = [0]
    for k in range(1, n_parts):
        target = work[-1] * k // n_parts
        cuts.append(int(np.searchsorted(work, target, side="left")) + 1)
    cuts.append(n)
    edges = sorted({cut for cut in cuts if cut <= n})
    return [range(a, b) for a, b in pairwise(edges)]


def parts_by_work(job: Job) -> int:
    """Return the number of parts such that a kill or the time limit loses little work.

    A part has at most 10^12 families times rows, which take some minutes. Each part counts the
    smaller sets again; this must not take more than a quarter of the work in total.
    """
    target = math.ceil(job.work * job.data.n_stored / PART_WORK)
    repeated = replace(job, max_parents=max(job.max_parents - 1, 0)).work
    return len(split(job, min(target, job.work // (4 * max(repeated, 1)))))


def score_part(
    job: Job,
    part: range,
    byte_limit: int = NO_LIMIT,
    seconds: float | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> RankedArrays:
    """Score one part. Raise TimeLimitError or MemoryError if a limit is reached."""
    run = ScoringRun(job, byte_limit, part, _core.Budget(seconds))
    stopped = run.watch(on_progress)
    if stopped == "time":
        raise TimeLimitError("scoring a part reached the time limit")
    if stopped != "done":
        raise MemoryError
    return run.arrays()


def merge_variable(job: Job, parts: Sequence[RankedArrays], v: int) -> RankedArrays:
    """Rank the sets of one variable from all parts."""
    own = [(part, slice(int(part.offsets[v]), int(part.offsets[v + 1]))) for part in parts]
    scores = np.concatenate([part.scores[span] for part, span in own])
    parents = np.concatenate([part.parents[:, span] for part, span in own], axis=1)
    offsets, scores, parents = rank(1, np.zeros(len(scores), dtype=np.int64), scores, parents)
    if job.max_sets is None or len(scores) <= job.max_sets:
        return RankedArrays(offsets, scores, parents)
    kept = np.arange(job.max_sets)
    kept[-1] = max(kept[-1], int(np.flatnonzero(is_empty(parents))[0]))  # always keep the empty set
    return RankedArrays(np.array([0, len(kept)]), scores[kept], parents[:, kept])


def merge(job: Job, parts: Sequence[RankedArrays]) -> RankedArrays:
    """Merge all parts in memory."""
    merged = [merge_variable(job, parts, v) for v in range(job.data.n_variables)]
    offsets = np.zeros(len(merged) + 1, dtype=np.int64)
    np.cumsum([len(one.scores) for one in merged], out=offsets[1:])
    return RankedArrays(
        offsets,
        np.concatenate([one.scores for one in merged]),
        np.ascontiguousarray(np.concatenate([one.parents for one in merged], axis=1)),
    )
