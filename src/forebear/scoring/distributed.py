"""Scoring on the workers of an executor: parts of a job are sent out and merged."""

from __future__ import annotations

import warnings
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearWarning, LimitError, Parameter, TimeLimitError
from forebear._util.executors import Shipment, check_executor, shipped, worker_count
from forebear.data.formats.arrays import read_arrays, write_arrays
from forebear.parentsets.collection import ParentSets
from forebear.scoring.in_memory import too_long
from forebear.scoring.job import Job
from forebear.scoring.parts import PartArrays, merge, score_part, split

if TYPE_CHECKING:
    from pathlib import Path

    from forebear._util.watcher import Watcher
    from forebear.budget import Clock
    from forebear.data.dataset import Dataset
    from forebear.scoring.constraints import Constraints
    from forebear.scoring.scores import Score

PARTS_A_WORKER = 3
"""More parts than workers, so that faster workers take over from slow or dead ones."""

MOST_LOSSES = 5
"""Beyond this many lost parts per job, and one per part, the error is no accident."""

POLL_SECONDS = 0.2
"""How often progress is reported."""


@dataclass(frozen=True)
class JobSpec:
    """A job without its data."""

    score: Score
    constraints: Constraints
    max_parents: int
    max_sets: int | None
    threads: int


def run_part(payload: Any, spec: JobSpec, first: int, last: int, left: float | None) -> PartArrays:
    """Score one part on a worker."""
    data = read_shipped(payload) if isinstance(payload, str) else payload
    job = Job(data, spec.score, spec.constraints, spec.max_parents, spec.max_sets, spec.threads)
    return score_part(job, range(first, last), seconds=left)


@lru_cache(maxsize=1)
def read_shipped(path: str) -> Dataset:
    """Read a table that was written for this worker, once for all its parts."""
    return read_arrays(path)


def score_elsewhere(
    executor: Any,
    job: Job,
    clock: Clock,
    watcher: Watcher,
) -> ParentSets:
    """Score a job on the workers of an executor. Lost parts are sent out again."""
    check_executor(executor)
    parts = split(job, PARTS_A_WORKER * worker_count(executor))

    def write(path: Path) -> None:
        write_arrays(job.data, path)

    with shipped(executor, job.data, write, "table.npz") as shipment:
        sent = SentParts(executor, shipment, job, parts, clock)
        merged = merge(job, sent.run(watcher))
    return ParentSets(job.data.names, *merged, job.provenance, threads=job.threads)


@dataclass
class SentParts:
    """The parts of a job, and those that are done."""

    executor: Any
    shipment: Shipment
    job: Job
    parts: list[range]
    clock: Clock
    _done: dict[int, PartArrays] = field(default_factory=dict)
    _losses: int = 0

    def run(self, watcher: Watcher) -> list[PartArrays]:
        """Send all parts out and wait for them."""
        pending = {self._send(number): number for number in range(len(self.parts))}
        while pending:
            finished, _ = wait(pending, POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in finished:
                number = pending.pop(future)
                if not self._receive(number, future):
                    pending[self._send(number)] = number
            watcher.scoring(len(self._done) / len(self.parts))
        return [self._done[number] for number in range(len(self.parts))]

    def _send(self, number: int) -> Future[PartArrays]:
        if self.clock.expired:
            raise too_long(self.job, self.clock)
        left = None if self.clock.limit is None else self.clock.left()
        job, part = self.job, self.parts[number]
        spec = JobSpec(job.score, job.constraints, job.max_parents, job.max_sets, job.threads)
        task = (self.shipment.payload, spec, part.start, part.stop, left)
        try:
            sent: Future[PartArrays] = self.executor.submit(run_part, *task)
        except (BrokenExecutor, RuntimeError) as error:
            self._stay(error)
            return self._send(number)
        return sent

    def _stay(self, error: Exception) -> None:
        """Continue in this process: the executor accepts no more work."""
        _warn(f"the executor is gone ({error!r}); scoring continues in this process")
        self.executor = ThreadPoolExecutor(1)
        self.shipment.stay()

    def _receive(self, number: int, future: Future[PartArrays]) -> bool:
        """Take a finished part. Return False if it was lost."""
        try:
            self._done[number] = PartArrays(*future.result())
        except TimeLimitError:
            raise too_long(self.job, self.clock) from None
        except MemoryError:
            raise LimitError(
                "a worker has not enough memory to score its part: lower ",
                Parameter("max_parents"),
            ) from None
        except Exception as error:
            self._losses += 1
            if self._losses > MOST_LOSSES + len(self.parts):
                raise
            if not isinstance(error, BrokenExecutor):  # which the next submission reports
                _warn(f"a part of the scoring was lost and is sent out again ({error!r})")
            self._renew()
            return False
        return True

    def _renew(self) -> None:
        try:
            self.shipment.renew()
        except Exception as error:  # no worker came back
            self._stay(error)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, ForebearWarning, stacklevel=3)
