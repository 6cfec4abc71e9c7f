"""What this machine has: memory, cores; and how people write such amounts."""

from __future__ import annotations

import math
import os
import re
import resource
import sys
from pathlib import Path

from forebear.errors import ForebearError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def parse_bytes(text: str | float) -> int:
    """Read an amount of memory: ``8GB``, ``500 MB``, ``2GiB``, or a number of bytes."""
    if isinstance(text, int | float):
        amount, unit = float(text), ""
    else:
        match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([kmgt]?i?)b?\s*", text.lower())
        if match is None or match[2] == "i":
            raise ForebearError(f"{text!r} is not an amount of memory: write for instance 8GB")
        amount, unit = float(match[1]), match[2]
    size = amount * (_BINARY.get(unit) or _UNITS[unit])
    if not 1 <= size < math.inf:
        raise ForebearError(f"an amount of memory must be positive, got {text!r}")
    return int(size)


def show_bytes(size: float) -> str:
    """Write an amount of memory as a person would."""
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size /= 1000
        del units[0]
    return f"{size:.2g} {units[0]}" if 0 < size < 99.5 else f"{size:,.0f} {units[0]}"


def show_seconds(seconds: float) -> str:
    """Write a duration as a person would."""
    if seconds < 0.01:
        return "less than 0.01 s"
    if seconds < 0.995:
        return f"{seconds:.2f} s"
    if seconds < 120:
        return f"{seconds:.0f} s" if seconds >= 9.95 else f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:,.0f} days"


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident_bytes() -> int:
    """Tell how much memory this process holds now."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return peak_bytes()
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """Tell the most memory that this process has held."""
    match = re.search(r"VmHWM:\s+(\d+) kB", _read("/proc/self/status"))
    if match:  # what getrusage tells includes the process that started this one
        return int(match[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def memory_bytes() -> int:
    """Tell how much memory this process may come to hold: what it has and what is free."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = _read(path)
        if text.isdigit():
            limits.append(int(text))
    match = re.search(r"MemAvailable:\s+(\d+) kB", _read("/proc/meminfo"))
    if match:
        limits.append(int(match[1]) * 1024 + resident_bytes())
    addresses, _ = resource.getrlimit(resource.RLIMIT_AS)  # ulimit -v, as some clusters set it
    match = re.search(r"VmSize:\s+(\d+) kB", _read("/proc/self/status"))
    if match and addresses != resource.RLIM_INFINITY:
        limits.append(max(addresses - int(match[1]) * 1024, 0) + resident_bytes())
    return min(limits)


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
