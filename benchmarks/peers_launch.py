"""Run a command, end it when it takes too long, and tell what it took, for ``peers.py``.

    python benchmarks/peers_launch.py SECONDS LOG COMMAND...

What the command says goes to the file LOG. A line of JSON tells the seconds, the
peak of memory in bytes, the exit code (of a signal, minus its number), and whether
it was ended. This is a program of its own since the system counts a process's peak
from what its parent held when it was started: here that is next to nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

# Linux counts in kilobytes, macOS in bytes.
UNIT = 1 if sys.platform == "darwin" else 1024


def main(seconds: float, log: str, command: list[str]) -> None:
    """Run it."""
    ended = threading.Event()
    start = time.perf_counter()
    with open(log, "wb") as file:  # noqa: PTH123 (pathlib would be most of the memory)
        child = subprocess.Popen(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL)

    def end() -> None:
        ended.set()
        child.kill()

    timer = threading.Timer(seconds, end)
    timer.start()
    _, status, usage = os.wait4(child.pid, 0)
    spent = time.perf_counter() - start
    timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    told = {
        "seconds": spent,
        "memory": usage.ru_maxrss * UNIT,
        "exit": child.returncode,
        "ended": ended.is_set(),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2], sys.argv[3:])
