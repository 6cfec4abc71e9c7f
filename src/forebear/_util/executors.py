"""Executors: ``concurrent.futures.Executor`` is the one interface for parallelism beyond threads.

Process pools, MPI and Dask clients all provide it. This module handles what differs between them:
the number of workers, and how large data is sent to each worker once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from forebear import _core
from forebear._util.errors import ForebearError, Parameter
from forebear._util.machine import cores

T = TypeVar("T")


def check_executor(executor: Any) -> None:
    """Reject objects without ``submit``."""
    if not isinstance(executor, Executor) and not hasattr(executor, "submit"):
        raise ForebearError(
            Parameter("executor"),
            " must have submit(), like the executors of concurrent.futures, "
            f"got {type(executor).__name__}: for a Dask client, pass client.get_executor()",
        )


def worker_count(executor: Any) -> int:
    """Return the number of tasks that run at the same time."""
    client = getattr(executor, "_client", None)
    if client is not None:  # Dask: each worker has one or more threads
        return max(1, int(sum(client.nthreads().values())))
    for name in ("num_workers", "_max_workers"):  # MPI; threads and processes
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return cores()


@dataclass
class SharedData:
    """Large data that all workers need. Tasks receive ``payload`` instead of it."""

    content: Any
    payload: Any
    client: Any = None

    def resend(self) -> None:
        """Send the data again if the Dask workers that had it are lost."""
        if self.client is not None and self.payload.status != "finished":
            self.payload = _scatter(self.client, self.content)

    def use_locally(self) -> None:
        """Pass the data directly, because the work continues in this process."""
        self.client, self.payload = None, self.content


@contextmanager
def share_data(
    executor: Any, content: Any, write: Callable[[Path], None], name: str
) -> Iterator[SharedData]:
    """Send ``content`` to each worker once.

    Dask scatters it. Workers of other executors read it from a file, which ``write`` writes.
    """
    client = getattr(executor, "_client", None)
    if client is not None:
        yield SharedData(content, _scatter(client, content), client)
        return
    with tempfile.TemporaryDirectory(
        prefix="forebear-",
        ignore_cleanup_errors=True,  # on Windows, a worker may still have the file mapped
    ) as folder:
        path = Path(folder) / name
        write(path)
        yield SharedData(content, str(path))


def _scatter(client: Any, content: Any) -> Any:
    # In a list, because Dask would share dictionary items with the same key between runs.
    return client.scatter([content], broadcast=True, timeout=30.0)[0]


def interruptible(call: Callable[[], T], budget: _core.Budget) -> T:
    """Call a function of the core that obeys a budget; an interrupt cancels the budget.

    Python handles Ctrl-C only between two calls, so another thread makes the call.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call)
        try:
            return future.result()
        except BaseException:
            budget.cancel()
            raise
