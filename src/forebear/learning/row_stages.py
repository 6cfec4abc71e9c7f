"""search_samples(): with many rows, the search starts on samples of the rows.

The network that is found on a sample is scored on all rows. The search on a larger sample, or on
all rows, starts from it. A sample therefore determines only where the search starts; the result is
learned from all rows. The number of rows determines the stages. A stage ends when two runs of its
search have stalled.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from forebear._util.errors import TimeLimitError
from forebear._util.watcher import Relay
from forebear.budget import Clock
from forebear.data.packed_table import pack
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.learning.search_and_prove import search_and_prove
from forebear.learning.searchable_sets import get_searchable_sets, sets_grow
from forebear.learning.start_network import make_solution
from forebear.network.network import Network
from forebear.result import Result
from forebear.scoring.network_score import family_scores
from forebear.search.chain import Solution
from forebear.search.stop import Standing
from forebear.search.trace import Improvement

FIRST_ROWS = 1 << 13
STAGE_FACTOR = 8
"""The rows of the first sample, and how many times more each further one has."""

RUNS = 2
"""A stage ends when this many runs of the search have stalled. Seeds 451 to 458, two cores each,
eight processes at a time: seeds that reach the score of the true network, and the median time.

=============  ================================  =========================
factor, runs   hailfinder, 500,000 rows (15 s)   alarm, 2,000,000 (12 s)
=============  ================================  =========================
8, 2           6 of 8, 9.5 s                     8 of 8, 4.4 s
4, 2           4 of 8, 12.3 s                    8 of 8, 5.4 s
4, 1           6 of 8, 6.1 s                     7 of 8, 6.2 s (421 to 428)
=============  ================================  =========================

With four runs of the first stage and a factor of 4, hailfinder takes 2 s longer. With 32,768 rows
first and one run, the first network of alarm is 9,500 nats below the true one instead of 580.
"""


def stage_sizes(n_rows: int) -> list[int]:
    """Return the number of rows of each sample; each is at most a quarter of all rows."""
    sizes, size = [], FIRST_ROWS
    while 4 * size <= n_rows:
        sizes.append(size)
        size *= STAGE_FACTOR
    return sizes


def search_samples(problem: Problem, run: Run) -> tuple[Solution | None, str | None]:
    """Search samples of the rows if they are many and parent sets grow.

    There are no samples if the user passed a start, if the search runs on an executor, or if stored
    rows stand for parts of rows, as with real weights.

    Parameters
    ----------
    problem
        What to learn, on all rows.
    run
        The run. Each stage gets half of the time left.

    Returns
    -------
    Solution or None
        The network of the samples that scores highest on all rows.
    str or None
        Why the user ended the run, if that happened.
    """
    sizes = stage_sizes(problem.table.n_rows)
    unsuitable = run.start is not None or run.executor is not None or problem.table.copies > 1
    if not sizes or unsuitable or not sets_grow(problem, run):
        return None, None
    constraints = problem.enforcement.arc_constraints()
    job = problem.job(constraints.least_parents, constraints, run.threads)
    pack(problem.table, run.threads)  # networks are scored on merged rows
    rng = np.random.default_rng(run.seed)
    rows = rng.choice(problem.table.n_rows, sizes[-1], replace=False)
    best: Network | None = None
    scores: tuple[float, ...] = (-math.inf,)
    ended = None
    for size in sizes:
        sample = replace(problem, table=problem.table.take(np.sort(rows[:size])))
        try:
            result = _search(sample, run, best)
        except (TimeLimitError, MemoryError):  # the search on all rows starts from the best so far
            break
        found = family_scores(result.network, problem.table, problem.score)
        if math.fsum(found) > math.fsum(scores):
            best, scores = result.network, found
            run.watcher.improved(Improvement(1, run.clock.spent(), 0, math.fsum(scores)))
        if result.stop_reason in ("interrupted", "cancelled"):
            run.clock.cancel()
            ended = result.stop_reason
        if run.clock.expired:
            break
    run.clock.lap("search")
    return None if best is None else make_solution(best, scores, job), ended


def _search(sample: Problem, run: Run, start: Network | None) -> Result:
    """Search a sample until the search has settled. No proof is attempted."""
    part = replace(
        run,
        clock=Clock(run.clock.half()),
        start=start,
        stop=_stop_when_settled,
        certify=False,
        certificate=None,
        checkpoint=None,
        watcher=Relay(run.watcher, ["started"]),
        cache=None,
    )
    return search_and_prove(get_searchable_sets(sample, part), part)


def _stop_when_settled(standing: Standing) -> str | None:
    return "settled" if standing.runs >= RUNS else None
