"""Scoring in parts, each on its own: for other machines, for little memory, to be resumed.

A part is a range of variables: of the largest sets that are scored (a child and
all of its parents), those whose first variable is in the range. The first part
has all smaller sets, too. So parts together keep exactly what one run keeps, in
any order and on any machine; what is counted twice are the smaller sets, few
beside the largest.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear._util.errors import LimitError
from forebear.scoring.job import ScoringRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.scoring.job import Job


class PartArrays(NamedTuple):
    """What a part keeps, ranked: offsets, scores and parents, as ``ParentSets`` has them."""

    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[Any]


def split(job: Job, n_parts: int) -> list[range]:
    """Cut a job into at most so many parts of about the same work."""
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
    """Score one part. It says so if that takes more time or memory than it may."""
    limits = {} if byte_limit is None else {"byte_limit": byte_limit}
    run = ScoringRun(job, seconds=seconds or 0.0, part=part, **limits)
    stopped = run.watch(on_progress)
    if stopped != "done":
        raise LimitError(f"scoring stopped before its end: {stopped}")
    return PartArrays(*run.arrays())


def merge_variable(job: Job, parts: Sequence[PartArrays], v: int) -> PartArrays:
    """Rank what all parts keep of one variable."""
    spans = [slice(int(part.offsets[v]), int(part.offsets[v + 1])) for part in parts]
    scores = np.concatenate([part.scores[span] for part, span in zip(parts, spans, strict=True)])
    parents = np.concatenate(
        [part.parents[:, span] for part, span in zip(parts, spans, strict=True)], axis=1
    )
    if job.constraints.required.get(v):
        # Every part ends with the empty set, which is not allowed: one will do.
        empty = np.flatnonzero(np.isneginf(scores))
        scores, parents = np.delete(scores, empty[1:]), np.delete(parents, empty[1:], axis=1)
    order = ranking(scores, parents)
    if job.max_sets is not None and len(order) > job.max_sets:
        # The empty set is kept nevertheless: without parents in the first place.
        kept = order[: job.max_sets]
        empty_at = int(np.flatnonzero(parents[0] == np.iinfo(parents.dtype).max)[0])
        order = kept if empty_at in kept else np.append(kept[:-1], empty_at)
    return PartArrays(np.array([0, len(order)]), scores[order], parents[:, order])


def ranking(scores: NDArray[np.float64], parents: NDArray[Any]) -> NDArray[np.intp]:
    """Best first; ties: smaller sets first, then lexicographic."""
    order = np.argsort(-scores, kind="stable")  # quick where parts are ranked already
    ranked = scores[order]
    tied = np.flatnonzero(ranked[1:] == ranked[:-1])
    if not len(tied):
        return order
    starts = tied[np.flatnonzero(np.diff(tied, prepend=-2) > 1)]
    ends = tied[np.flatnonzero(np.diff(tied, append=len(order) + 2) > 1)] + 2
    sizes = (parents != np.iinfo(parents.dtype).max).sum(axis=0)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        among = order[start:end]
        keys = (*parents[::-1, among], sizes[among])
        order[start:end] = among[np.lexsort(keys)]
    return order


def merge(job: Job, parts: Sequence[PartArrays]) -> PartArrays:
    """Put all parts together, in memory."""
    merged = [merge_variable(job, parts, v) for v in range(job.data.n_variables)]
    offsets = np.zeros(len(merged) + 1, dtype=np.int64)
    np.cumsum([len(one.scores) for one in merged], out=offsets[1:])
    return PartArrays(
        offsets,
        np.concatenate([one.scores for one in merged]),
        np.ascontiguousarray(np.concatenate([one.parents for one in merged], axis=1)),
    )
