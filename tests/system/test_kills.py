"""Runs that are killed; ``python tests/system/kills.py`` does this many times."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from programs import FOREBEAR, OFTEN_KEPT
from waiting import wait_for_a_network, wait_until

from forebear import (
    Dataset,
    ParentSets,
    Result,
    score_parent_sets,
    simulate,
)
from forebear.data.writing import write_table
from forebear.parentsets.cps import write_cps
from forebear.search.checkpoint import Checkpoint

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scene", ["score", "learn", "search"])
def test_killed_at_any_moment(scene: str) -> None:
    driver = Path(__file__).with_name("kills.py")
    command = [sys.executable, str(driver), "--times", "2", "--scenes", scene, "--seed", "11"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{scene}: 2 runs, ")


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    data = simulate(25, 400, max_parents=3, states=(2, 2), seed=4).data
    return score_parent_sets(data, max_parents=3, score="ll", max_sets_per_variable=400)


def test_killed_and_resumed(sets: ParentSets, tmp_path: Path) -> None:
    sets.save(tmp_path / "sets.cps")
    search = [*OFTEN_KEPT, "search", "sets.cps", "--seed", "3", "--chains", "2", "--rate", "0.5"]
    limit = ["--generations", "400", "--quiet"]
    kept = ["--checkpoint", "state"]
    whole = subprocess.run([*search, *limit, "-o", "whole.json"], cwd=tmp_path, check=True)
    assert whole.returncode == 0
    with subprocess.Popen([*search, *limit, *kept, "-o", "cut.json"], cwd=tmp_path) as running:
        wait_for_a_network(tmp_path / "state")
        running.send_signal(signal.SIGKILL)
    assert not (tmp_path / "cut.json").exists()
    states = Checkpoint.read(tmp_path / "state").chains
    assert all(state is None or state["generation"] < 400 for state in states)
    command = [*FOREBEAR, "resume", "state", "-o", "found.json", "--json"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    facts = json.loads(done.stdout)
    found, expected = (Result.load(tmp_path / f"{name}.json") for name in ("found", "whole"))
    assert facts["score"] == found.score == expected.score
    assert found.network == expected.network


def whole(data: Dataset, path: Path) -> bytes:
    write_cps(score_parent_sets(data, max_parents=3), path)
    return path.read_bytes()


def test_killed_and_run_again(tmp_path: Path) -> None:
    write_table(simulate(60, 2000, max_parents=3, seed=2).data, tmp_path / "table.csv")
    program = (
        "from forebear import Dataset; from forebear.scoring.job import make_job; "
        "from forebear.scoring.score_job import score_job; "
        "score_job(make_job(Dataset.read('table.csv'), max_parents=3, threads=1), "
        "spill='a.cps', n_parts=12)"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=tmp_path) as running:
        wait_until(lambda: list(tmp_path.glob(".a.cps.*.parts/*.cps"))[1:], "no part is done")
        running.send_signal(signal.SIGKILL)
    assert not (tmp_path / "a.cps").exists()
    before = {p.name: p.stat().st_mtime_ns for p in tmp_path.glob(".a.cps.*.parts/*.cps")}
    assert before
    subprocess.run(command, cwd=tmp_path, check=True)
    data = Dataset.read(tmp_path / "table.csv")
    assert (tmp_path / "a.cps").read_bytes() == whole(data, tmp_path / "b.cps")
