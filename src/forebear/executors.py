"""The seam to other processes and machines: any ``concurrent.futures.Executor``.

A Dask client's executor, MPI's or a plain process pool fit the same argument.
What they differ in is here: how many workers there are, and how something large
reaches each of them once.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear.errors import ForebearError
from forebear.machine import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


@contextmanager
def shipped(executor: Any, content: Any, write: Callable[[Path], None], name: str) -> Iterator[Any]:
    """Give what a task may take as an argument, for ``content`` to reach each worker once.

    Dask sends it to every worker beforehand. To others goes the path of a file
    of that name, which ``write`` makes.
    """
    client = getattr(executor, "_client", None)
    if client is not None:
        yield client.scatter(content, broadcast=True)
        return
    with tempfile.TemporaryDirectory(prefix="forebear-") as folder:
        path = Path(folder) / name
        write(path)
        yield str(path)
