"""Waiting for something to happen, however busy the machine is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from forebear import FileError
from forebear.search.checkpoint import Checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE = 120.0
"""Seconds after which something will not happen any more."""


def wait_until(happened: Callable[[], object], what: str) -> None:
    """Wait for a condition; fail if it never comes."""
    until = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < until, f"waited in vain: {what}"
        time.sleep(0.01)


def has_found(checkpoint: Path) -> bool:
    """Tell whether a search has written a checkpoint with a network in it."""
    try:
        states = Checkpoint.read(checkpoint).chains
    except FileError:  # not there yet, or only how the run was started
        return False
    return any(state is not None and state["best"] is not None for state in states)


def wait_for_a_network(checkpoint: Path) -> None:
    """Wait until a search in another process has found some network."""
    wait_until(lambda: has_found(checkpoint), f"no network in {checkpoint}")
