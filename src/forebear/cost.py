"""What scoring will cost, told before it starts: families, memory, time.

The number of families is exact. How many of them are kept, and how fast, is
seen on a random few of the variables: whether a family is kept does not depend
on the other variables, so the share seen there is an unbiased estimate.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from forebear.errors import LimitError
from forebear.machine import memory_bytes, resident_bytes, show_bytes, show_seconds
from forebear.native import NativeRun, work

if TYPE_CHECKING:
    from forebear.native import Job

_FIRST_WORK = 40_000  # families of the first calibration
_CALIBRATION_SECONDS = 0.15
_RECORD_BYTES = 17  # a kept set before it is ranked, with the slack of growing lists


@dataclass(frozen=True)
class Cost:
    """What a scoring job is expected to take."""

    families: int
    parent_sets: int
    bytes: int
    seconds: float


def estimate(job: Job, max_parents: int | None = None) -> Cost:
    """Predict what a job takes, by a short calibration."""
    if max_parents is not None:
        job = replace(job, max_parents=max_parents)
    families = job.constraints.families(job.max_parents)
    share, seconds_a_family = _calibrate(job)
    kept = sum(
        share[size] * count
        for size, count in enumerate(_families_by_size(job))
        if size < len(share)
    )
    if job.max_sets is not None:
        kept = min(kept, job.data.n_variables * job.max_sets)
        lists = 2 * job.max_sets + 1024  # what a list may grow to before it is cut
        held = min(kept * job.threads * 2.5, job.data.n_variables * job.threads * lists)
    else:
        held = kept
    size = _level_bytes(job) + _RECORD_BYTES * held + 2 * job.data.codes.size / 4
    final = (8 + 2 * job.max_parents) * kept
    return Cost(
        families=families,
        parent_sets=int(kept),
        bytes=resident_bytes() + int(max(size, final)),
        seconds=seconds_a_family * job.work / job.threads,
    )


def check(job: Job, time_limit: float | None, max_memory: int | None) -> Cost:
    """Refuse what does not fit, and say what would."""
    limit = memory_bytes() if max_memory is None else max_memory
    held = resident_bytes()
    if held >= limit:
        raise LimitError(
            f"the limit of {show_bytes(limit)} leaves no memory to score in: "
            f"the program and the table take {show_bytes(held)} already"
        )
    needed = held + _level_bytes(job)
    if needed > limit:  # known without any calibration
        raise LimitError(
            f"{_what(job)} needs more than {show_bytes(needed)} of memory; the limit is "
            f"{show_bytes(limit)}. {_advice(job, time_limit, limit)}"
        )
    cost = estimate(job)
    if cost.bytes > limit:
        raise LimitError(
            f"{_what(job)} needs about {show_bytes(cost.bytes)} of memory; the limit is "
            f"{show_bytes(limit)}. {_advice(job, time_limit, limit, cost)}"
        )
    if time_limit is not None and cost.seconds > time_limit:
        raise LimitError(
            f"{_what(job)} takes about {show_seconds(cost.seconds)} on {job.threads} "
            f"thread{'s' if job.threads > 1 else ''}; the limit is {show_seconds(time_limit)}. "
            f"{_advice(job, time_limit, limit)}"
        )
    return cost


def _what(job: Job) -> str:
    families = job.constraints.families(job.max_parents)
    return f"scoring {families:,} families (up to {job.max_parents} parents)"


def _advice(job: Job, time_limit: float | None, limit: int, cost: Cost | None = None) -> str:
    """Say what would fit: a lower in-degree, or fewer sets kept."""
    for lower in range(job.max_parents - 1, 0, -1):
        smaller = replace(job, max_parents=lower)
        if resident_bytes() + _level_bytes(smaller) > limit:
            continue
        fits = estimate(smaller)
        if fits.bytes <= limit and (time_limit is None or fits.seconds <= time_limit):
            advice = (
                f"Lower max_parents to {lower} (about {show_bytes(fits.bytes)}, "
                f"{show_seconds(fits.seconds)})"
            )
            break
    else:
        return "Not even single parents would fit: use fewer variables, or raise the limit."
    if cost is not None and cost.bytes > limit:
        room = limit - resident_bytes() - _level_bytes(job)
        keep = int(room / (_RECORD_BYTES * job.data.n_variables * job.threads * 2)) - 1024
        if keep >= 100:
            keep -= keep % 10 ** int(math.log10(keep))  # a round number, and no more than fits
            return f"{advice}, or keep only the best with max_sets_per_variable={keep:_}."
    return f"{advice}, or raise the limit."


def _families_by_size(job: Job) -> list[int]:
    """Count the allowed families by their number of parents; required ones shift the sizes."""
    counts = [0] * (job.max_parents + 1)
    for v, candidates in enumerate(job.constraints.candidates.tolist()):
        must = len(job.constraints.required.get(v, ()))
        for size in range(must, job.max_parents + 1):
            counts[size] += math.comb(candidates - must, size - must)
    return counts


def _level_bytes(job: Job) -> int:
    """Bound the memory of the levels that a walk keeps, from the numbers of sets alone."""
    n, d = job.data.n_variables, job.max_parents
    arities = job.data.arities
    at_once = 1
    if not job.together:
        n = int(job.constraints.candidates.max()) + 1
        arities = np.sort(arities)[::-1][:n]
        at_once = job.threads
    classes = len(np.unique(arities))
    per_set = {"bds": 0, "k2": 8 + 8 * classes, "fnml": 8 + 8 * classes, "mit": 8 + 8 * classes}
    total = 0
    for k in range(d + 1):
        size = per_set.get(job.score.name, 8) or 8 * max(k, 1) + 12
        total += math.comb(n, k) * size
    return at_once * (total + 4 * _item_counts(job, arities))


def _item_counts(job: Job, arities: np.ndarray[tuple[int], np.dtype[np.int32]]) -> int:
    """Count what the levels keep of item counts, if all are counted by bits."""
    if job.data.n_rows < 64:
        return 0
    items = np.where(arities <= 16, arities - 1, 0).astype(float)
    # Elementary symmetric polynomials: sums of products over all subsets of each size.
    sums = np.zeros(job.max_parents + 1)
    sums[0] = 1.0
    for count in items:
        sums[1:] += count * sums[:-1]
    return int(min(sums[2:].sum(), 1e18))


def _calibrate(job: Job) -> tuple[list[float], float]:
    """Return the share of families kept, by size, and the seconds a family takes."""
    n = job.data.n_variables
    smallest = min(n, job.max_parents + 2)
    first = _most_variables(n, smallest, job.max_parents, _FIRST_WORK)
    share, first_seconds = _trial(job, first)
    if first == n:
        return share, first_seconds / max(work(n, job.max_parents), 1)
    more = work(first, job.max_parents) * _CALIBRATION_SECONDS / first_seconds
    second = max(first + 1, _most_variables(n, smallest, job.max_parents, more))
    share, second_seconds = _trial(job, second)
    # The difference of the two is free of what a run costs once, such as tables.
    extra = work(second, job.max_parents) - work(first, job.max_parents)
    return share, max(second_seconds - first_seconds, 0.2 * second_seconds) / extra


def _most_variables(n: int, smallest: int, max_parents: int, most_work: float) -> int:
    low, high = smallest, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if work(middle, max_parents) <= most_work else (low, middle - 1)
    return low


def _trial(job: Job, n_variables: int) -> tuple[list[float], float]:
    """Score a random few of the variables, on one thread."""
    chosen = np.sort(np.random.default_rng(0).permutation(job.data.n_variables)[:n_variables])
    small = job.unconstrained(chosen)
    start = time.perf_counter()
    sets = NativeRun(small).collect()
    seconds = time.perf_counter() - start
    families = _families_by_size(small)
    kept = sets.sizes.tolist()
    return [k / f if f else 0.0 for k, f in zip(kept, families, strict=True)], seconds
