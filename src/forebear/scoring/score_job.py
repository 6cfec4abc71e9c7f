"""score_job(): score all sets of a job. score_in_time(): score as many as time allows.

A job is divided into parts. Each part is scored in this process or on an executor. Finished parts
are kept in memory or in a folder, and merged at the end. A short job that fits in memory has one
part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from forebear._util.errors import LimitError, Parameter, TimeLimitError
from forebear._util.executors import worker_count
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import counted, show_seconds
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.ranked_sets import RankedArrays
from forebear.scoring.job import Job
from forebear.scoring.memory_estimate import check_job_memory, most_bytes, out_of_memory
from forebear.scoring.part_store import PartFolder, PartStore
from forebear.scoring.parts import parts_by_work, score_part, split


def score_job(
    job: Job,
    *,
    clock: Clock | None = None,
    max_memory: int | None = None,
    executor: Any = None,
    spill: Path | str | None = None,
    n_parts: int | None = None,
    partial: bool = False,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score all sets of a job, or raise an error.

    Parameters
    ----------
    job
        What to score.
    clock
        The time limit; a ``TimeLimitError`` is raised when it is reached. Default: no limit.
    max_memory
        Bytes; if they do not suffice, a ``LimitError`` is raised. Default: the free memory.
    executor
        The executor that scores the parts. Default: this process.
    spill
        A ``.cps`` file. A job that takes long or does not fit in memory is scored part by part to
        this file. Finished parts are kept in a folder next to it, so that the job can be resumed.
    n_parts
        Number of parts; with ``spill``, they are always scored to the file. Default: by the work.
    partial
        Whether to return the finished parts when the time limit is reached, if they are in memory.
        Variables without finished sets of the largest size are complete up to one parent less.
    watcher
        Notified of the number of families and of the progress.

    Returns
    -------
    ParentSets
        The sets; their ``path`` is ``spill`` if they were scored to that file.
    """
    clock, watcher = clock or Clock(), watcher or Watcher()
    byte_limit = memory_bytes() if max_memory is None else max_memory
    job.score.check(job.data.arities, job.max_parents)
    if executor is None:
        check_job_memory(job, byte_limit)
    announce(job, spill, watcher)
    n_split = n_parts or (1 if spill is None and clock.limit is None else parts_by_work(job))
    to_file = n_parts is not None or n_split > 1
    if executor is not None:  # more parts than workers, so that fast workers score more of them
        n_split = max(n_split, 3 * worker_count(executor))
    while True:
        parts = split(job, n_split)
        scoring = _Scoring(job, parts, clock, byte_limit, executor, watcher)
        store = PartFolder(job, spill) if spill is not None and to_file else PartStore(job)
        try:
            return scoring.run(store, partial=partial and not store.is_persistent)
        except TimeLimitError:
            raise
        except LimitError:
            # This is rare, because most jobs keep few of their sets.
            n_split, to_file = 2 * len(parts), True
            if spill is None or executor is not None or len(split(job, n_split)) == len(parts):
                raise
        finally:
            store.close()


@dataclass(frozen=True)
class _Scoring:
    """The scoring of the parts of a job."""

    job: Job
    parts: Sequence[range]
    clock: Clock
    byte_limit: int
    executor: Any
    watcher: Watcher

    def run(self, store: PartStore, *, partial: bool = False) -> ParentSets:
        """Score the parts that are not in the store, and return all sets."""
        total, done = len(self.parts), 0
        try:
            try:
                while left := [part for part in self.parts if store.get(part) is None]:
                    done = total - len(left)
                    for part, arrays in self._score_parts(left):
                        store.put(part, arrays)
                        done += 1
                        self.watcher.scoring(done / total)
            except TimeLimitError:
                if not partial or store.get(self.parts[0]) is None:
                    raise self._too_long(
                        f"{done} of {total}" if store.is_persistent else ""
                    ) from None
            return store.collect(self.parts, self.byte_limit)
        except MemoryError:
            raise out_of_memory(self.byte_limit) from None

    def _score_parts(self, parts: Sequence[range]) -> Iterator[tuple[range, RankedArrays]]:
        """Score parts, and yield them as they finish."""
        if self.executor is not None:
            # Imported here, because it loads the libraries that read tables.
            from forebear.scoring.executor_scoring import score_on_executor

            yield from score_on_executor(self.executor, self.job, parts, self.clock)
            return
        for part in parts:
            left = None if self.clock.limit is None else max(self.clock.left(), 1e-9)
            report = self._report if len(self.parts) == 1 else None
            room = self.byte_limit - resident_bytes()
            yield part, score_part(self.job, part, room, left, report)

    def _report(self, families: int) -> None:
        self.watcher.scoring(min(1.0, families / self.job.work))

    def _too_long(self, kept: str) -> TimeLimitError:
        ended = f"the time limit of {show_seconds(self.clock.limit or 0)} ended scoring"
        if kept:
            return TimeLimitError(
                f"{ended}. {kept} parts are saved: run the same command again to continue"
            )
        return TimeLimitError(
            f"{ended} before all sets of up to {counted(self.job.max_parents, 'parent')} were "
            "scored: increase ",
            Parameter("time_limit"),
            ", or use fewer variables or rows",
        )


