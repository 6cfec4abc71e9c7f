"""What scoring is predicted to cost, against what it costs; and what is refused."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import naive
import numpy as np
import pytest
from tables import random_table

from forebear import score_parent_sets
from forebear._util.errors import LimitError
from forebear._util.machine import resident_bytes
from forebear.network.simulation import simulate
from forebear.scoring import cost
from forebear.scoring.constraints import Constraints
from forebear.scoring.cost import Limits, check, estimate
from forebear.scoring.dispatch import score_job
from forebear.scoring.job import make_job

if TYPE_CHECKING:
    from forebear.scoring.job import Job


@pytest.mark.parametrize(("states", "max_parents"), [((2, 2), 3), ((2, 4), 2), ((3, 9), 2)])
def test_predicted_sets(states: tuple[int, int], max_parents: int) -> None:
    """Families exactly, kept sets within a factor of two."""
    data = simulate(60, 1_000, states=states, seed=3).data
    found = estimate(make_job(data, max_parents=max_parents))
    assert found.families == naive.number_of_parent_sets(60, max_parents)
    kept = len(score_parent_sets(data, max_parents=max_parents))
    assert kept / 2 < found.parent_sets < 2 * kept


@pytest.mark.parametrize("max_parents", [0, 1, 2, 5])
def test_a_table_scored_whole_is_predicted_exactly(max_parents: int) -> None:
    """So few variables are all tried."""
    data = random_table([2, 3, 2, 2], 50)
    found = estimate(make_job(data, max_parents=max_parents))
    assert found.parent_sets == len(score_parent_sets(data, max_parents=max_parents))


# Scores in a process of its own; tells the prediction and the peak, above what was there before.
MEASURE = """
import re, sys
import numpy as np
from dataclasses import replace
from pathlib import Path
from forebear._util.machine import resident_bytes
from forebear import Watcher, score_parent_sets, simulate

def peak():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

variables, rows, states, max_parents, threads, score, limit, most, missing = eval(sys.argv[1])
data = simulate(variables, rows, states=states, seed=2).data
if missing is not None:
    gaps = np.random.default_rng(1).random(data.codes.shape) < 0.2
    codes = np.where(gaps, data.arities[:, None], data.codes)
    data = replace(data, codes=codes, missing=missing)
before = resident_bytes()
costs = []
class Costs(Watcher):
    def estimated(self, cost, parts):
        costs.append(cost)
sets = score_parent_sets(
    data, score=score, max_parents=max_parents, threads=threads, watcher=Costs(),
    max_memory=None if limit is None else before + limit, max_sets_per_variable=most,
)
print(costs[0].bytes - before, peak() - before, len(sets))
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


def measure(case: tuple[object, ...]) -> tuple[int, int, int]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, repr(case)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    predicted, peak, kept = map(int, done.stdout.split())
    return predicted, peak, kept


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    "case",
    ["binary", *(pytest.param(c, marks=pytest.mark.slow) for c in CASES if c != "binary")],
)
def test_predicted_memory(case: str) -> None:
    """At least what is used, and not so much more that what fits would be refused."""
    predicted, peak, _ = measure(CASES[case])
    assert peak <= predicted + 4_000_000
    assert predicted < 3 * peak + 20_000_000


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_memory_limit_holds() -> None:
    """With just enough the run ends, and stays below; with a little less it is refused."""
    case = CASES["binary"]
    predicted, _, kept = measure(case)
    limit = int(1.15 * predicted)  # trials are timed, so predictions differ a little
    _, peak, again = measure((*case[:6], limit, None, None))
    assert again == kept
    assert peak < limit
    with pytest.raises(AssertionError, match="LimitError: scoring 16,180,000 families"):
        measure((*case[:6], int(0.8 * predicted), None, None))


def test_too_little_memory_is_refused_with_advice() -> None:
    data = simulate(100, 500, states=(2, 2)).data
    job = make_job(data, score="ll", max_parents=3, threads=1)
    limits = Limits(resident_bytes() + 100_000_000, None)
    with pytest.raises(LimitError) as refused:
        check(job, limits)
    message = str(refused.value)
    assert message.startswith("scoring 16,180,000 families (up to 3 parents) needs about ")
    assert "of memory; the limit is " in message
    assert "To fit, lower max_parents to 2 (about " in message
    assert message.endswith("or keep only the best sets with max_sets_per_variable=10000")
    sets = score_parent_sets(
        data, score="ll", max_parents=3, max_sets_per_variable=10_000, max_memory=limits.bytes * 2
    )
    assert (sets.counts <= 10_000).all()


