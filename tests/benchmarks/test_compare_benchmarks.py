"""The regression guard: what it calls slower, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import compare
import instructions
import pytest
from common import kernel_jobs
from common.measures import Measure, read_measures, write_measures

from forebear import _core

if TYPE_CHECKING:
    from pathlib import Path


def said(old: Measure, new: Measure) -> str:
    return compare.judge(old, new).said


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.02, "SLOWER"), (1.005, "same"), (1.0, "same"), (0.98, "faster")]
)
def test_counts_may_grow_by_one_percent(ratio: float, verdict: str) -> None:
    assert said(Measure("x", "instructions", 1e9), Measure("x", "instructions", 1e9 * ratio)) == (
        verdict
    )


@pytest.mark.parametrize(
    ("seconds", "spread", "verdict"),
    [(2.3, 0.0, "SLOWER"), (2.15, 0.0, "same"), (2.3, 0.1, "same"), (1.5, 0.1, "faster")],
)
def test_times_may_grow_by_their_spread_and_a_tenth(
    seconds: float, spread: float, verdict: str
) -> None:
    old, new = Measure("x", "seconds", 2.0, 0.02), Measure("x", "seconds", seconds, spread)
    assert said(old, new) == verdict


def test_a_slow_measure_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    write_measures(old, [Measure("a", "seconds", 1.0, 0.05), Measure("left", "seconds", 1.0)])
    write_measures(new, [Measure("a", "seconds", 1.3), Measure("joined", "seconds", 1.0)])
    assert compare.main([str(old), str(new)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["a", "SLOWER"],
        ["left", "gone"],
        ["joined", "new"],
    ]
    assert "+30.00%  (margin 15%)" in lines[0]
    assert compare.main([str(old), str(old)]) == 0


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="x: seconds cannot be compared with instructions"):
        said(Measure("x", "seconds", 1.0), Measure("x", "instructions", 1.0))
    ours, other, broken = (tmp_path / name for name in ("a.json", "b.json", "c.json"))
    write_measures(ours, [Measure("a", "seconds", 1.0)])
    write_measures(other, [Measure("b", "seconds", 1.0)])
    broken.write_text("{}")
    with pytest.raises(SystemExit, match="no measure in common"):
        compare.main([str(ours), str(other)])
    for path in (broken, tmp_path / "absent.json"):
        with pytest.raises(SystemExit, match="not the measures of a benchmark"):
            read_measures(path)


@pytest.mark.parametrize("job", kernel_jobs.JOBS)
def test_the_jobs_that_are_counted_run(job: str, tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.npz"
    instructions.write_inputs(inputs)
    command = [sys.executable, kernel_jobs.__file__, _core.__file__, str(inputs), "baseline", job]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
