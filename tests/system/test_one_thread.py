"""With one thread, no library uses another, and the core starts only this one.

The exception is Polars, which reads files on threads of its own. A command limits their number; in
Python it is fixed when Polars is imported, so that the environment of the program decides.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from programs import run_python

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="reads how long each thread ran from /proc"
)

# Runs the steps on one thread, and watches the threads that Python did not start.
WATCHED = """
import json, os, threading, time
from pathlib import Path
import numpy as np, polars as pl
import forebear

def seconds():
    found = {}
    for task in os.listdir("/proc/self/task"):
        try:
            running, *_ = Path(f"/proc/self/task/{task}/schedstat").read_text().split()
        except OSError:
            continue
        found[int(task)] = int(running) * 1e-9
    return found

ours, busy, most, over = set(), {}, [0], threading.Event()

def watch(before):
    while not over.wait(0.005):
        ours.update(t.native_id for t in threading.enumerate())
        now = {task: used for task, used in seconds().items() if task not in ours}
        busy.update({task: used - before[task] for task, used in now.items() if task in before})
        # A thread of Python that just begins or ends is not listed as one, but has nothing to do.
        working = [task for task, used in now.items() if task not in before and used >= 0.005]
        most[0] = max(most[0], len(working))

def steps(rows):
    data = forebear.simulate(16, rows, states=(2, 3), seed=2).data
    few = dict(max_parents=2, generations=3, threads=1, seed=1)
    numbers = np.random.default_rng(1).normal(size=(rows, 5))
    numbers[:, 1] += numbers[:, 0]
    cut = forebear.ReadOptions(discretize="learned")
    forebear.learn(pl.DataFrame(numbers), read=cut, **few)
    numbers[np.random.default_rng(2).random(numbers.shape) < 0.1] = np.nan
    gaps = forebear.ReadOptions(missing="em", discretize="quantile")
    forebear.learn(pl.DataFrame(numbers), read=gaps, **few)
    forebear.sample_posterior(data, max_parents=2, sweeps=50, threads=1, seed=1)
    forebear.validate(data, scores=["bic"], generations=3, threads=1, seed=1)
    forebear.bootstrap_averages(data, replicates=2, **few)
    sets = forebear.score_parent_sets(data, max_parents=3, threads=1)
    result = forebear.find_network(sets, generations=20, threads=1, seed=1)
    forebear.find_bound(sets, score=result.score, rounds=30, threads=1)
    best = forebear.find_network(sets, algorithm="exact", time_limit=20, threads=1, seed=1)
    forebear.learn(data, max_parents=2, generations=20, threads=1, seed=1)
    best.network._repr_html_()

steps(50)  # imports libraries, which start threads that wait
start = (time.perf_counter(), time.process_time())
watcher = threading.Thread(target=watch, args=(seconds(),))
watcher.start()
steps(2_000)
over.set()
watcher.join()
wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
print(json.dumps({
    "working": most[0],
    "busy": max(busy.values(), default=0.0),
    "wall": wall,
    "cpu": cpu,
}))
"""


def test_one_thread_is_one_thread() -> None:
    seen = json.loads(run_python(WATCHED))
    assert seen["working"] <= 1  # the thread of the search, for which Python waits
    assert seen["busy"] < 0.1
    assert seen["cpu"] < 1.15 * seen["wall"] + 0.3


# Counts the threads of the libraries after a command on one thread.
COMMAND = """
import os, sys
from forebear.cli import main
code = main(["score", "example:orchard", "--threads", "1", "--quiet", "-o", sys.argv[1]])
assert code == 0, code
import numpy, scipy.special, polars
print(polars.thread_pool_size(), *(os.environ[name] for name in sys.argv[2:]))
"""


def test_a_command_limits_the_libraries(tmp_path: object) -> None:
    names = ("OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
    clean = {name: value for name, value in os.environ.items() if name not in names}
    output = run_python(COMMAND, f"{tmp_path}/sets.cps", *names, env=clean)
    assert output.split() == ["1", "1", "1"]
