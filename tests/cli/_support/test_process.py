"""The process: signals are handled once, deferred, or ignored; time counts from its start."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from results import random_dag, result_of

from forebear.cli import main
from forebear.cli._support.outputs import ResultFiles
from forebear.cli._support.process import (
    CommandStart,
    interrupts_deferred,
    signals_as_interrupts,
    time_left,
)
from forebear.network.file_formats import write_network


def test_the_first_signal_interrupts_and_handlers_are_restored() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with signals_as_interrupts() as came:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
    assert came == [signal.SIGTERM, signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) is before


def test_an_interrupt_is_raised_at_the_end_and_a_second_one_at_once() -> None:
    survived = []

    def interrupted(times: int) -> None:
        with interrupts_deferred():
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)
                survived.append(times)

    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            interrupted(times)
    assert survived == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ignored_signals_stay_ignored() -> None:
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals_as_interrupts() as came:
            os.kill(os.getpid(), signal.SIGHUP)
        assert came == []
    finally:
        signal.signal(signal.SIGHUP, usual)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_do_not_interrupt_writing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any, **options: Any) -> None:
        os.kill(os.getpid(), getattr(signal, name))
        write_network(*given, **options)

    monkeypatch.setattr("forebear.cli._support.outputs.write_network", interrupted)
    outputs = [tmp_path / "found.dot", tmp_path / "found.json"]
    ResultFiles(outputs, tmp_path / "found.html").write(result_of(random_dag(5, 2)))
    assert {path.name for path in tmp_path.iterdir()} == {"found.dot", "found.json", "found.html"}


def test_loading_takes_at_most_nine_tenths_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.perf_counter", lambda: 100.0)
    monkeypatch.setattr(CommandStart, "at", 98.0)
    assert time_left(10.0) == 8.0
    assert time_left(1.0) == 0.1
    assert time_left(None) is None
    assert time_left(-1.0) == -1.0


def test_a_command_run_from_python_starts_its_own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CommandStart, "at", -1e6)
    assert main(["--version"]) == 0
    assert CommandStart.at > -1e6
