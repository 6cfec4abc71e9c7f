"""The predicted cost of scoring: families, memory and time.

The number of families is exact. The share of families that are kept, and the time per family, are
measured on a random subset of the variables. Whether a family is kept does not depend on the other
variables, so this share is an unbiased estimate.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import LimitError, Message, Parameter
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import about_seconds, counted, show_bytes, show_seconds
from forebear.scoring.constraints import Constraints
from forebear.scoring.footprint import list_bytes, ranking_bytes, walk_bytes
from forebear.scoring.job import ScoringRun, work_together

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.scoring.job import Job

_TRIAL_SHARE = 0.1
"""Share of the time limit that all trials may take."""

_TRIAL_SECONDS = 0.15
"""Trials grow towards this length; half of it is long enough to measure."""

_LEAST_SHARE = 0.05
"""Trials continue until they took this share of what they predict..."""

_LONGEST_TRIAL = 1.0
"""... or this many seconds in all. No single trial may take longer."""

_LEAST_SECONDS = 0.1
"""With less time for a job, the trials of it would measure nothing but their start."""

_TICK = 1e-6
"""Seconds. No trial counts as shorter, so that nothing is divided by 0."""

_TRIAL_BYTES = 8 << 20
"""Memory for the sets of a trial."""

_THREAD_WORK = 100_000
"""Families that are worth a thread in a trial. A thread starts in the time of some thousands."""

_LEAST_GROWTH, _MOST_GROWTH = 5, 50
"""How much the work grows from one trial to the next."""

_MOST_FIXED = 0.05
"""At least this share of a trial's time is assumed to grow with the work."""

_STARTING = 0.3
"""A trial must take this share longer than the one before: else it mostly measures its start."""

_FEWEST_SETS = 100
"""Fewer sets per variable are not worth suggesting."""

_SURE = 20.0
"""If this many times what a trial predicts would fit, no longer trial follows: it would take more
time than it can save. Short trials seldom predict too little, as they contain what is done once."""

_PAIRS, _PAIRS_PACE, _BINARY_PACE = 2, 1e-9, 5e-11
"""Seconds per family of up to two parents and row, at most: 1e-11 to 8e-10 were measured, on tables
of up to 60 states, and 3e-12 to 3e-11 with two. If a job is short even so, there is no trial."""

_MARGIN = 1.4
"""Memory is planned for this many times the predicted sets: predictions were up to 25 % low."""


@dataclass(frozen=True)
class Cost:
    """The predicted cost of a scoring job.

    Attributes
    ----------
    families
        Number of families to score; exact.
    parent_sets
        Number of parent sets that will be kept.
    bytes
        Largest amount of memory of the process.
    seconds
        Time.
    at_most
        Whether sets, memory and time are limits instead of predictions.
    """

    families: int
    parent_sets: int
    bytes: int
    seconds: float
    at_most: bool = False


class Limits(NamedTuple):
    """The limits of a scoring job. ``seconds`` is None without a time limit."""

    bytes: int
    seconds: float | None

    @classmethod
    def given(cls, max_memory: int | None, time_limit: float | None) -> Limits:
        """Use the memory that is free where no limit was given."""
        return cls(memory_bytes() if max_memory is None else max_memory, time_limit)

    def allow(self, cost: Cost) -> bool:
        """Return whether a job of this cost fits."""
        return cost.bytes <= self.bytes and (self.seconds is None or cost.seconds <= self.seconds)


def estimate(job: Job, limits: Limits | None = None) -> Cost:
    """Predict the cost of a job by trials that are short beside the time limit.

    If even much more would fit, the first trial is enough, and the prediction is a rough one; for
    small sets there is none.
    """
    longest = _LONGEST_TRIAL
    if limits is not None and limits.seconds is not None:
        most = _without_trial(job)
        short = most is not None and most.seconds <= _LONGEST_TRIAL and limits.allow(most)
        if most is not None and (short or limits.seconds < _LEAST_SECONDS):
            return most
        longest = min(_LONGEST_TRIAL, _TRIAL_SHARE * limits.seconds)
    return _predict(job, _calibrate(job, max(longest, _TICK), limits))


def _without_trial(job: Job) -> Cost | None:
    """Limit the cost of a job that scores small sets; None for others, which need a trial."""
    if job.max_parents > _PAIRS or job.data.has_missing:
        return None
    return most_cost(job)


def most_cost(job: Job) -> Cost:
    """Limit the cost of a job by counts, without a trial."""
    job.score.check(job.data.arities, job.max_parents)
    families = job.constraints.families(job.max_parents)
    pace = _BINARY_PACE if int(job.data.arities.max()) <= 2 else _PAIRS_PACE
    return Cost(
        families=families,
        parent_sets=families,
        bytes=resident_bytes() + _most_bytes(job),
        seconds=pace * job.work * job.data.n_rows / job.threads,
        at_most=True,
    )


