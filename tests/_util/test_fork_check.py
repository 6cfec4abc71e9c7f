"""Forked processes: tables are refused where Polars would wait forever, and all else works."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork"
)

# A program of its own, so that the test decides what was used before the fork.
PROGRAM = """
import multiprocessing, os, sys
import numpy as np
import forebear
from forebear.data.writing import write_table

def work(task):
    table = np.arange(12).reshape(6, 2) % 3
    try:
        if task == "read": return forebear.as_dataset("example:orchard").n_rows
        if task == "summarize": return forebear.summarize_table("example:orchard").n_rows
        if task == "array": return forebear.as_dataset(table).n_rows
        if task == "write": return write_table(DATA, "/dev/null.csv")
        if task == "learn": return forebear.learn(DATA, generations=3, seed=1).network.n_variables
        if task == "nested":
            if (child := os.fork()) == 0: os._exit(0 if "forked" in str(work("read")) else 1)
            return os.waitpid(child, 0)[1]
    except forebear.ForebearError as error:
        return str(error)

before, *tasks = sys.argv[1:]
DATA = forebear.simulate(4, 100, seed=1).data
if before == "read": forebear.as_dataset("example:orchard")
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(*pool.map(work, tasks), sep="\\n")
"""


def results(before: str, *tasks: str) -> list[str]:
    """Return what the tasks give in a forked process; a task that hangs fails the test."""
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, before, *tasks]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("task", ["read", "summarize", "array", "write"])
def test_tables_are_refused_where_the_parent_has_read_one(task: str) -> None:
    (message,) = results("read", task)
    assert "forked" in message
    assert 'multiprocessing.get_context("spawn")' in message


def test_what_works_in_a_forked_process() -> None:
    assert results("read", "nested", "learn") == ["0", "4"]
    assert results("nothing", "array", "read") == ["6", "2000"]