def announce(job: Job, spill: Path | str | None, watcher: Watcher) -> None:
    """Report the size of a job before it starts."""
    parts = 1 if spill is None else parts_by_work(job)
    watcher.scoring_started(job.constraints.families(job.max_parents), most_bytes(job), parts)


def score_in_time(
    job: Job,
    clock: Clock,
    *,
    after_limit: bool = False,
    max_memory: int | None = None,
    executor: Any = None,
    spill: Path | None = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score sets of increasing size; at the time limit, return the sizes that are complete.

    Parameters
    ----------
    job
        What to score.
    clock
        The time limit. Without one, all sizes are scored at once.
    after_limit
        Whether to score the smallest sets after the time limit if no size is complete.
    max_memory, executor, watcher
        As for ``score_job``.
    spill
        As for ``score_job``, for the largest size only.

    Returns
    -------
    ParentSets
        The sets. If the time limit ended the scoring of larger ones, the ``max_parents`` of their
        provenance is lower than that of the job, or only some variables are complete.
    """
    watcher = watcher or Watcher()
    where: dict[str, Any] = {"max_memory": max_memory, "executor": executor}
    if clock.limit is None:
        return score_job(job, clock=clock, spill=spill, watcher=watcher, **where)
    if executor is None:
        check_job_memory(job, memory_bytes() if max_memory is None else max_memory)
    announce(job, spill, watcher)
    sizes = sizes_to_score(job)
    progress = _Progress(watcher, [replace(job, max_parents=size).work for size in sizes])
    sets = None
    for size in sizes:
        own = replace(job, max_parents=size)
        file = spill if size == job.max_parents else None
        try:
            sets = score_job(own, clock=clock, spill=file, partial=True, watcher=progress, **where)
        except TimeLimitError:
            if sets is not None:
                return sets
            if after_limit:
                return score_job(replace(job, max_parents=smallest_max_parents(job)), **where)
            raise
        except LimitError:
            if size == job.max_parents or spill is None:
                raise
            # The memory limit was reached. The largest size is scored in parts.
        progress.next_size()
    if sets is None:
        raise AssertionError("the largest size is scored or raises an error")
    return sets


def sizes_to_score(job: Job) -> list[int]:
    """Return the values of ``max_parents`` to score one after another; the last is the job's.

    Each is scored from scratch. Its work is at least four times that of the one before, so the
    smaller ones together take at most a third of the time of the largest.
    """
    sizes = [job.max_parents]
    for size in range(job.max_parents - 1, smallest_max_parents(job) - 1, -1):
        if 4 * replace(job, max_parents=size).work <= replace(job, max_parents=sizes[-1]).work:
            sizes.append(size)
    return sizes[::-1]


def smallest_max_parents(job: Job) -> int:
    """Return the smallest useful ``max_parents``: 1, or the most required parents of a variable."""
    return min(job.constraints.least_parents, job.max_parents)


class _Progress(Watcher):
    """Reports the progress of scoring size by size, as a fraction of the whole job."""

    def __init__(self, watcher: Watcher, works: Sequence[int]) -> None:
        self._watcher = watcher
        self._works = works
        self._number = 0

    def next_size(self) -> None:
        """Continue with the next size."""
        self._number += 1

    def scoring(self, fraction: float) -> None:
        """Report the progress of the whole job."""
        done = sum(self._works[: self._number]) + fraction * self._works[self._number]
        self._watcher.scoring(min(1.0, done / sum(self._works)))
