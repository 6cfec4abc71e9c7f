"""Promises of the documentation that are checked by reading the source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = sorted((ROOT / "src").rglob("*.py"))
CORE = sorted([*(ROOT / "core").rglob("*.cpp"), *(ROOT / "core").rglob("*.h")])


def lines_with(pattern: str, files: list[Path]) -> list[str]:
    found = re.compile(pattern)
    return [
        f"{path.name}: {line.strip()}"
        for path in files
        for line in path.read_text("utf-8").splitlines()
        if found.search(line)
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<!allow_)\bc?pickle\b|\bcloudpickle\b",
        r"allow_pickle\s*=\s*True",
        r"\bjoblib\.(load|dump)\b|\bmarshal\b|\bshelve\b|\bdill\b",
        r"from joblib import (?!effective_n_jobs$)",
        r"\beval\(|\bexec\(|yaml\.load",
    ],
)
def test_no_file_holds_code(pattern: str) -> None:
    assert lines_with(pattern, PYTHON) == []


def test_arrays_are_read_without_code() -> None:
    assert all("allow_pickle=False" in line for line in lines_with(r"np\.(load|save)\(", PYTHON))


def test_no_clock_that_can_be_set_back() -> None:
    """Time limits must not depend on the time of day."""
    clocks = r"\btime\.time\b|\btime_ns\b|datetime\.(now|today|utcnow)|gettimeofday|\bgmtime\b"
    assert lines_with(clocks, PYTHON) == []
    assert lines_with(r"system_clock|high_resolution_clock|gettimeofday|CLOCK_REALTIME", CORE) == []
    assert lines_with(r"steady_clock", CORE)
    assert PYTHON


def test_listed_fault_tests_exist() -> None:
    page = (ROOT / "benchmarks" / "results" / "reliability.md").read_text("utf-8")
    commands = re.findall(r"`pytest (tests/[\w/]+\.py)(?: -k (\w+))?`", page)
    assert len(commands) > 20
    for file, chosen in commands:
        names = re.findall(r"^def (test_\w+)", (ROOT / file).read_text("utf-8"), re.MULTILINE)
        assert [name for name in names if chosen in name], f"{file} -k {chosen}"
