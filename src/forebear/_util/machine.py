"""The memory and the CPU cores that this process may use."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

if sys.platform != "win32":
    import resource


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


FEW_THREADS = 16
"""The number of threads that may be requested on any machine. The state of a thread takes half a
megabyte, and a millisecond or more to set up, so 1,000 threads on two cores would take seconds."""


def thread_count(threads: int | None) -> int:
    """Return the number of threads to start; by default, one per core.

    A requested number is capped at the number of cores, or at 16 if that is larger. Further
    threads would only wait.
    """
    return cores() if threads is None else min(int(threads), max(cores(), FEW_THREADS))


def resident_bytes() -> int:
    """Return the memory that this process uses now."""
    if sys.platform == "win32":
        return windows_memory().resident
    pages = _read("/proc/self/statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else peak_bytes()


def peak_bytes() -> int:
    """Return the most memory that this process has used so far."""
    if sys.platform == "win32":
        return windows_memory().peak
    match = re.search(r"VmHWM:\s+(\d+) kB", _read("/proc/self/status"))
    if match:  # getrusage would include the process that started this one
        return int(match[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def memory_bytes() -> int:
    """Return the memory that this process may use: the memory it uses now and the free memory."""
    if sys.platform == "win32":
        memory = windows_memory()
        return min(memory.total, memory.available + memory.resident)
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
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


# ---- Windows


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        *((f"other_{i}", ctypes.c_uint64) for i in range(5)),  # page file and addresses
    )


class _ProcessMemory(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("faults", ctypes.c_uint32),
        ("peak", ctypes.c_size_t),
        ("resident", ctypes.c_size_t),
        *((f"other_{i}", ctypes.c_size_t) for i in range(6)),  # pools and the page file
    )


class WindowsMemory(NamedTuple):
    """The memory of the machine and of this process, in bytes."""

    total: int
    available: int
    resident: int
    peak: int


def windows_memory(kernel: Any = None) -> WindowsMemory:
    """Query Windows; ``kernel`` is its library kernel32, or a replacement in tests."""
    if kernel is None:
        kernel = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009
        kernel.GetCurrentProcess.restype = ctypes.c_void_p  # a handle: more than 32 bits
        kernel.K32GetProcessMemoryInfo.argtypes = (
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_uint32,
        )
    machine, process = _MemoryStatus(), _ProcessMemory()
    machine.length, process.length = ctypes.sizeof(machine), ctypes.sizeof(process)
    ok = kernel.GlobalMemoryStatusEx(ctypes.byref(machine)) and kernel.K32GetProcessMemoryInfo(
        kernel.GetCurrentProcess(), ctypes.byref(process), ctypes.sizeof(process)
    )
    if not ok:
        raise OSError("Windows does not report the amount of memory")
    return WindowsMemory(machine.total, machine.available, process.resident, process.peak)
