"""Stub."""

from __future__ import annotations

from pathlib import Path


def is_sound_parquet(file: Path | bytes) -> bool:
    """Return False."""
    return False
