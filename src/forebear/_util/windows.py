"""What Windows says about memory. Other systems tell it in files, and in Python's modules."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple


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
    """Bytes of the machine, and of this process."""

    total: int
    available: int
    resident: int
    peak: int


def windows_memory(kernel: Any = None) -> WindowsMemory:
    """Ask Windows; ``kernel`` is its library kernel32, or a stand-in for it."""
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
    done = kernel.GlobalMemoryStatusEx(ctypes.byref(machine)) and kernel.K32GetProcessMemoryInfo(
        kernel.GetCurrentProcess(), ctypes.byref(process), ctypes.sizeof(process)
    )
    if not done:
        raise OSError("Windows does not tell how much memory there is")
    return WindowsMemory(machine.total, machine.available, process.resident, process.peak)
