"""When a command started: a time limit counts from there."""

from __future__ import annotations

import time


class Start:
    """The moment: that of the import, unless the program was loaded for something else."""

    at = time.perf_counter()


def start_now() -> None:
    """Let the time of a command count from now, where the program has been loaded before."""
    Start.at = time.perf_counter()


def seconds_loading() -> float:
    """Return the seconds that loading the program has taken, if nothing else was done yet."""
    return time.perf_counter() - Start.at


def time_left(time_limit: float | None) -> float | None:
    """Return what is left of a time limit after loading the program; at least a tenth of it."""
    if time_limit is None or not time_limit > 0:
        return time_limit
    return max(time_limit - seconds_loading(), 0.1 * time_limit)
