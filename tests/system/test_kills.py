"""A few kills on every run; ``python tests/kills.py`` does many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("scene", ["score", "learn", "search"])
def test_killed_at_any_moment(scene: str) -> None:
    driver = Path(__file__).with_name("kills.py")
    command = [sys.executable, str(driver), "--times", "2", "--scenes", scene, "--seed", "11"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{scene}: 2 runs, ")
