"""Counts of instructions: which jobs are counted, and how much more is reported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import instructions
import pytest
from common import kernel_jobs

from forebear import _core


def test_counts_may_grow_by_one_percent() -> None:
    old = {"a": 1000, "b": 1000, "gone": 1}
    assert instructions.grown(old, {"a": 1009, "b": 900, "new": 5}) == []
    assert instructions.grown(old, {"a": 1020}) == ["a: 1,020 instructions, was 1,000"]


@pytest.mark.parametrize("job", kernel_jobs.JOBS)
def test_the_jobs_that_are_counted_run(job: str, tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.npz"
    instructions.write_inputs(inputs)
    command = [sys.executable, kernel_jobs.__file__, _core.__file__, str(inputs), "baseline", job]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
