"""search_samples(): with many rows, the search starts on samples of the rows.

The network that is found on a sample is scored on all rows. The search on a larger sample, or on
all rows, starts from it. A sample therefore determines only where the search starts; the result is
learned from all rows. The number of rows determines the stages. A stage ends when its search
stalls.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import TimeLimitError
from forebear._util.watcher import Relay
from forebear.budget import Clock
from forebear.learning.search_and_prove import search_and_prove
from forebear.learning.searchable_sets import get_searchable_sets, sets_grow
from forebear.scoring.network_score import score_network
from forebear.search.trace import Improvement

if TYPE_CHECKING:
    from forebear.learning.problem import Problem
    from forebear.learning.run import Run
    from forebear.network.network import Network
    from forebear.result import Result
    from forebear.search.stop import Standing, StopRule

FIRST_ROWS = 1 << 15
STAGE_FACTOR = 32
"""The rows of the first sample, and the factor between samples. Measured on alarm with 2,000,000
rows, seeds 1 and 2: processor seconds until the score of the true network is reached on all rows.
These values: 2.8 and 2.7. Half as many rows and a factor of 8: 3.4 and 3.4, because the first
network is 600 to 8,600 nats below the true one instead of 580. A factor of 8: 4.8 and 4.4."""

FIRST_RUNS = 2
"""The first stage ends when this many runs of the search have stalled. Later stages start from the
previous network and end after one. With 1, the first network of alarm is 4,400 to 9,500 nats below
the true one instead of 580; 3 is no better."""


def stage_sizes(n_rows: int) -> list[int]:
    """Return the number of rows of each sample; each is at most a quarter of all rows."""
    sizes, size = [], FIRST_ROWS
    while 4 * size <= n_rows:
        sizes.append(size)
        size *= STAGE_FACTOR
    return sizes


def search_samples(problem: Problem, run: Run) -> tuple[Run, str | None]:
    """Search samples of the rows if there are many rows and parent sets grow.

    Nothing is sampled if the user passes a start or an executor, or if a stored row stands for a
    fraction of a row, as with real weights.

    Parameters
    ----------
    problem
        The problem on all rows.
    run
        The run. Each stage gets half of the time left.

    Returns
    -------
    Run
        The run. It starts from the network of the samples that scores highest on all rows.
    str or None
        The stop reason if the user ended the run, otherwise None.
    """
    sizes = stage_sizes(problem.table.n_rows)
    excluded = run.start is not None or run.executor is not None or problem.table.copies > 1
    if not sizes or excluded or not sets_grow(problem, run):
        return run, None
    rng = np.random.default_rng(run.seed)
    rows = rng.choice(problem.table.n_rows, sizes[-1], replace=False)
    best: Network | None = None
    best_score = -math.inf
    for size in sizes:
        sample = replace(problem, table=problem.table.take(np.sort(rows[:size])))
        try:
            result = _search(sample, run, best)
        except (TimeLimitError, MemoryError):  # continue on all rows, from the best network so far
            break
        score = score_network(result.network, problem.table, problem.score)
        if score > best_score:
            best, best_score = result.network, score
            run.watcher.improved(Improvement(1, run.clock.spent(), 0, score))
        if result.stop_reason in ("interrupted", "cancelled"):
            run.clock.cancel()
            return replace(run, start=best), result.stop_reason
    run.clock.lap("search")
    return replace(run, start=best), None


def _search(sample: Problem, run: Run, start: Network | None) -> Result:
    """Search a sample until the search stalls. No proof is attempted."""
    part = replace(
        run,
        clock=Clock(run.clock.half()),
        start=start,
        stop=_stop_after(FIRST_RUNS if start is None else 1),
        certify=False,
        certificate=None,
        checkpoint=None,
        watcher=Relay(run.watcher, ["started"]),
        cache=None,
    )
    return search_and_prove(get_searchable_sets(sample, part), part)


def _stop_after(runs: int) -> StopRule:
    def stop(standing: Standing) -> str | None:
        return "settled" if standing.runs >= runs else None

    return stop
