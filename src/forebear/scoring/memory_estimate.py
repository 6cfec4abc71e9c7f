"""Estimate the memory of a scoring job.

A job is rejected in advance only if it cannot fit. During a run, the core counts its allocations
and stops at the limit.
"""

from __future__ import annotations

import math

from forebear._util.errors import LimitError, Parameter
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import counted, show_bytes
from forebear.scoring.job import Job


def least_bytes(job: Job) -> int:
    """Return the least memory of a run: one number for each set of variables that it visits."""
    n = int(job.constraints.candidates.max(initial=0)) + 1
    return 8 * sum(math.comb(n, size) for size in range(job.max_parents + 1))


def most_bytes(job: Job) -> int:
    """Estimate the memory of a run that keeps every set: 16 bytes per set, and the ranked arrays.

    The working memory of the threads is additional.
    """
    families = job.constraints.families(job.max_parents)
    return least_bytes(job) + families * (24 + job.id_type.itemsize * job.max_parents)


def fits_in_memory(job: Job, max_memory: int | None) -> bool:
    """Return whether a job fits in half of the memory even if it keeps every set."""
    limit = memory_bytes() if max_memory is None else max_memory
    return resident_bytes() + most_bytes(job) <= limit / 2


def check_job_memory(job: Job, byte_limit: int) -> None:
    """Reject a job that cannot fit in memory, even if it keeps few sets."""
    held = resident_bytes()
    if held >= byte_limit:
        raise LimitError(
            f"the memory limit of {show_bytes(byte_limit)} leaves no memory for scoring: "
            f"the program and the table already take {show_bytes(held)}"
        )
    needed = held + least_bytes(job)
    if needed > byte_limit:
        families = job.constraints.families(job.max_parents)
        raise LimitError(
            f"scoring {families:,} families (up to {counted(job.max_parents, 'parent')}) needs "
            f"more than {show_bytes(needed)} of memory; the limit is {show_bytes(byte_limit)}: "
            "lower ",
            Parameter("max_parents"),
            ", or use fewer variables",
        )


def out_of_memory(byte_limit: int) -> LimitError:
    """Return the error of a run that reached its memory limit."""
    return LimitError(
        f"scoring reached the memory limit of {show_bytes(byte_limit)}: lower ",
        Parameter("max_parents"),
        ", or keep fewer sets with ",
        Parameter("max_sets_per_variable"),
    )
