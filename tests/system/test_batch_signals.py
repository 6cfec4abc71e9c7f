"""Signals of batch systems, closed terminals and Ctrl-C: the best network so far is kept."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import OFTEN_KEPT
from waiting import PATIENCE, wait_for_a_network

from forebear import ParentSets, Result, resume_search, score_parent_sets, simulate
from forebear.data.writing import write_table

pytestmark = pytest.mark.slow

KEPT = ["--no-certify", "--checkpoint", "state"]


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    data = simulate(25, 400, max_parents=3, states=(2, 2), seed=4).data
    return score_parent_sets(data, max_parents=3, score="ll", max_sets_per_variable=400)


def signalled(number: int, command: list[str], ready: Callable[[Any], None], folder: Path) -> Any:
    """Send a signal to a run that is ready for it; return its exit code, output and messages."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*OFTEN_KEPT, *command], cwd=folder, text=True, **pipes) as running:
        ready(running)
        running.send_signal(number)
        out, said = running.communicate(timeout=PATIENCE)
    return running.returncode, out, said


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_search_keeps_the_best_so_far(name: str, sets: ParentSets, tmp_path: Path) -> None:
    sets.save(tmp_path / "sets.cps")
    command = ["search", "sets.cps", "--time-limit", "600", "-o", "found.json", *KEPT]
    state = tmp_path / "state"
    code, out, _ = signalled(
        getattr(signal, name), command, lambda _: wait_for_a_network(state), tmp_path
    )
    assert code == 0
    assert " s: interrupted (ps-minobs" in out
    found = Result.load(tmp_path / "found.json")
    assert found.stop_reason == "interrupted"
    again = resume_search(state, time_limit=0.1)
    assert again.score >= found.score


def test_a_terminal_that_closes(sets: ParentSets, tmp_path: Path) -> None:
    """As if a connection breaks: the signal is sent, and nothing can be printed any more."""
    sets.save(tmp_path / "sets.cps")
    command = [*OFTEN_KEPT, "search", "sets.cps", "--time-limit", "600", "-o", "found.json", *KEPT]
    terminal, theirs = os.openpty()

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    streams: dict[str, Any] = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen(
        command, cwd=tmp_path, start_new_session=True, preexec_fn=take_terminal, **streams
    ) as running:
        os.close(theirs)
        wait_for_a_network(tmp_path / "state")
        os.close(terminal)
        running.wait(PATIENCE)
    assert Result.load(tmp_path / "found.json").stop_reason == "interrupted"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_log_that_is_full(tmp_path: Path) -> None:
    write_table(simulate(10, 100, seed=1).data, tmp_path / "table.csv")
    for command in (
        "score table.csv -o found.cps",
        "learn table.csv -o found.json --generations 2",
    ):
        with Path("/dev/full").open("w") as full:
            words = [*OFTEN_KEPT, *command.split()]
            done = subprocess.run(
                words, cwd=tmp_path, stderr=full, stdout=subprocess.DEVNULL, check=False
            )
        assert done.returncode == 0
    assert (tmp_path / "found.cps").exists()
    assert (tmp_path / "found.json").exists()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_scoring_has_nothing_to_keep_yet(name: str, tmp_path: Path) -> None:
    write_table(simulate(60, 3000, seed=1).data, tmp_path / "table.csv")
    command = ["score", "table.csv", "-o", "sets.cps", "--max-parents", "4", "-v"]

    def ready(running: Any) -> None:
        assert "families to score" in running.stderr.readline()

    number = getattr(signal, name)
    code, _, said = signalled(number, command, ready, tmp_path)
    assert code == 128 + number
    assert said.endswith("forebear: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