def check_room(job: Job, limits: Limits) -> None:
    """Refuse a job that does not fit even before it keeps a set. This needs no trial."""
    held = resident_bytes()
    if held >= limits.bytes:
        raise LimitError(
            f"the limit of {show_bytes(limits.bytes)} leaves no memory to score in: "
            f"the program and the table take {show_bytes(held)} already"
        )
    needed = held + walk_bytes(job)
    if needed > limits.bytes:
        raise LimitError(
            f"{_what(job)} needs more than {show_bytes(needed)} of memory; the limit is "
            f"{show_bytes(limits.bytes)}. ",
            _advice(_lower_in_degree(job, limits)),
        )


def fits_anyway(job: Job, limits: Limits) -> bool:
    """Return whether a job fits in half of the memory even if it keeps every set: then no trial."""
    return resident_bytes() + _most_bytes(job) <= limits.bytes / 2


def _most_bytes(job: Job) -> int:
    """Return the memory of a job that keeps every set."""
    families = job.constraints.families(job.max_parents)
    return walk_bytes(job) + max(list_bytes(job, families), ranking_bytes(job, families))


def check(job: Job, limits: Limits) -> Cost:
    """Predict the cost of a job, and refuse it if it does not fit."""
    check_room(job, limits)
    pace = _calibrate(job)
    cost = _predict(job, pace)
    if cost.bytes > limits.bytes:
        raise LimitError(
            f"{_what(job)} needs about {show_bytes(cost.bytes)} of memory; the limit is "
            f"{show_bytes(limits.bytes)}. ",
            _advice(_lower_in_degree(job, limits), _fewer_sets(job, limits, pace)),
        )
    if limits.seconds is not None and cost.seconds > limits.seconds:
        raise LimitError(
            f"{_what(job)} takes {about_seconds(cost.seconds)} on "
            f"{counted(job.threads, 'thread')}; the limit is {show_seconds(limits.seconds)}. ",
            _advice(_lower_in_degree(job, limits)),
        )
    return cost


def _what(job: Job) -> str:
    families = job.constraints.families(job.max_parents)
    return f"scoring {families:,} families (up to {counted(job.max_parents, 'parent')})"


def _advice(*ways: Message | None) -> Message:
    """Suggest what fits, if anything does."""
    fitting = [way for way in ways if way]
    if not fitting:
        return Message("Nothing smaller fits: use fewer variables, or raise the limit")
    parts = [part for way in fitting for part in (", or ", way)]
    return Message("To fit, ", *parts[1:])


def _lower_in_degree(job: Job, limits: Limits) -> Message | None:
    """Find the largest max_parents that fits, if one does."""
    required = max(map(len, job.constraints.required.values()), default=0)
    for lower in range(job.max_parents - 1, max(required, 1) - 1, -1):
        smaller = replace(job, max_parents=lower)
        if resident_bytes() + walk_bytes(smaller) > limits.bytes:
            continue
        cost = estimate(smaller)
        if limits.allow(cost):
            size, seconds = show_bytes(cost.bytes), show_seconds(cost.seconds)
            return Message(
                "lower ", Parameter("max_parents"), f" to {lower} (about {size}, {seconds})"
            )
    return None


def _fewer_sets(job: Job, limits: Limits, pace: _Pace) -> Message | None:
    """Find the largest round number of sets per variable that fits, if one does."""
    most = 10**6 if job.max_sets is None else job.max_sets // 10
    while most >= _FEWEST_SETS:
        if limits.allow(_predict(replace(job, max_sets=most), pace)):
            return Message(
                "keep only the best sets with ", Parameter("max_sets_per_variable", most)
            )
        most //= 10
    return None


class _Pace(NamedTuple):
    """What the trials measured."""

    shares: list[float]  # of the families that are kept, by size
    seconds_a_family: float  # on one thread


class _Trial(NamedTuple):
    work: int
    seconds: float  # of all threads together
    shares: list[float] | None  # None if the trial was stopped
    children: int = 0


def _predict(job: Job, pace: _Pace) -> Cost:
    by_size = job.constraints.families_by_size(job.max_parents)
    found = sum(share * count for share, count in zip(pace.shares, by_size, strict=True))
    kept = found if job.max_sets is None else min(found, job.data.n_variables * job.max_sets)
    planned = min(_MARGIN * found, float(sum(by_size)))
    peak = max(walk_bytes(job) + list_bytes(job, planned), ranking_bytes(job, planned))
    return Cost(
        families=sum(by_size),
        parent_sets=round(kept),
        bytes=resident_bytes() + peak,
        seconds=pace.seconds_a_family * job.work / job.threads,
    )


def _calibrate(job: Job, longest: float = _LONGEST_TRIAL, limits: Limits | None = None) -> _Pace:
    """Measure on some of the variables how fast scoring is and how many sets are kept."""
    job.score.check(job.data.arities, job.max_parents)
    calibrate = _calibrate_together if job.together else _calibrate_alone
    return calibrate(job, longest, limits)


def _is_sure(job: Job, pace: _Pace, trial: _Trial, limits: Limits | None) -> bool:
    """Whether a job fits, however rough the prediction is."""
    if limits is None or limits.seconds is None or trial.shares is None:
        return False
    seconds = pace.seconds_a_family * job.work / job.threads
    return _SURE * seconds <= limits.seconds and fits_anyway(job, limits)


