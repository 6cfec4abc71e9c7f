"""Checkpoints: a search that is stopped, or killed, goes on as if nothing had happened."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forebear import (
    MINOBS,
    PSMINOBS,
    FileError,
    ForebearError,
    MaxGenerations,
    ParentSets,
    Result,
    find_network,
    resume_search,
    score_parent_sets,
    simulate,
)
from forebear.cli import main
from forebear.data.writing import write_table
from forebear.search.persistence.checkpoint import Checkpoint

FOREBEAR = [sys.executable, "-m", "forebear"]
SMALL = MINOBS(population=12, crossovers=6, mutations=1)
ALGORITHMS: dict[str, Any] = {
    "all sets": PSMINOBS(minobs=SMALL),
    "samples": PSMINOBS(samples=3, rate=0.3, minobs=SMALL),
    "fixed": PSMINOBS(samples=2, rate=0.3, widen=False, minobs=SMALL),
    "published": PSMINOBS(samples=2, rate=0.5, minobs=MINOBS(variant="published", look_ahead=3)),
    "by reduced cost": PSMINOBS(samples=2, rate=0.3, sample_by="reduced-cost", minobs=SMALL),
}


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    data = simulate(25, 400, max_parents=3, states=(2, 2), seed=4).data
    return score_parent_sets(data, max_parents=3, score="ll", max_sets_per_variable=400)


def stopped_and_resumed(sets: ParentSets, path: Path, stops: list[int], **settings: Any) -> Result:
    """Search so many generations, stop, go on, and so forth."""
    find_network(sets, generations=stops[0], checkpoint=path, **settings)
    for generations in stops[1:-1]:
        extend(path, generations)
        resume_search(path)
    extend(path, stops[-1])
    return resume_search(path)


def extend(path: Path, generations: int) -> None:
    """Allow a search more generations than it was told at first."""
    checkpoint = Checkpoint.read(path)
    checkpoint.recipe.stop["generations"] = generations
    checkpoint.write(path)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("stops", [[1, 30], [7, 8, 9, 30], [13, 30]])
def test_interruptions_change_nothing(
    sets: ParentSets, tmp_path: Path, name: str, stops: list[int]
) -> None:
    whole = find_network(sets, algorithm=ALGORITHMS[name], generations=30, seed=5)
    again = stopped_and_resumed(sets, tmp_path / "state", stops, algorithm=ALGORITHMS[name], seed=5)
    assert again.network == whole.network
    assert again.score == whole.score
    assert again.winner == whole.winner
    assert again.generations == whole.generations
    steps = [[(s.process, s.generation, s.score) for s in run.trace] for run in (whole, again)]
    assert sorted(steps[0]) == sorted(steps[1])


@pytest.mark.parametrize("name", ["inobs", "asobs"])
def test_restarts_are_resumed_too(sets: ParentSets, tmp_path: Path, name: str) -> None:
    whole = find_network(sets, algorithm=name, generations=12, seed=5)
    again = stopped_and_resumed(sets, tmp_path / "state", [5, 12], algorithm=name, seed=5)
    assert again.network == whole.network


@pytest.mark.parametrize("name", ["obs", "tabu", "hill-climbing"])
def test_what_cannot_be_resumed_says_so(sets: ParentSets, tmp_path: Path, name: str) -> None:
    with pytest.raises(ForebearError, match=f"{name} cannot be stopped and resumed"):
        find_network(sets, algorithm=name, generations=2, checkpoint=tmp_path / "state")


def test_rules_of_ones_own_cannot_be_kept(sets: ParentSets, tmp_path: Path) -> None:
    with pytest.raises(ForebearError, match="cannot be written down"):
        find_network(sets, stop=lambda _: "now", checkpoint=tmp_path / "state")


def test_checkpoints_are_written_meanwhile(sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "state"
    seen = []

    def look(_: object) -> None:
        if path.exists():
            seen.append(Checkpoint.read(path).seconds)

    find_network(
        sets, time_limit=2.0, seed=1, checkpoint=path, checkpoint_interval=0.2, on_tick=look
    )
    assert len(set(seen)) >= 3
    assert Checkpoint.read(path).seconds >= 2.0


def test_more_time(sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "state"
    first = find_network(sets, time_limit=0.3, seed=1, checkpoint=path)
    second = resume_search(path, time_limit=0.5)
    assert second.stop_reason == "time"
    assert second.seconds == pytest.approx(first.seconds + 0.5, abs=0.5)
    assert second.score >= first.score
    assert len(second.trace) >= len(first.trace)
    with pytest.raises(ForebearError, match="time_limit must be positive"):
        resume_search(path, time_limit=0)


def test_what_is_done_is_done(sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "state"
    done = find_network(sets, generations=5, seed=1, checkpoint=path)
    again = resume_search(path)
    assert again.network == done.network
    assert again.generations == done.generations
    assert again.stop_reason == "generations"


def test_sets_in_files_are_not_copied(sets: ParentSets, tmp_path: Path) -> None:
    sets.save(tmp_path / "sets.cps")
    mapped = ParentSets.load(tmp_path / "sets.cps")
    find_network(mapped, generations=1, seed=1, checkpoint=tmp_path / "state")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sets.cps", "state"]
    other = score_parent_sets(simulate(25, 400, seed=9).data, max_parents=1)
    other.save(tmp_path / "sets.cps")
    with pytest.raises(FileError, match="now holds other parent sets"):
        resume_search(tmp_path / "state")
    (tmp_path / "sets.cps").unlink()
    with pytest.raises(FileError, match="are not there any more"):
        resume_search(tmp_path / "state")


def test_damage_is_noticed(sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "state"
    find_network(sets, generations=2, seed=1, checkpoint=path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(whole)
        if rng.random() < 0.3:
            del damaged[int(rng.integers(len(damaged) - 2)) :]
        else:
            damaged[int(rng.integers(len(damaged)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(FileError):
            resume_search(path, time_limit=0.01)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]\n[]", '{"format": "forebear checkpoint 1"}\n{}', "\x00"]
)
def test_what_is_no_checkpoint(tmp_path: Path, text: str) -> None:
    (tmp_path / "state").write_text(text)
    with pytest.raises(FileError, match="checkpoint"):
        resume_search(tmp_path / "state")


def test_killed_and_resumed(sets: ParentSets, tmp_path: Path) -> None:
    sets.save(tmp_path / "sets.cps")
    search = [*FOREBEAR, "search", "sets.cps", "--seed", "3", "--samples", "2", "--rate", "0.5"]
    limit = ["--generations", "400", "--quiet"]
    kept = ["--checkpoint", "state", "--every", "0.1"]
    whole = subprocess.run([*search, *limit, "-o", "whole.json"], cwd=tmp_path, check=True)
    assert whole.returncode == 0
    with subprocess.Popen([*search, *limit, *kept, "-o", "cut.json"], cwd=tmp_path) as running:
        while not (tmp_path / "state").exists():
            time.sleep(0.01)
        time.sleep(0.3)
        running.send_signal(signal.SIGKILL)
    assert not (tmp_path / "cut.json").exists()
    states = Checkpoint.read(tmp_path / "state").processes
    assert all(state is None or state["generation"] < 400 for state in states)
    command = [*FOREBEAR, "resume", "state", "-o", "found.json", "--json"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    facts = json.loads(done.stdout)
    found, expected = (Result.load(tmp_path / f"{name}.json") for name in ("found", "whole"))
    assert facts["score"] == found.score == expected.score
    assert found.network == expected.network


def test_mistakes_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.txt").write_text("x")
    for name in ("nowhere", "other.txt", "."):
        assert main(["resume", name, "-o", "found.json"]) == 2
        assert capsys.readouterr().err.count("\n") <= 2
    assert [p.name for p in tmp_path.iterdir()] == ["other.txt"]


def test_the_rule_is_kept(sets: ParentSets, tmp_path: Path) -> None:
    find_network(sets, stop=MaxGenerations(2), seed=1, checkpoint=tmp_path / "state")
    assert Checkpoint.read(tmp_path / "state").recipe.stop == {"generations": 2}


def test_a_run_that_was_killed_while_scoring(tmp_path: Path) -> None:
    write_table(simulate(10, 300, seed=1).data, tmp_path / "table.csv")
    learn = ["learn", "table.csv", "--checkpoint", "state", "--generations", "5", "--seed", "2"]
    program = (
        "import sys; from forebear.cli import main, learn; "
        "learn.learn_network = lambda *_, **__: sys.exit(9); main(sys.argv[1:])"
    )
    cut = subprocess.run([sys.executable, "-c", program, *learn], cwd=tmp_path, check=False)
    assert cut.returncode == 9
    with pytest.raises(FileError, match="had not begun to search"):
        resume_search(tmp_path / "state")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    command = [*FOREBEAR, "resume", "../state", "-o", "found.json", "--quiet"]
    subprocess.run(command, cwd=folder, check=True)
    whole = [*FOREBEAR, *learn, "-o", "whole.json", "--quiet"]
    subprocess.run(whole, cwd=tmp_path, check=True)
    assert (
        Result.load(folder / "found.json").network == Result.load(tmp_path / "whole.json").network
    )
    assert Checkpoint.read(tmp_path / "state").processes[0] is not None


@pytest.mark.parametrize(
    "options", ["- --checkpoint state", "table.csv --checkpoint state --no-cache"]
)
def test_runs_that_could_not_be_resumed(
    options: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["learn", *options.split()]) == 2
    assert "leave --" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_no_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("forebear.cli._support.cluster.CONNECT_SECONDS", 0.5)
    monkeypatch.chdir(tmp_path)
    command = ["learn", "example:orchard", "--seconds", "1", "--dask", "tcp://127.0.0.1:1"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "Dask is not installed" in said or "no cluster answers there" in said
