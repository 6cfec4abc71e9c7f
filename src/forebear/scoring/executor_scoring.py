"""score_on_executor(): score the parts of a job on the workers of an executor."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from forebear._util.errors import ForebearWarning, LimitError, Parameter, TimeLimitError
from forebear._util.executors import SharedData, check_executor, share_data
from forebear.budget import Clock
from forebear.data.dataset import Dataset
from forebear.data.formats.arrays import read_arrays, write_arrays
from forebear.parentsets.ranked_sets import RankedArrays
from forebear.scoring.job import Job
from forebear.scoring.parts import score_part


def run_part(payload: Any, job: Job, first: int, last: int, left: float | None) -> RankedArrays:
    """Score one part of a job on a worker. The table is sent separately, once per worker."""
    data = read_shipped(payload) if isinstance(payload, str) else payload
    return score_part(replace(job, data=data), range(first, last), seconds=left)


@lru_cache(maxsize=1)
def read_shipped(path: str) -> Dataset:
    """Read the table that was written for the workers, once per worker."""
    return read_arrays(path)


def score_on_executor(
    executor: Any, job: Job, parts: Sequence[range], clock: Clock
) -> Iterator[tuple[range, RankedArrays]]:
    """Score parts on the workers of an executor, and yield them as they finish.

    Lost parts are submitted again.
    """
    check_executor(executor)

    bare = replace(job, data=None)  # type: ignore[arg-type]
    with share_data(executor, job.data, partial(write_arrays, job.data), "table.npz") as shipment:
        yield from _Sender(executor, shipment, bare, clock).run(parts)


@dataclass
class _Sender:
    """Submits the parts of a job to workers that already have the table."""

    executor: Any
    shipment: SharedData
    job: Job
    clock: Clock

    def run(self, parts: Sequence[range]) -> Iterator[tuple[range, RankedArrays]]:
        """Submit all parts, and wait for them."""
        pending = {self._send(part): part for part in parts}
        losses = 0
        while pending:
            # Without a timeout, Ctrl-C has no effect on Windows.
            finished, _ = wait(pending, timeout=1.0, return_when=FIRST_COMPLETED)
            for future in finished:
                part = pending.pop(future)
                try:
                    arrays = RankedArrays(*future.result())
                except TimeLimitError:
                    raise
                except MemoryError:
                    raise LimitError(
                        "a worker does not have enough memory to score its part: lower ",
                        Parameter("max_parents"),
                    ) from None
                except Exception as error:
                    losses += 1
                    if losses > 2 * len(parts):  # the failure is systematic
                        raise
                    self._recover(error)
                    pending[self._send(part)] = part
                else:
                    yield part, arrays
            if self.clock.expired and pending:
                for future in pending:
                    future.cancel()
                raise TimeLimitError("scoring reached the time limit")

    def _send(self, part: range) -> Future[RankedArrays]:
        left = None if self.clock.limit is None else self.clock.left()
        task = (self.shipment.payload, self.job, part.start, part.stop, left)
        try:
            sent: Future[RankedArrays] = self.executor.submit(run_part, *task)
        except (BrokenExecutor, RuntimeError) as error:
            self._run_locally(error)
            return self._send(part)
        return sent

    def _run_locally(self, error: Exception) -> None:
        """Continue in this process, because the executor accepts no more work."""
        _warn(f"the executor failed ({error!r}); scoring continues in this process")
        self.executor = ThreadPoolExecutor(1)
        self.shipment.use_locally()

    def _recover(self, error: Exception) -> None:
        """Prepare to submit a lost part again."""
        if not isinstance(error, BrokenExecutor):  # reported by the next submission
            _warn(f"a part of the scoring was lost ({error!r}); it is submitted again")
        try:
            self.shipment.resend()
        except Exception as lost:  # no worker is left
            self._run_locally(lost)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, ForebearWarning, stacklevel=3)
