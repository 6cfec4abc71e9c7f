"""The memory of scoring: jobs that cannot fit, and the limit of a run."""

from __future__ import annotations

import sys

import pytest
from programs import run_python
from tables import random_table

from forebear._util.errors import LimitError
from forebear._util.machine import resident_bytes
from forebear.scoring.job import make_job
from forebear.scoring.memory_estimate import check_job_memory

# Scores in a process of its own; prints the least memory, the peak above what was there, and the
# number of sets, nearly all of which are kept.
MEASURE = """
import re, sys
from pathlib import Path
from forebear import simulate
from forebear._util.machine import resident_bytes
from forebear.scoring.memory_estimate import least_bytes
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job

def peak():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

data = simulate(100, 2_000, states=(2, 2), seed=2).data
job = make_job(data, score="ll", max_parents=3, threads=2)
before, room = resident_bytes(), int(sys.argv[1])
sets = score_job(job, max_memory=before + room if room else None)
print(least_bytes(job), peak() - before, len(sets))
"""


def measure(room: int = 0) -> tuple[int, int, int]:
    least, peak, kept = map(int, run_python(MEASURE, str(room)).split())
    return least, peak, kept


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_memory_limit_holds() -> None:
    """With enough the run ends, and stays below; with less the core stops it."""
    least, peak, kept = measure()
    assert least <= peak
    _, again, same = measure(2 * peak)
    assert same == kept
    assert again < 2 * peak
    with pytest.raises(AssertionError, match="LimitError: scoring reached the memory limit of"):
        measure(peak // 2)


def test_jobs_that_cannot_fit_are_rejected() -> None:
    data = random_table([2] * 3_000, 20)
    with pytest.raises(
        LimitError,
        match=r"scoring [\d,]+ families \(up to 4 parents\) needs more than 27 TB of memory; "
        r"the limit is 20 GB: lower max_parents, or use fewer variables",
    ):
        check_job_memory(make_job(data, max_parents=4), 2 * 10**10)
    with pytest.raises(LimitError, match="leaves no memory for scoring"):
        check_job_memory(make_job(data, max_parents=1), resident_bytes() // 2)
    check_job_memory(make_job(data, max_parents=1), resident_bytes() + 10**6)  # it may fit
