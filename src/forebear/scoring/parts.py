"""Scoring in parts: for other machines, for little memory, and to resume.

A part is a range of variables. Of the largest sets (a child and all of its parents) it scores those
whose first variable is in the range. The first part also scores all smaller sets. Together the
parts keep exactly what one run keeps, on any machine and in any order. The smaller sets are counted
in every part, but they are few beside the largest.
"""

from __future__ import annotations

import math
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear._util.errors import TimeLimitError
from forebear.parentsets.merging import ranking
from forebear.scoring.job import NO_LIMIT, ScoringRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from forebear.scoring.job import Job


class PartArrays(NamedTuple):
    """The ranked sets of a part: offsets, scores and parents as in ``ParentSets``."""

    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[Any]


def split(job: Job, n_parts: int) -> list[range]:
    """Cut a job into at most ``n_parts`` parts of about the same work."""
    n, most = job.data.n_variables, job.max_parents
    if most < 2 or not job.together or n_parts < 2:
        return [range(n)]
    work = np.cumsum([math.comb(n - 1 - v, most) for v in range(n)], dtype=object)
    cuts = [0]
    for k in range(1, n_parts):
        wanted = work[-1] * k // n_parts
        cuts.append(int(np.searchsorted(work, wanted, side="left")) + 1)
    cuts.append(n)
    edges = sorted({cut for cut in cuts if cut <= n})
    return [range(a, b) for a, b in pairwise(edges)]


def score_part(
    job: Job,
    part: range,
    *,
    byte_limit: int | None = None,
    seconds: float | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> PartArrays:
    """Score one part. Raise TimeLimitError or MemoryError if a limit stops it."""
    limit = NO_LIMIT if byte_limit is None else byte_limit
    run = ScoringRun(job, byte_limit=limit, seconds=seconds or 0.0, part=part)
    stopped = run.watch(on_progress)
    if stopped == "time":
        raise TimeLimitError("scoring a part reached the time limit")
    if stopped != "done":
        raise MemoryError
    return PartArrays(*run.arrays())


def merge_variable(job: Job, parts: Sequence[PartArrays], v: int) -> PartArrays:
    """Rank the sets of one variable from all parts."""
    spans = [slice(int(part.offsets[v]), int(part.offsets[v + 1])) for part in parts]
    scores = np.concatenate([part.scores[span] for part, span in zip(parts, spans, strict=True)])
    parents = np.concatenate(
        [part.parents[:, span] for part, span in zip(parts, spans, strict=True)], axis=1
    )
    if job.constraints.required.get(v):
        # Every part ends with the empty set, which is not allowed; one of them is kept.
        empty = np.flatnonzero(np.isneginf(scores))
        scores, parents = np.delete(scores, empty[1:]), np.delete(parents, empty[1:], axis=1)
    order = ranking(scores, parents)
    if job.max_sets is not None and len(order) > job.max_sets:
        # The empty set is always kept; its first place is unused.
        kept = order[: job.max_sets]
        empty_at = int(np.flatnonzero(parents[0] == np.iinfo(parents.dtype).max)[0])
        order = kept if empty_at in kept else np.append(kept[:-1], empty_at)
    return PartArrays(np.array([0, len(order)]), scores[order], parents[:, order])


def merged_variables(job: Job, parts: Sequence[PartArrays]) -> Iterator[PartArrays]:
    """Merge one variable after another on the threads of the job.

    Each thread is at most one variable ahead, so that few variables are in memory.
    """
    if job.threads == 1:
        yield from (merge_variable(job, parts, v) for v in range(job.data.n_variables))
        return
    with ThreadPoolExecutor(job.threads) as pool:
        ahead: deque[Future[PartArrays]] = deque()
        for v in range(job.data.n_variables):
            ahead.append(pool.submit(merge_variable, job, parts, v))
            if len(ahead) > job.threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def merge(job: Job, parts: Sequence[PartArrays]) -> PartArrays:
    """Merge all parts in memory."""
    merged = list(merged_variables(job, parts))
    offsets = np.zeros(len(merged) + 1, dtype=np.int64)
    np.cumsum([len(one.scores) for one in merged], out=offsets[1:])
    return PartArrays(
        offsets,
        np.concatenate([one.scores for one in merged]),
        np.ascontiguousarray(np.concatenate([one.parents for one in merged], axis=1)),
    )
