"""Runs the command line, or code, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from waiting import PATIENCE

OFTEN_KEPT = [
    sys.executable,
    "-c",
    "import sys; from forebear.cli import main; from forebear.search import checkpoint;"
    "checkpoint.LEAST_PAUSE, checkpoint.MOST_SHARE = 0.01, 1.0; sys.exit(main(sys.argv[1:]))",
]
"""The command line, with checkpoints every hundredth of a second."""


def run_python(code: str, *arguments: str, **options: Any) -> str:
    """Run code in a new Python; it must succeed. Return its output."""
    command = [sys.executable, "-c", code, *arguments]
    streams: dict[str, Any] = {"capture_output": True, "text": True, "timeout": PATIENCE}
    done = subprocess.run(command, check=False, **streams, **options)
    assert done.returncode == 0, done.stderr
    output: str = done.stdout
    return output
