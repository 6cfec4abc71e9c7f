"""Memory-mapped files, and the release of their pages after they have been read.

The system counts the pages of mapped files as memory of the process until it
needs them for something else. Without the release, a file of many gigabytes
that is read once would count toward a memory limit.
"""

from __future__ import annotations

import mmap
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGE = 1 << 30
"""The size in bytes from which pages are released."""


def map_bytes(path: Path) -> NDArray[np.uint8]:
    """Map a file into memory. On Windows, read it instead unless it is large.

    Windows cannot replace or remove a mapped file, and users may want to save to the file that they
    loaded.
    """
    if sys.platform == "win32" and path.stat().st_size < LARGE:
        return np.fromfile(path, np.uint8)
    return np.memmap(path, np.uint8, "r")


def mapping_of(array: Any) -> mmap.mmap | None:
    """Return the mapping behind an array, if it is a view of a mapped file."""
    while array is not None:
        if isinstance(array, np.memmap):
            mapping: mmap.mmap | None = getattr(array, "_mmap", None)
            if mapping is not None:
                return mapping
        array = getattr(array, "base", None)
    return None


@contextmanager
def release_pages(*arrays: Any, large: int = LARGE) -> Iterator[None]:
    """Release the pages of mapped arrays repeatedly while they are read, and at the end."""
    unique = {id(m): m for array in arrays if (m := mapping_of(array)) is not None}
    mappings = list(unique.values())
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

    watcher = threading.Thread(target=watch, name="forebear-release-pages", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        release()
