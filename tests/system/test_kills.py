"""Runs that are killed; ``python tests/system/kills.py`` does this many times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scene", ["score", "learn", "search"])
def test_killed_and_continued(scene: str) -> None:
    driver = Path(__file__).with_name("kills.py")
    command = [sys.executable, str(driver), "--times", "3", "--scenes", scene, "--seed", "11"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{scene}: 3 runs, ")
