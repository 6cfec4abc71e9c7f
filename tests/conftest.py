"""What all tests need."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Generator

import pytest
from hypothesis import settings

# A shell that starts the tests in the background has them ignore Ctrl-C, and so
# would the programs that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for kind in (getattr(signal, "SIGHUP", signal.SIGTERM), signal.SIGTERM):  # as nohup has it
    if signal.getsignal(kind) is signal.SIG_IGN:
        signal.signal(kind, signal.SIG_DFL)

# Times of single examples tell how busy the machine is, and nothing else.
# .ci/run asks for the thorough profile.
settings.register_profile("quick", deadline=None, max_examples=50)
settings.register_profile("thorough", deadline=None, max_examples=75)
settings.load_profile("quick")

# Nothing that a test learns is kept in the cache of whoever runs it, and nothing of Dask stays.
folder = tempfile.mkdtemp(prefix="forebear-tests-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["XDG_CACHE_HOME"] = os.environ["DASK_TEMPORARY_DIRECTORY"] = folder

# .ci/run installs every package and the browser, so a test that lacks one is a mistake there.
REQUIRED = os.environ.get("FOREBEAR_TESTS_REQUIRE_ALL") == "1"
ABSENT = re.compile(r"not installed|could not import|no chromium|no mpiexec|ran but: .*needs ")


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Let a test fail that was skipped because something is not installed."""
    if REQUIRED and report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        if ABSENT.search(reason):
            report.outcome = "failed"
            report.longrepr = f"skipped where everything is required: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Check why a test is skipped."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Check why a file of tests is skipped."""
    report = yield
    _refuse_skip(report)
    return report
