"""A time limit counts from the start of the program, or of a command that Python runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from forebear.cli import main
from forebear.cli._support.started import Start, time_left

if TYPE_CHECKING:
    import pytest


def test_loading_counts_up_to_nine_tenths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.perf_counter", lambda: 100.0)
    monkeypatch.setattr(Start, "at", 98.0)
    assert time_left(10.0) == 8.0
    assert time_left(1.0) == 0.1
    assert time_left(None) is None
    assert time_left(-1.0) == -1.0


def test_the_time_shown_includes_loading(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("forebear.cli.learn.seconds_loading", lambda: 1000.0)
    command = ["learn", "example:orchard", "--generations", "1", "--seed", "1", "--json"]
    assert main(command) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["phases"]["start"] == 1000.0
    assert facts["seconds"] >= 1000.0


def test_a_command_run_from_python_starts_its_own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Start, "at", -1e6)
    assert main(["--version"]) == 0
    assert Start.at > -1e6
