"""The seam to other processes and machines: any ``concurrent.futures.Executor``.

A Dask client's executor, MPI's or a plain process pool fit the same argument.
What they differ in is here: how many workers there are, and how something large
reaches each of them once.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearError
from forebear._util.machine import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIRST_SECONDS = 30.0
RENEWAL_SECONDS = 10.0
"""How long to wait for workers of a cluster that has none yet, or none any more."""


def check_executor(executor: Any) -> None:
    """Refuse what cannot be submitted to."""
    if not isinstance(executor, Executor) and not hasattr(executor, "submit"):
        raise ForebearError(
            f"executor must have submit(), as concurrent.futures executors have, "
            f"got {type(executor).__name__}: of a Dask client, pass client.get_executor()"
        )


def worker_count(executor: Any) -> int:
    """Tell how many tasks run at the same time."""
    client = getattr(executor, "_client", None)
    if client is not None:  # Dask: every worker has one thread or more
        return max(1, int(sum(client.nthreads().values())))
    for name in ("num_workers", "_max_workers"):  # MPI; threads and processes
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return cores()


@dataclass
class Shipment:
    """Something large that all workers need; ``payload`` stands for it among arguments."""

    content: Any
    payload: Any
    client: Any = None

    def renew(self) -> None:
        """Send it again if it is lost: Dask has it on the workers alone, which may all die."""
        if self.client is not None and self.payload.status != "finished":
            self.payload = _scatter(self.client, self.content, RENEWAL_SECONDS)

    def stay(self) -> None:
        """Take it as it is: what needs it runs in this process from now on."""
        self.client, self.payload = None, self.content


@contextmanager
def shipped(
    executor: Any, content: Any, write: Callable[[Path], None], name: str
) -> Iterator[Shipment]:
    """Have ``content`` reach each worker once.

    Dask sends it to every worker beforehand. To others goes the path of a file
    of that name, which ``write`` makes.
    """
    client = getattr(executor, "_client", None)
    if client is not None:
        yield Shipment(content, _scatter(client, content, FIRST_SECONDS), client)
        return
    with tempfile.TemporaryDirectory(prefix="forebear-") as folder:
        path = Path(folder) / name
        write(path)
        yield Shipment(content, str(path))


def _scatter(client: Any, content: Any, seconds: float) -> Any:
    # In a list: what is in a dictionary goes by its keys on the whole cluster,
    # where it would be taken for that of other runs.
    return client.scatter([content], broadcast=True, timeout=seconds)[0]
