"""Waiting for something to happen, however busy the machine is."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from forebear import FileError
from forebear.search.checkpoint import Checkpoint

PATIENCE = 120.0
"""Seconds after which something will not happen any more."""


def wait_for_a_network(checkpoint: Path) -> None:
    """Wait until a search in another process has written a checkpoint with a network in it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(FileError):  # not there yet, or only how the run was started
            states = Checkpoint.read(checkpoint).chains
            if any(state is not None and state["best"] is not None for state in states):
                return
        time.sleep(0.01)
    raise AssertionError(f"no network in {checkpoint}")
