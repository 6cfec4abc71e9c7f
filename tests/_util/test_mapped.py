"""Mapped files: pages are let go of, contents stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forebear._util.mapped import mapping_of, sparing

if TYPE_CHECKING:
    from pathlib import Path


def test_the_mapping_is_found_behind_views(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(1000.0))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    view = np.ascontiguousarray(mapped[10:20].reshape(2, 5))
    assert mapping_of(view) is mapping_of(mapped) is not None
    assert mapping_of(np.arange(3)) is None


def test_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    written = np.memmap(path, dtype=np.int64, mode="w+", shape=(1 << 20,))
    with sparing(written, large=0):
        written[:] = np.arange(1 << 20)
    assert written[12345] == 12345
    assert int(written.sum()) == (1 << 20) * ((1 << 20) - 1) // 2
    written.flush()
    read = np.memmap(path, dtype=np.int64, mode="r")
    with sparing(read, np.arange(3), large=0):
        total = int(read.sum())
    assert total == int(written.sum())
