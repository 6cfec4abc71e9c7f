"""How many threads the libraries below start, in a program that is ours alone.

They read environment variables when they are imported, so these are set before
any command is. Values that the user has set stay. A program in Python belongs
to its author: there the variables are not set.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

from forebear._util.machine import thread_count

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINEAR_ALGEBRA = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def limit_libraries(arguments: Sequence[str]) -> None:
    """Let NumPy and SciPy start no threads, and Polars as many as the command may use.

    No command needs linear algebra, but the library for it starts a thread per core, and all
    of them wait busily for a while.
    """
    for name in _LINEAR_ALGEBRA:
        os.environ.setdefault(name, "1")
    threads = _threads_of(arguments)
    if threads.isdecimal() and int(threads) > 0:
        os.environ.setdefault("POLARS_MAX_THREADS", str(thread_count(int(threads))))


def _threads_of(arguments: Sequence[str]) -> str:
    """Find the value of --threads; checking it is left to the command."""
    split = [part for argument in arguments for part in argument.split("=", 1)]
    return next((value for name, value in pairwise(split) if name == "--threads"), "")