def test_what_is_known_to_be_too_large_is_not_tried() -> None:
    data = random_table([2] * 3_000, 20)
    with pytest.raises(
        LimitError, match=r"needs more than .* To fit, lower max_parents to 2 \(about "
    ):
        check(make_job(data, max_parents=4), Limits(2 * 10**10, None))
    with pytest.raises(LimitError, match="Nothing smaller fits: use fewer variables"):
        check(make_job(data, max_parents=2), Limits(resident_bytes() + 100_000, None))
    with pytest.raises(LimitError, match="leaves no memory to score in"):
        check(make_job(data, max_parents=2), Limits(resident_bytes() // 2, None))


@pytest.mark.slow
def test_too_little_time_is_refused_with_advice() -> None:
    data = simulate(200, 500, states=(2, 2)).data
    job = make_job(data, max_parents=4, threads=1)
    with pytest.raises(LimitError) as refused:
        check(job, Limits(10**12, 20.0))
    message = str(refused.value)
    assert "takes about " in message
    # How many parents fit depends on how busy the machine is.
    assert re.search(
        r"on 1 thread; the limit is 20 s\. To fit, lower max_parents to [123] \(about ", message
    )
    with pytest.raises(LimitError, match=r"on 2 threads; .* Nothing smaller fits"):
        check(make_job(data, max_parents=4, threads=2), Limits(10**12, 1e-6))


def test_advice_keeps_required_parents() -> None:
    data = simulate(100, 500, states=(2, 2)).data
    constraints = Constraints.make(data.names, required={0: [1, 2, 3]})
    job = make_job(data, max_parents=3, constraints=constraints)
    with pytest.raises(LimitError, match="Nothing smaller fits"):
        check(job, Limits(resident_bytes() + 10**6, None))


@pytest.mark.parametrize("seconds", [None, 1e-3])
def test_fewer_candidates_than_parents_are_allowed(seconds: float | None) -> None:
    """Each variable may have but the one before as its parent; sets of six are never there."""
    data = random_table([3] * 12, 5_000)
    allowed = np.eye(12, dtype=bool) | np.eye(12, k=-1, dtype=bool)
    job = make_job(data, max_parents=6, constraints=Constraints(12, allowed), threads=1)
    assert not job.together
    found = estimate(job, Limits.given(None, seconds))
    assert found.families == 23
    assert found.parent_sets == len(score_job(job)) == 23


@pytest.mark.slow
def test_calibration_is_short_for_many_rows() -> None:
    """However long the table, no trial takes much more than a second."""
    data = random_table([40] * 30, 300_000)
    found = estimate(make_job(data, max_parents=6, threads=1))
    assert found.seconds > 60


@pytest.mark.parametrize(
    ("seconds", "trials"), [(3600.0, 1), (1e-3, 1), (None, 2)], ids=["sure", "no time", "no limit"]
)
@pytest.mark.parametrize("together", [True, False])
def test_trials_end_when_the_job_fits_anyway(
    seconds: float | None, trials: int, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an hour, no second trial is worth its time; without a limit the prediction is exact."""
    data = random_table([2, 3] * 10, 2_000)  # more parents than are predicted without a trial
    allowed = None if together else np.abs(np.subtract.outer(range(20), range(20))) < 3
    job = make_job(data, max_parents=3, constraints=Constraints(20, allowed), threads=1)
    sizes: list[int] = []

    def trial(small: Job, longest: float) -> cost._Trial:
        sizes.append(small.data.n_variables)
        shares = [0.5] * (small.max_parents + 1) if longest > 1e-3 else None
        return cost._Trial(small.work, 1e-4 * len(sizes), shares)

    monkeypatch.setattr(cost, "_time_trial", trial)
    assert job.together == together
    estimate(job, Limits.given(None, seconds))
    assert (len(sizes) > 1) == (trials > 1)


def test_a_job_that_may_not_fit_in_memory_is_tried_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first trial would be enough for the time, but not to know how many sets are kept."""
    data = random_table([2, 3] * 10, 2_000)
    job = make_job(data, max_parents=3, threads=1)
    sizes: list[int] = []

    def trial(small: Job, longest: float) -> cost._Trial:
        del longest
        sizes.append(small.data.n_variables)
        return cost._Trial(small.work, 1e-4 * len(sizes), [0.5] * (small.max_parents + 1))

    monkeypatch.setattr(cost, "_time_trial", trial)
    estimate(job, Limits(resident_bytes() + 1, 3600.0))
    assert len(sizes) > 1


@pytest.mark.parametrize(
    ("max_parents", "rows", "seconds", "tried"),
    [
        (2, 500, 1.0, False),
        (1, 500, 1.0, False),
        (2, 500, 1e-4, False),
        (2, 500, None, True),
        (3, 500, 1.0, True),
        (2, 2_000_000, 10.0, True),
    ],
)
def test_small_sets_of_few_rows_need_no_trial(
    max_parents: int, rows: int, seconds: float | None, tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = random_table([2, 3] * 6, rows)
    job = make_job(data, max_parents=max_parents, threads=1)
    trials: list[Job] = []

    def trial(small: Job, longest: float) -> cost._Trial:
        del longest
        trials.append(small)
        return cost._Trial(small.work, 1.0, None)

    monkeypatch.setattr(cost, "_time_trial", trial)
    found = estimate(job, Limits.given(None, seconds))
    assert bool(trials) == tried
    assert found.families == naive.number_of_parent_sets(12, max_parents)
    assert found.at_most != tried