def _calibrate_alone(job: Job, longest: float, limits: Limits | None) -> _Pace:
    """Score more and more children, each with its own candidates, until a trial is long enough."""
    children = np.random.default_rng(0).permutation(job.data.n_variables)
    count = min(2, len(children))
    trials = [_try_children(job, children[:count], longest)]
    enough = min(_TRIAL_SECONDS, longest / 2)
    while (last := trials[-1]).shares and last.seconds < enough and count < len(children):
        if _is_sure(job, _pace_alone(job, trials), last, limits):
            break
        count = min(4 * count, len(children))
        trials.append(_try_children(job, children[:count], longest))
    return _pace_alone(job, trials)


def _pace_alone(job: Job, trials: list[_Trial]) -> _Pace:
    """Derive the speed from trials of more and more children."""
    pace = _pace(job, [trial._replace(work=trial.children) for trial in trials])
    # The children are a random sample, so their mean time estimates that of all children.
    a_child = pace.seconds_a_family
    return pace._replace(seconds_a_family=a_child * job.data.n_variables / max(job.work, 1))


def _try_children(job: Job, children: NDArray[np.int64], longest: float) -> _Trial:
    """Score some children with their candidates."""
    allowed = job.constraints.allowed
    if allowed is None:
        raise AssertionError("without constraints all variables are scored together")
    variables = np.flatnonzero(allowed[children].any(axis=0))
    small = job.over(variables)
    rows = np.isin(variables, children)
    among = np.where(rows[:, None], allowed[np.ix_(variables, variables)], False)
    np.fill_diagonal(among, True)
    small = replace(small, constraints=Constraints(len(variables), among))
    return _time_trial(small, longest)._replace(children=len(children))


def _calibrate_together(job: Job, longest: float, limits: Limits | None) -> _Pace:
    """Score more and more variables until a trial is long enough."""
    n = job.data.n_variables
    size = min(n, job.max_parents + 2)
    trials = [_try(job, size, longest)]
    while size < n and not _tells(job, trials, longest):
        last = trials[-1]
        if _is_sure(job, _pace(job, trials), last, limits):
            break
        growth = min(max(_LEAST_GROWTH, _TRIAL_SECONDS / last.seconds), _MOST_GROWTH)
        size = max(size + 1, _most_variables(job, size, last.work * growth))
        trials.append(_try(job, size, longest))
    return _pace(job, trials)


def _tells(job: Job, trials: list[_Trial], longest: float) -> bool:
    """Whether the last trial is long enough and measures families rather than its start."""
    last = trials[-1]
    spent = sum(trial.seconds for trial in trials)
    if last.shares is None or spent > longest:
        return True
    before = trials[-2].seconds if len(trials) > 1 else last.seconds
    started = last.seconds - before < _STARTING * last.seconds
    if last.seconds < _TRIAL_SECONDS / 2 or started:
        return False
    # Work that is done once, such as tables per number of states, makes short trials look slow.
    return spent > _LEAST_SHARE * _pace(job, trials).seconds_a_family * job.work


def _pace(job: Job, trials: list[_Trial]) -> _Pace:
    """Derive the speed from trials of growing size."""
    shares = next((trial.shares for trial in reversed(trials) if trial.shares), [])
    unseen = [1.0] * (job.max_parents + 1 - len(shares))  # sizes that no trial had variables for
    last = trials[-1]
    seconds, work = last.seconds, last.work
    if last.shares and len(trials) > 1 and work >= _LEAST_GROWTH * trials[-2].work:
        # The difference of two trials does not contain the work that is done once.
        seconds = max(seconds - trials[-2].seconds, _MOST_FIXED * seconds)
        work -= trials[-2].work
    return _Pace(shares + unseen, seconds / max(work, 1))


def _most_variables(job: Job, least: int, most_work: float) -> int:
    low, high = least, job.data.n_variables
    while low < high:
        middle = (low + high + 1) // 2
        fits = work_together(middle, job.max_parents) <= most_work
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def _try(job: Job, n_variables: int, longest: float) -> _Trial:
    """Score a random subset of the variables."""
    chosen = np.sort(np.random.default_rng(0).permutation(job.data.n_variables)[:n_variables])
    return _time_trial(job.over(chosen), longest)


def _time_trial(small: Job, longest: float) -> _Trial:
    threads = min(small.threads, 1 + small.work // _THREAD_WORK)
    small = replace(small, threads=threads)
    start, work = time.perf_counter(), time.process_time()
    run = ScoringRun(small, byte_limit=walk_bytes(small) + _TRIAL_BYTES, seconds=longest)
    shares = None
    if run.run() == "done":
        families = small.constraints.families_by_size(small.max_parents)
        kept = run.collect().sizes.tolist()
        shares = [k / f if f else 0.0 for k, f in zip(kept, families, strict=True)]
    # CPU time, since other programs may use the processor during a short trial.
    seconds = min(threads * (time.perf_counter() - start), time.process_time() - work)
    return _Trial(run.done, max(seconds, _TICK), shares)
