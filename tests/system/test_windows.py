"""As on Windows: without POSIX modules, and with files that cannot be replaced while mapped.

Linux is made to look like Windows: ``sys.platform`` is changed, and stand-ins replace the calls of
Windows. Windows itself is left to the workflow ``tests.yml``.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest
from programs import run_python

from forebear._util.machine import _MemoryStatus, _ProcessMemory

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

# Libraries are imported before, since they would look for their parts for Windows.
PREPARED = """
import ctypes, os, sys, types
import numpy, scipy.special, polars, narwhals, typer, rich.console, jinja2, highspy
import multiprocessing, tempfile, platformdirs, mmap, concurrent.futures
from pathlib import Path

class Kernel:
    def GlobalMemoryStatusEx(self, status):
        status._obj.total, status._obj.available = 8 << 30, 6 << 30
        return 1
    def GetCurrentProcess(self):
        return -1
    def K32GetProcessMemoryInfo(self, process, counters, size):
        counters._obj.resident, counters._obj.peak = 1 << 30, 2 << 30
        return 1

# The functions get their attributes set, so that they are no methods.
kernel = types.SimpleNamespace(**{name: (lambda f: lambda *a: f(*a))(getattr(Kernel(), name))
    for name in ("GlobalMemoryStatusEx", "GetCurrentProcess", "K32GetProcessMemoryInfo")})
ctypes.WinDLL = lambda *_, **__: kernel
sys.modules["fcntl"] = sys.modules["resource"] = None

usual = Path.replace
def replace(self, target):
    if Path(target).exists() and str(target) in Path("/proc/self/maps").read_text():
        error = PermissionError(13, "Access is denied")
        error.winerror = 5
        raise error
    return usual(self, target)
Path.replace = replace
mmap.MADV_DONTNEED = None
sys.platform = "win32"
import forebear
"""


def as_on_windows(code: str, folder: Path) -> str:
    return run_python(PREPARED + code, cwd=folder)


def test_it_learns(tmp_path: Path) -> None:
    code = """
from forebear._util.machine import memory_bytes, peak_bytes, resident_bytes
assert (memory_bytes(), resident_bytes(), peak_bytes()) == (7 << 30, 1 << 30, 2 << 30)
data = forebear.simulate(8, 200, seed=1).data
result = forebear.learn(data, max_parents=2, generations=5, seed=1, threads=1)
result.save("found.json")
print(len(result.network.names))
"""
    assert as_on_windows(code, tmp_path).split() == ["8"]
    assert (tmp_path / "found.json").exists()


def test_files_that_are_open(tmp_path: Path) -> None:
    """A loaded file can be saved again unless it is so large that it is mapped."""
    code = """
import forebear._util.memory_maps as mapped
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
data = forebear.simulate(6, 100, seed=1).data
sets = score_job(make_job(data, max_parents=2), spill=Path("sets.cps"), n_parts=3)
print(sorted(path.name for path in Path().iterdir()))
del sets
held = forebear.ParentSets.load("sets.cps")
held.save("sets.cps")
print(len(forebear.ParentSets.load("sets.cps")) == len(held))
mapped.LARGE = 0
held = forebear.ParentSets.load("sets.cps")
try:
    held.save("sets.cps")
except forebear.FileError as error:
    print(error)
"""
    assert as_on_windows(code, tmp_path).splitlines() == [
        "['sets.cps']",
        "True",
        "sets.cps: cannot be written: it is in use, and Windows does not replace files in use: "
        "close the program that uses it, or choose another name",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["sets.cps"]


def test_the_structures_of_windows() -> None:
    """Their sizes are documented, and Windows rejects a wrong one."""
    assert (ctypes.sizeof(_MemoryStatus), ctypes.sizeof(_ProcessMemory)) == (64, 72)
