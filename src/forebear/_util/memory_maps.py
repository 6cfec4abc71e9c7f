"""Large memory-mapped files: pages are released after they were read.

The system counts the pages of mapped files as memory of the process until it
needs them for something else. A tool that watches a memory limit would count a
file of many gigabytes as memory in use, although it is only read once.
"""

from __future__ import annotations

import mmap
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

LARGE = 1 << 30
"""The size in bytes from which pages are released; smaller files do no harm."""


def map_bytes(path: Path) -> NDArray[np.uint8]:
    """Map a file. On Windows, read it instead unless it is large.

    Windows does not replace or remove a file that is mapped, and a file that was
    loaded must be free to be saved again.
    """
    if sys.platform == "win32" and path.stat().st_size < LARGE:
        return np.fromfile(path, np.uint8)
    return np.memmap(path, np.uint8, "r")


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
def release_pages(*arrays: Any, large: int = LARGE) -> Iterator[None]:
    """Release the pages of mapped arrays while they are read, and at the end."""
    found = {id(m): m for array in arrays if (m := mapping_of(array)) is not None}
    mappings = list(found.values())
    advice = getattr(mmap, "MADV_DONTNEED", None)
    if advice is None or sum(map(len, mappings)) < large:
        yield
        return

    def release() -> None:
        for mapping in mappings:
            mapping.madvise(advice)

    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            release()

    watcher = threading.Thread(target=watch, name="forebear-release_pages", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        release()
