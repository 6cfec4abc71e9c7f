"""Large files that are mapped: pages that were read are let go of again.

The system counts pages of mapped files as memory of the process for as long as
it is in no need of them. Whoever watches a limit would think that a file of
many gigabytes is held in memory when it is only read once.
"""

from __future__ import annotations

import mmap
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = 1 << 30
"""Smaller files are left alone."""

_EVERY = 0.1  # seconds


def mapping_of(array: Any) -> mmap.mmap | None:
    """Find the mapping behind an array, if it is a view of a mapped file."""
    while array is not None:
        if isinstance(array, np.memmap):
            found: mmap.mmap | None = getattr(array, "_mmap", None)
            if found is not None:
                return found
        array = getattr(array, "base", None)
    return None


@contextmanager
def sparing(*arrays: Any, large: int = LARGE) -> Iterator[None]:
    """Let go of the pages of mapped arrays while they are read, and when that is done."""
    found = {id(m): m for array in arrays if (m := mapping_of(array)) is not None}
    mappings = list(found.values())
    advice = getattr(mmap, "MADV_DONTNEED", None)
    if advice is None or sum(map(len, mappings)) < large:
        yield
        return

    def let_go() -> None:
        for mapping in mappings:
            mapping.madvise(advice)

    done = threading.Event()

    def watch() -> None:
        while not done.wait(_EVERY):
            let_go()

    watcher = threading.Thread(target=watch, name="forebear-sparing", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        let_go()
