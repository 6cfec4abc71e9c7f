"""Run a command under a time limit and measure its time and memory, for ``peers.py``.

    python benchmarks/peer_runs/launch.py SECONDS LOG COMMAND...

The output of the command goes to the file LOG. A line of JSON reports the seconds,
the peak memory in bytes, the exit code (the negative number of a signal), and whether
the command was killed. This is a separate program because the system counts the peak
of a process from the memory of its parent at the start, which is small here.
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
    """Run the command and print the report."""
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
