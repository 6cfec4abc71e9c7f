"""What batch systems, closed terminals and Ctrl-C send: the best so far is kept."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from results import random_dag, result_of

from forebear import ParentSets, Result, find_network, resume_search, score_parent_sets, simulate
from forebear.cli._support import outcome
from forebear.cli._support.signals import ending_as_ctrl_c_does, undisturbed
from forebear.data.writing import write_table
from forebear.network.files import write_network
from forebear.search.persistence.checkpoint import Checkpoint

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
def test_a_log_that_is_full(tmp_path: Path) -> None:
    write_table(simulate(10, 100, seed=1).data, tmp_path / "table.csv")
    for command in ("score table.csv -o found.cps", "learn table.csv -o found.json --seconds 1"):
        with open("/dev/full", "w") as full:  # noqa: PTH123
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


def test_it_happens_once_and_is_undone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with ending_as_ctrl_c_does() as came:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
    assert came == [signal.SIGTERM, signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_is_ignored_stays_so() -> None:
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_as_ctrl_c_does() as came:
            os.kill(os.getpid(), signal.SIGHUP)
        assert came == []
    finally:
        signal.signal(signal.SIGHUP, usual)


def test_in_other_threads_signals_are_left_alone() -> None:
    handlers = []

    def look() -> None:
        with ending_as_ctrl_c_does(), undisturbed():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_result_being_written_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> None:
        os.kill(os.getpid(), getattr(signal, name))
        write_network(*given)

    monkeypatch.setattr(outcome, "write_network", interrupted)
    outputs = [tmp_path / "found.dot", tmp_path / "found.json"]
    outcome.keep(result_of(random_dag(5, 2)), outputs, tmp_path / "found.html")
    assert {path.name for path in tmp_path.iterdir()} == {"found.dot", "found.json", "found.html"}


@pytest.mark.parametrize("after", [0.0, 0.02, 0.05, 0.1, 0.15])
def test_a_generation_cut_short_is_made_again(
    after: float, sets: ParentSets, tmp_path: Path
) -> None:
    """What is kept is the state that an undisturbed search has after as many generations."""

    def soon(cancel: Any) -> None:
        threading.Timer(after, cancel).start()

    settings: dict[str, Any] = {"seed": 5, "samples": 2, "rate": 0.3, "threads": 1}
    cut, whole = tmp_path / "cut", tmp_path / "whole"
    find_network(sets, generations=10**6, checkpoint=cut, on_start=soon, **settings)
    for number, state in enumerate(Checkpoint.read(cut).processes):
        if state is None or state["generation"] == 0:
            continue
        find_network(sets, generations=state["generation"], checkpoint=whole, **settings)
        expected = Checkpoint.read(whole).processes[number]
        assert expected is not None
        assert state["process"] == expected["process"]


def test_one_that_was_cut_short_at_once_goes_on(sets: ParentSets, tmp_path: Path) -> None:
    """One order alone has nothing to be crossed with."""
    state = tmp_path / "state"
    find_network(sets, generations=3, seed=5, checkpoint=state, on_start=lambda cancel: cancel())
    whole = find_network(sets, generations=3, seed=5)
    again = resume_search(state)
    assert again.network == whole.network
    assert again.generations == whole.generations


def test_a_failing_watcher_ends_the_search(sets: ParentSets) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("no terminal")

    began = time.monotonic()
    with pytest.raises(RuntimeError, match="no terminal"):
        find_network(sets, time_limit=30, seed=1, on_tick=fail)
    assert time.monotonic() - began < 10
