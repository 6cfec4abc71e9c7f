"""learn_table(): learn a network from a table, given the score, the limits and the knowledge."""

from __future__ import annotations

import math
from dataclasses import replace

from forebear._util.errors import LimitError, Parameter
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import show_bytes
from forebear.data.dataset import Dataset
from forebear.data.packed_table import merged_rows
from forebear.learning.problem import Problem
from forebear.learning.row_stages import search_samples
from forebear.learning.run import Run
from forebear.learning.search_and_prove import search_and_prove
from forebear.learning.searchable_sets import get_searchable_sets
from forebear.learning.structural_em import StructuralEM
from forebear.parentsets.collection import ParentSets
from forebear.result import Result
from forebear.scoring.network_score import score_network
from forebear.scoring.scores import Score
from forebear.search.space import bytes_needed

_CHECK_SECONDS = 8e-9
"""Seconds per stored row and variable to score the network again, after equal rows are merged.
alarm with 2,000,000 rows, which are stored as 478,080, took 7.3e-9, and hailfinder with 500,000
distinct rows took 2.7e-9. A family with as many cells as rows takes ten times as long, but few are
so large, and none if there are many rows."""

_CHECK_MISSING_SECONDS, _CHECK_MISSING_VARIABLE = 2e-7, 3e-3
"""Additional seconds per row and variable, and per variable, if values are missing, because all
subsets of every parent set are scored as well. 5,000 rows of 300 variables took 1 s."""

_CHECK_MOST_SHARE = 0.8
"""Largest share of the time left that is reserved for this check and for writing files. A report
and a .bif file of 5,000 variables take 7 s. With a limit of 12 s, of which reading took 4 s, 0.4
was too small."""


def learn_table(problem: Problem, run: Run) -> Result:
    """Learn a network from a table.

    There is one search. With missing values and ``missing="em"``, there are several, and the rows
    are completed before each of them.
    """
    if problem.table.has_missing and problem.table.missing == "em":
        # Equal rows are completed independently of each other.
        problem = replace(problem, table=problem.table.expanded())
        return StructuralEM(problem, run, learn_once).learn()
    return learn_once(problem, run)


def learn_once(problem: Problem, run: Run) -> Result:
    """Score parent sets, search them, and prove a bound on the score."""
    start, ended = search_samples(problem, run)
    found = get_searchable_sets(problem, run, start)
    check_memory(found.sets, run)
    result = search_and_prove(found, run, reserve=_reserved_seconds(run, problem.table))
    problem.enforcement.check(result)
    try:
        check_against_data(result, problem.table, problem.score)
    except KeyboardInterrupt:  # it must not lose the network
        ended = "interrupted"
    return result if ended is None else replace(result, stop_reason=ended)


def check_memory(sets: ParentSets, run: Run) -> None:
    """Reject a search that does not fit in memory."""
    limit = memory_bytes() if run.max_memory is None else run.max_memory
    held = resident_bytes()
    if held >= limit:
        raise LimitError(
            f"the memory limit of {show_bytes(limit)} leaves no memory for the search: "
            f"the program and the table already take {show_bytes(held)}"
        )
    needed = held + sets.nbytes // 4 + bytes_needed(sets.n_variables, 1, run.threads)
    if needed > limit:
        raise LimitError(
            f"searching {len(sets):,} parent sets needs about {show_bytes(needed)} of memory; "
            f"the limit is {show_bytes(limit)}. Lower ",
            Parameter("max_parents"),
            ", or keep fewer sets: score with ",
            Parameter("max_sets_per_variable"),
            " and search the file",
        )


def _reserved_seconds(run: Run, data: Dataset) -> float:
    """Return the seconds to reserve for the check of the result, and for the caller."""
    stored = merged_rows(data).n_stored
    expected = _CHECK_SECONDS * stored * data.n_variables + run.watcher.reserve(data)
    if data.has_missing:
        expected += (_CHECK_MISSING_SECONDS * stored + _CHECK_MISSING_VARIABLE) * data.n_variables
    share = run.clock.share(_CHECK_MOST_SHARE)
    return 0.0 if share is None else min(expected, share)


def check_against_data(result: Result, data: Dataset, score: Score) -> None:
    """Score the network again from the table alone, and compare with the score of the search."""
    again = score_network(result.network, data, score)
    # Both sums of local scores are exact to a few units in the last place.
    if not math.isclose(again, result.score, rel_tol=1e-9, abs_tol=1e-9):
        raise AssertionError(
            f"the search returned the score {result.score!r}, but the table gives {again!r}"
        )
