"""The bounds on the memory of scoring, against what it takes; and what is refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from tables import random_table

from forebear._util.errors import LimitError
from forebear._util.machine import resident_bytes
from forebear.network.simulation import simulate
from forebear.scoring.constraints import Constraints
from forebear.scoring.footprint import check_room, fits_in_memory, least_bytes, most_bytes
from forebear.scoring.job import make_job

# Scores in a process of its own; prints the bounds and the peak, above what was there before.
MEASURE = """
import re, sys
import numpy as np
from dataclasses import replace
from pathlib import Path
from forebear._util.machine import resident_bytes
from forebear import simulate
from forebear.scoring.dispatch import score_job
from forebear.scoring.footprint import least_bytes, most_bytes
from forebear.scoring.job import make_job

def peak():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

variables, rows, states, max_parents, threads, score, limit, most, missing = eval(sys.argv[1])
data = simulate(variables, rows, states=states, seed=2).data
if missing is not None:
    gaps = np.random.default_rng(1).random(data.codes.shape) < 0.2
    codes = np.where(gaps, data.arities[:, None], data.codes)
    data = replace(data, codes=codes, missing=missing)
job = make_job(
    data, score=score, max_parents=max_parents, threads=threads, max_sets_per_variable=most
)
before = resident_bytes()
sets = score_job(job, max_memory=None if limit is None else before + limit)
print(least_bytes(job), most_bytes(job), peak() - before, len(sets))
"""

CASES = {
    "binary": (100, 2_000, (2, 2), 3, 2, "ll", None, None, None),
    "mixed": (70, 5_000, (2, 4), 3, 1, "aic", None, None, None),
    "many rows": (20, 300_000, (2, 5), 2, 2, "bdeu", None, None, None),
    "by arity": (70, 1_000, (2, 6), 3, 2, "k2", None, None, None),
    "by child": (60, 1_000, (2, 3), 3, 2, "bds", None, None, None),
    "best only": (90, 2_000, (2, 2), 3, 2, "ll", None, 1_000, None),
    "gaps": (60, 2_000, (2, 3), 3, 2, "bdeu", None, None, "available"),
}


def measure(case: tuple[object, ...]) -> tuple[int, int, int, int]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, repr(case)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    least, most, peak, kept = map(int, done.stdout.split())
    return least, most, peak, kept


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    "case",
    ["binary", *(pytest.param(c, marks=pytest.mark.slow) for c in CASES if c != "binary")],
)
def test_bounds(case: str) -> None:
    least, most, peak, _ = measure(CASES[case])
    assert least <= peak <= most + 4_000_000


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_memory_limit_holds() -> None:
    """With just enough the run ends, and stays below; with less the core stops it."""
    case = CASES["binary"]  # nearly all sets are kept
    _, most, peak, kept = measure(case)
    assert most < 3 * peak
    _, _, again, same = measure((*case[:6], most, None, None))
    assert same == kept
    assert again < most
    with pytest.raises(AssertionError, match="LimitError: scoring reached the memory limit of"):
        measure((*case[:6], peak // 2, None, None))


def test_what_cannot_fit_is_refused() -> None:
    data = random_table([2] * 3_000, 20)
    with pytest.raises(
        LimitError,
        match=r"scoring [\d,]+ families \(up to 4 parents\) needs more than 27 TB of memory; "
        r"the limit is 20 GB: lower max_parents, or use fewer variables",
    ):
        check_room(make_job(data, max_parents=4), 2 * 10**10)
    with pytest.raises(LimitError, match="leaves no memory to score in"):
        check_room(make_job(data, max_parents=1), resident_bytes() // 2)
    check_room(make_job(data, max_parents=1), resident_bytes() + 10**6)  # it may fit


def test_the_least_memory_depends_on_the_candidates() -> None:
    data = random_table([2] * 50, 20)
    allowed = np.abs(np.subtract.outer(range(50), range(50))) < 3
    few = make_job(data, max_parents=3, constraints=Constraints(50, allowed))
    assert not few.together
    assert least_bytes(few) < least_bytes(make_job(data, max_parents=3)) / 100
    assert least_bytes(few) < most_bytes(few)


def test_what_fits_if_all_sets_are_kept() -> None:
    job = make_job(simulate(30, 100, seed=1).data, max_parents=2)
    assert fits_in_memory(job, 10**11)
    assert not fits_in_memory(job, resident_bytes() + most_bytes(job))
