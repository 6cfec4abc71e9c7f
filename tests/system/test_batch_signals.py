"""What batch systems, closed terminals and Ctrl-C send: the best so far is kept."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from forebear import ParentSets, Result, resume_search, score_parent_sets, simulate
from forebear.data.formats.table import write_table

FOREBEAR = [sys.executable, "-m", "forebear"]


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    data = simulate(25, 400, max_parents=3, states=(2, 2), seed=4).data
    return score_parent_sets(data, max_parents=3, score="ll", max_sets_per_variable=400)


def signalled(number: int, command: list[str], sign: str, folder: Path) -> Any:
    """Send a signal to a run that has said so much."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*FOREBEAR, *command], cwd=folder, text=True, **pipes) as running:
        said = ""
        assert running.stderr is not None
        while sign not in said:
            line = running.stderr.readline()
            assert line, said
            said += line
        time.sleep(0.3)
        running.send_signal(number)
        out, rest = running.communicate(timeout=30)
    return running.returncode, out, said + rest


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_search_keeps_the_best_so_far(name: str, sets: ParentSets, tmp_path: Path) -> None:
    sets.save(tmp_path / "sets.cps")
    command = ["search", "sets.cps", "--seconds", "60", "-o", "found.json", "--checkpoint", "state"]
    code, out, _ = signalled(getattr(signal, name), command, "Search", tmp_path)
    assert code == 0
    assert "it was interrupted" in out
    found = Result.load(tmp_path / "found.json")
    assert found.stop_reason == "interrupted"
    again = resume_search(tmp_path / "state", time_limit=0.2)
    assert again.score >= found.score


def test_a_terminal_that_closes(sets: ParentSets, tmp_path: Path) -> None:
    """As when a connection breaks: the signal comes, and nothing can be shown any more."""
    sets.save(tmp_path / "sets.cps")
    command = [*FOREBEAR, "search", "sets.cps", "--seconds", "60", "-o", "found.json"]
    terminal, theirs = os.openpty()

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    streams: dict[str, Any] = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen(
        command, cwd=tmp_path, start_new_session=True, preexec_fn=take_terminal, **streams
    ) as running:
        os.close(theirs)
        shown = b""
        while b"Search" not in shown:
            shown += os.read(terminal, 1000)
        time.sleep(0.5)
        os.close(terminal)
        running.wait(30)
    assert Result.load(tmp_path / "found.json").stop_reason == "interrupted"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_log_that_is_full(tmp_path: Path) -> None:
    write_table(simulate(10, 100, seed=1).data, tmp_path / "table.csv")
    for command in ("score table.csv -o found.cps", "learn table.csv -o found.json --seconds 1"):
        with Path("/dev/full").open("w") as full:
            words = [*FOREBEAR, *command.split()]
            done = subprocess.run(
                words, cwd=tmp_path, stderr=full, stdout=subprocess.DEVNULL, check=False
            )
        assert done.returncode == 0
    assert (tmp_path / "found.cps").exists()
    assert (tmp_path / "found.json").exists()


def test_scoring_has_nothing_to_keep_yet(tmp_path: Path) -> None:
    write_table(simulate(60, 3000, seed=1).data, tmp_path / "table.csv")
    command = ["score", "table.csv", "-o", "sets.cps", "--max-parents", "4"]
    code, _, said = signalled(signal.SIGTERM, command, "families to score", tmp_path)
    assert code == 128 + signal.SIGTERM
    assert said.endswith("forebear: stopped\n")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
