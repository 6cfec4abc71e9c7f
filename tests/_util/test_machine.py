"""Amounts of memory and time as people write them, and what the machine has."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from forebear._util import machine
from forebear._util.machine import cores, memory_bytes, peak_bytes, resident_bytes


def test_what_the_machine_has() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
    assert 10**7 < resident_bytes() <= peak_bytes()
    assert resident_bytes() < memory_bytes()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_a_limit_of_addresses_counts() -> None:
    import resource

    match = re.search(r"VmSize:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert match is not None
    usual = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(match[1]) * 1024 + 300_000_000, usual[1]))
    try:
        assert resident_bytes() < memory_bytes() < resident_bytes() + 310_000_000
    finally:
        resource.setrlimit(resource.RLIMIT_AS, usual)


@pytest.mark.parametrize(
    ("there", "asked", "used"),
    [(2, None, 2), (2, 1, 1), (2, 8, 8), (2, 1000, 16), (64, 1000, 64), (64, 20, 20)],
)
def test_no_more_threads_are_started_than_help(
    there: int, asked: int | None, used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "cores", lambda: there)
    assert machine.thread_count(asked) == used
