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
from numpy.typing import NDArray

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

LARGEST_DIVISOR = 4
STAGE_FACTOR = 8
LEAST_ROWS = 1 << 13
"""The largest sample has a quarter of the rows, and each other one an eighth of the next, if it has
at least 8,192. Processor seconds to the best network that was found, means of one to three seeds:

==================  ================  ===============  ==============  ================
table, rows         8,192 and 65,536  quarter, eighth  half, eighth    quarter, fourth
==================  ================  ===============  ==============  ================
alarm 2,000,000     3.1               3.3              4.1             3.5
insurance 500,000   1.8               2.1              1.7             2.1
andes 500,000       15.9              16.5
hailfinder 500,000  17.2              6.4
==================  ================  ===============  ==============  ================

The best network of a small sample of hailfinder is a local optimum of all rows, because variables
with many states have fewer parents in it."""

RUNS = 2
"""A stage ends when this many runs of the search have stalled. With one run, alarm took 4.7 instead
of 3.4 s, and insurance 1.8 instead of 2.1 s."""


def stage_sizes(n_rows: int) -> list[int]:
    """Return the number of rows of each sample of a table with this many stored rows."""
    sizes, size = [], n_rows // LARGEST_DIVISOR
    while size >= LEAST_ROWS:
        sizes.append(size)
        size //= STAGE_FACTOR
    return sizes[::-1]


def draw_rows(n_rows: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a random row from each of ``size`` equal parts of the table, in ascending order."""
    bounds = np.arange(size + 1) * n_rows // size
    return rng.integers(bounds[:-1], bounds[1:])


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
    table = problem.table
    unsuitable = run.start is not None or run.executor is not None or table.copies > 1
    if unsuitable or not sets_grow(problem, run):
        return None, None
    constraints = problem.enforcement.arc_constraints()
    job = problem.job(constraints.least_parents, constraints, run.threads)
    rng = np.random.default_rng(run.seed)
    best: Network | None = None
    scores: tuple[float, ...] = (-math.inf,)
    ended = None
    for size in stage_sizes(pack(table, run.threads).rows):  # equal rows were merged
        sample = table.take(draw_rows(table.n_rows, size, rng))
        try:
            result = _search(replace(problem, table=sample), run, best)
        except (TimeLimitError, MemoryError):  # the search on all rows starts from the best so far
            break
        found = family_scores(result.network, table, problem.score)
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
