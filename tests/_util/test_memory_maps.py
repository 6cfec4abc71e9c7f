"""Mapped files: pages are let go of, contents stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from forebear._util.memory_maps import release_pages


def test_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    written = np.memmap(path, dtype=np.int64, mode="w+", shape=(1 << 20,))
    with release_pages(written, large=0):
        written[:] = np.arange(1 << 20)
    assert written[12345] == 12345
    assert int(written.sum()) == (1 << 20) * ((1 << 20) - 1) // 2
    written.flush()
    read = np.memmap(path, dtype=np.int64, mode="r")
    with release_pages(read, np.arange(3), large=0):
        total = int(read.sum())
    assert total == int(written.sum())
