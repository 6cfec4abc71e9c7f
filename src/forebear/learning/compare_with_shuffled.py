"""compare_with_shuffled(): count the arcs in a table and in a copy with shuffled columns.

With few rows, a score favors some arcs between columns that are independent. All arcs of a
copy whose columns are shuffled are of this kind. A short search counts them, and the same search in
the table gives the number to compare with.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np

from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.data.dataset import Dataset
from forebear.knowledge.enforcement import Enforcement
from forebear.learning.algorithms import as_algorithm
from forebear.learning.learn_table import learn_once
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.result import Result
from forebear.result.chance import Chance
from forebear.search.parent_set_sources import FEW_VARIABLES

GENERATIONS = 3
"""On simulated tables of 200 x 100, 200 x 1,000 and 1,000 x 200 (columns x rows), 3 generations
found 88 to 96 % of the arcs that 12 found, in the table and in the copy; 1 found 52 to 84 %, and 6
took about twice as long. With 300 x 20, where search adds arcs for long, 3 found 44 %."""

MOST_COLUMNS = 4000
"""Of a table with more columns, a random sample of this many is compared, without the knowledge. On
500 rows and one thread, both searches took 1.1 s with 2,000 columns and 2.6 s with 4,000: 2 % of a
run of 60 s on two threads."""

_TIME_SHARE = 0.1
"""Largest share of the time limit. A search that does not finish in it is not reported, so what is
reported does not depend on the speed of the machine."""


class ChanceWarning(ForebearWarning):
    """Most arcs may be due to chance."""

    __module__ = "forebear"


def has_few_rows(table: Dataset) -> bool:
    """Return whether arcs may be due to chance: 20 or more variables, fewer rows than pairs.

    On simulated tables with as many rows as pairs, 3 generations with bdeu or bic found at most one
    arc in the shuffled copy with 40 and 100 variables; with qnml, up to 15 per 100 variables. With
    a fourth of the rows, bdeu and bic gave up to 11 arcs, and qnml gave 62 with 40 variables.
    """
    rows = table.n_rows // table.copies
    return table.n_variables >= FEW_VARIABLES and rows < math.comb(table.n_variables, 2)


def compare_with_shuffled(problem: Problem, run: Run) -> Chance | None:
    """Count the arcs that a short search finds in a table and in a shuffled copy.

    Values that are missing are shuffled with their column. Equal rows are shuffled one by one.

    Returns
    -------
    Chance or None
        The numbers of arcs. None if there are enough rows, if rows have real weights, which cannot
        be shuffled, or if the limit on time or memory is reached.
    """
    if not has_few_rows(problem.table) or problem.table.has_real_weights:
        return None
    problem = _sample(problem, run.seed)
    table = problem.table
    shuffled_table = _shuffled(table, run.seed)
    clock = Clock(run.clock.share(_TIME_SHARE))
    try:
        own, shuffled = (
            _count_arcs(replace(problem, table=one), run, clock) for one in (table, shuffled_table)
        )
    except ForebearError:
        return None
    finally:
        run.clock.lap("chance")
    if own is None or shuffled is None:
        return None
    return Chance(own, shuffled, GENERATIONS, problem.n_variables)


def _shuffled(table: Dataset, seed: int) -> Dataset:
    """Return a copy with shuffled columns, including their marks of interventions."""
    rng = np.random.default_rng(seed)
    if table.intervened is None:
        return replace(table, codes=rng.permuted(table.codes, axis=1))
    both = rng.permuted(2 * table.codes.astype(np.int32) + table.intervened, axis=1)
    return replace(table, codes=both >> 1, intervened=(both & 1).astype(np.bool_))


def warn_of_chance(result: Result) -> None:
    """Warn if most arcs may be due to chance."""
    if result.chance is None or not result.chance.is_likely:
        return
    advice: tuple[str | Parameter, ...] = (": use fewer columns or more rows",)
    if result.prior == "uniform":
        advice = ("; use ", Parameter("prior", "sparse"))
    warnings.warn(ChanceWarning(result.chance.sentence(), *advice), stacklevel=4)


def _sample(problem: Problem, seed: int) -> Problem:
    """Return the problem, or one about some of the columns if there are many."""
    n = problem.n_variables
    # Rows with equal values are merged again by the core. One search does not complete rows.
    table = problem.table.expanded()
    if table.has_missing and table.missing == "em":  # otherwise it stays the packed one
        table = replace(table, missing="available")
    enforcement = problem.enforcement
    if n > MOST_COLUMNS:
        chosen = np.sort(np.random.default_rng(seed).choice(n, MOST_COLUMNS, replace=False))
        table = table.select(chosen.tolist())
        enforcement = Enforcement.of(None, table.names)
    return Problem(table, problem.score, problem.max_parents, enforcement)


def _count_arcs(problem: Problem, run: Run, clock: Clock) -> int | None:
    """Count the arcs of a short search that are not required; None at the time limit."""
    part = replace(
        run.network_only(),
        algorithm=as_algorithm("ps-minobs"),
        clock=clock,
        generations=GENERATIONS,
        stop=None,
        start=None,
        watcher=Watcher(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)
        result = learn_once(problem, part)
    if result.stop_reason in ("interrupted", "cancelled"):
        raise KeyboardInterrupt
    required = sum(map(len, problem.enforcement.rules.required.values()))
    ended = result.stop_reason == "generations"
    return len(result.network.arcs) - required if ended else None
