"""The data directory of a benchmark: files are found at any depth, compressed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def find_file(directory: Path, name: str) -> Path | None:
    """Find a file, or the same file with ``.gz``, at any depth."""
    return min((p for end in ("", ".gz") for p in directory.rglob(name + end)), default=None)


def need_file(directory: Path, name: str) -> Path:
    """Find a file, or end with an error."""
    path = find_file(directory, name)
    if path is None:
        raise SystemExit(f"there is no {name} in {directory}")
    return path
