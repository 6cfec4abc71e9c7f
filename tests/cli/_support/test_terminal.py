"""Progress on standard error."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from forebear.cli._support.terminal import show_progress
from forebear.search.trace import Improvement


def steps(*scores: float) -> list[Improvement]:
    return [Improvement(1, float(at), at, score) for at, score in enumerate(scores, 1)]


def test_nothing_is_shown_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(enabled=False) as view:
        view.searching(1.0)
        view.improved(steps(-1.0)[0])
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")


def on_a_terminal(command: list[str], folder: Path) -> str:
    """Run a command on a pseudo-terminal and return its output."""
    own, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(
        [sys.executable, "-m", "forebear", *command],
        stdin=its,
        stdout=its,
        stderr=its,
        cwd=folder,
        env=environment,
        close_fds=True,
    ) as running:
        os.close(its)
        written = b""
        while True:
            try:
                part = os.read(own, 4096)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            written += part
    os.close(own)
    assert running.returncode == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.decode())


def test_on_a_terminal(tmp_path: Path) -> None:
    command = "learn example:orchard --max-parents 2 --generations 5 --chains 2 --no-cache -v"
    shown = on_a_terminal(command.split(), tmp_path)
    assert "18 variables, 2,000 rows" in shown
    assert "parent sets" in shown
    assert "arcs among 18 variables" in shown
    assert "Traceback" not in shown
