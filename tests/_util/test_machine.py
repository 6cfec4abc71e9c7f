"""What the machine has."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from forebear._util.machine import (
    cores,
    memory_bytes,
    peak_bytes,
    resident_bytes,
    thread_count,
)


def test_what_the_machine_has() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
    assert 10**7 < resident_bytes() <= peak_bytes()
    assert resident_bytes() < memory_bytes()
    assert (thread_count(None), thread_count(1)) == (cores(), 1)
    assert thread_count(1000) == max(cores(), 16)


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
