"""ScoringRun: progress, limits, cancellation, interrupts and threads."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from programs import run_python
from tables import random_table
from watchers import Recorder

from forebear import _core, learn, score_parent_sets
from forebear._util.errors import DataError, ForebearError, LimitError
from forebear.data.dataset import Dataset
from forebear.network.simulation import simulate
from forebear.scoring.job import Job, ScoringRun, make_job

LONG = simulate(150, 4_000, states=(2, 2), seed=1).data
"""At four parents this takes about half a minute."""


def test_progress_grows_to_one() -> None:
    heard = Recorder()
    score_parent_sets(simulate(40, 2_000, states=(3, 4)).data, max_parents=3, watcher=heard)
    seen = heard.fractions
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert seen.count(1.0) <= 2
    assert len(heard.families) == 1


def test_an_exception_in_progress_ends_the_run() -> None:
    before = threading.active_count()
    run = ScoringRun(make_job(LONG, max_parents=4, threads=2))

    def fail(done: int) -> None:
        raise RuntimeError(f"{done} families are enough")

    with pytest.raises(RuntimeError, match="families are enough"):
        run.watch(fail)
    assert threading.active_count() <= before


INTERRUPTED = """
import os, signal, threading
from forebear import Watcher, score_parent_sets, simulate

under_way = threading.Event()

class Told(Watcher):
    def scoring(self, fraction):
        under_way.set()

def interrupt():
    assert under_way.wait(100)
    os.kill(os.getpid(), signal.SIGINT)

data = simulate(150, 4_000, states=(2, 2), seed=1).data
thread = threading.Thread(target=interrupt)
thread.start()
try:
    score_parent_sets(data, max_parents=4, threads=2, max_memory=10**12, watcher=Told())
except KeyboardInterrupt:
    thread.join()
    print("interrupted", threading.active_count())
"""


@pytest.mark.slow
def test_interrupt_leaves_no_thread() -> None:
    assert run_python(INTERRUPTED).split() == ["interrupted", "1"]


OUT_OF_ADDRESSES = """
import resource
from forebear import LimitError, score_parent_sets, simulate
from forebear.scoring import score_job as scoring

data = simulate(150, 300, states=(2, 2)).data
scoring.check_job_memory = lambda *_: None
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, used + 2**28))
try:
    score_parent_sets(data, score="ll", max_parents=3, threads=2, max_memory=10**15)
except LimitError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_running_out_of_memory_in_a_thread_is_an_error() -> None:
    """The system refuses memory to the core's threads: no crash, a message."""
    assert run_python(OUT_OF_ADDRESSES).startswith("scoring reached the memory limit of")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_parents": -1}, "max_parents must be at least 0, got -1"),
        ({"max_parents": 16}, "max_parents must be at most 15, got 16"),
        ({"max_parents": 2.0}, r"max_parents must be a whole number, got 2\.0"),
        ({"threads": 0}, "threads must be at least 1, got 0"),
        ({"max_sets_per_variable": 0}, "max_sets_per_variable must be at least 1, got 0"),
        ({"score": "bge"}, "score must be one of bdeu, .*, got 'bge'"),
        ({"score": 5}, "score must be one of bdeu, .*, got '5'"),
        ({"max_memory": "much"}, "max_memory: 'much' is not an amount of memory"),
        ({"max_indegree": 2}, "has no parameter 'max_indegree': it is called max_parents"),
        ({"time_limit": 0.0}, "time_limit must be positive"),
        ({"ess": 5}, r"has no parameter 'ess': pass score=BDeu\(ess=5\)"),
    ],
)
def test_invalid_settings_are_rejected(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        score_parent_sets(random_table([2, 2], 10), **settings)  # type: ignore[arg-type]


def test_the_core_rejects_invalid_arrays() -> None:
    codes = np.array([[0, 1, 2], [0, 1, 1]], np.uint8)
    with pytest.raises(ValueError, match="not less than its variable's arity"):
        _core.PackedTable.make(codes, [2, 2])
    with pytest.raises(ValueError, match="variables x rows"):
        _core.PackedTable.make(codes, [3])
    with pytest.raises(ValueError, match="number of rows must fit in 31 bits"):
        _core.PackedTable.make(np.zeros((1, 2**31), np.uint8), [1])  # never touched, so never there


def test_tables_with_more_rows_than_can_be_counted() -> None:
    codes = np.broadcast_to(np.uint8(0), (1, 2**31))
    with pytest.raises(DataError, match="2,147,483,648 rows"):
        Dataset(codes=codes, names=("a",), states=(("x",),))


def test_too_many_quantiles_for_mit() -> None:
    data = random_table(list(range(2, 102)), 20)
    with pytest.raises(LimitError, match="100 different numbers of states: lower max_parents"):
        score_parent_sets(data, score="mit", max_parents=3)


def test_mit_with_more_cells_than_integers_a_double_holds() -> None:
    data = random_table([60_001, 50_021, 40_009, 30_011, 20_011], 12)
    sets = score_parent_sets(data, score="mit", max_parents=4)
    assert np.isfinite(sets.scores).all()


def test_a_run_belongs_to_one_thread_at_a_time() -> None:
    data = simulate(60, 2_000, states=(2, 3), seed=1).data
    run = ScoringRun(make_job(data, max_parents=5, threads=1))
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(run.run)
        while not run.done:
            time.sleep(0.01)
        with pytest.raises(RuntimeError, match="this object is in use by another thread"):
            run.arrays()
        run.cancel()
        assert outcome.result() == "cancelled"
    run.arrays()


def test_several_threads_score_at_once() -> None:
    data = simulate(20, 500, states=(2, 3), seed=1).data
    jobs = [make_job(data, max_parents=3, threads=1 + number % 3) for number in range(6)]

    def scores(job: Job) -> bytes:
        run = ScoringRun(job)
        assert run.run() == "done"
        return run.collect().scores.tobytes()

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(scores, jobs))) == 1


@pytest.mark.parametrize("n_variables", [10, 25])
def test_a_table_is_packed_once_in_a_run(n_variables: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are scored on the same table with its columns in another order, packed for itself."""
    data = simulate(n_variables, 400, seed=1).data  # enough rows not to compare with shuffled ones
    packed: list[bool] = []
    usual = _core.PackedTable.make

    def make(**given: Any) -> _core.PackedTable:
        packed.append(np.array_equal(given["codes"], data.codes))
        return usual(**given)

    monkeypatch.setattr(_core.PackedTable, "make", make)
    learn(data, generations=20, seed=1, cache=False)
    assert packed.count(True) == 1
    assert len(packed) <= 2
