"""Searches of other libraries, each in its own process, for ``truth.py``."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from common.library_searches import PGMPY, PYAGRUM, PYAGRUM_TABU
from forebear import Network

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.library_searches import Arcs, LibrarySearch
    from forebear import Dataset

GRACE = 5.0
"""Extra seconds for a program that watches the clock itself."""


def available(program: LibrarySearch) -> bool:
    """Tell whether it is installed."""
    return find_spec(program.package) is not None


def run_program(
    program: LibrarySearch, data: Dataset, seconds: float
) -> tuple[Network | None, float]:
    """Learn in a separate process, which is killed when its time is over."""
    # Imports and the conversion of the table are not timed.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = program.prepare(data, seconds)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(search, sender), daemon=True)
    start = time.perf_counter()
    child.start()
    sender.close()
    arcs: Arcs | None = None
    if receiver.poll(seconds + (GRACE if program.watches_the_clock else 0.0)):
        try:
            arcs = receiver.recv()
        except EOFError:
            raise SystemExit(f"{program.name} failed") from None
    spent = time.perf_counter() - start
    child.kill()
    child.join()
    return None if arcs is None else Network.from_arcs(data.names, arcs), spent


def _work(search: Callable[[], Arcs], sender: Any) -> None:
    warnings.simplefilter("ignore")
    sender.send(search())


PROGRAMS = (PGMPY, PYAGRUM, PYAGRUM_TABU)
