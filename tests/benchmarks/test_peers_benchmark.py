"""The benchmark beside others: what it makes of their networks, of cuts and of failures."""

from __future__ import annotations

import sys
from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from peer_runs import programs
from peer_runs.runs import Bench, Ours, Run
from waiting import PATIENCE

from forebear.network.simulation import simulate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    data = simulate(4, 60, seed=3).data
    return Bench("small", data, tmp_path, seconds=1.0, patience=PATIENCE, seed=1)


def fake(path: Path, body: str) -> Path:
    """Write a program in Python."""
    path.write_text(f"#!{sys.executable}\nimport pathlib, signal, sys\n{dedent(body)}")
    path.chmod(0o755)
    return path


def test_a_late_program_is_cut_off_and_a_broken_one_named(bench: Bench, tmp_path: Path) -> None:
    hurried = replace(bench, seconds=0.1, patience=2.0)
    late = hurried.run_program(
        programs.GOBNILP, fake(tmp_path / "late", "signal.pause()"), max_parents=1
    )
    assert (late.note, late.score) == ("cut off", None)
    broken = bench.run_program(
        programs.GOBNILP, fake(tmp_path / "broken", "sys.exit('no licence')"), max_parents=1
    )
    assert (broken.note, broken.score) == ("failed (1): no licence", None)


def test_another_is_told_beside_ours() -> None:
    own = Run("small", 4, 60, "forebear", "1", "BDeu", 2.0, 10, found=1.0, score=-90.0)
    ours = Ours(own, [(0.2, -120.0), (0.5, -100.0), (1.0, -90.0)], 2)
    other = replace(own, program="other", seconds=4.0, found=None, score=-100.0)
    told = ours.beside(other)
    assert (told.behind, told.reached, told.ratio) == (-10.0, 0.5, 8.0)
    assert ours.beside(replace(other, found=0.1)).ratio == 0.2
    better = ours.beside(replace(other, score=-80.0))
    assert (better.behind, better.reached, better.ratio) == (10.0, None, None)
    nothing = replace(other, score=None, note="cut off")
    assert ours.beside(nothing) == nothing
