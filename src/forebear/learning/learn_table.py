"""learn_table(): from a table in memory to a network, once everything is decided."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from forebear._util.errors import LimitError, Parameter
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import show_bytes
from forebear.learning.row_stages import search_samples
from forebear.learning.search_and_prove import search_and_prove
from forebear.learning.searchable_sets import get_searchable_sets
from forebear.learning.structural_em import StructuralEM
from forebear.scoring.network_score import score_network
from forebear.search.space import bytes_needed

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.learning.problem import Problem
    from forebear.learning.run import Run
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.scoring.scores import Score

_CHECK_SECONDS = 6e-9
"""Seconds per row and variable that re-scoring a network takes. It took 4e-9 to 6e-9 for families
of up to 81 cells with 4 million rows, and up to 4e-9 for 4,096 cells with 100,000. With as many
cells as rows it takes ten times as long, but few families are so large, and none if rows are many.
"""

_CHECK_GAPS_SECONDS, _CHECK_GAPS_VARIABLE = 2e-7, 3e-3
"""Seconds per row and variable, and per variable, that it takes where values are missing: the
subsets of every parent set are scored, too. It took 1 s for 5,000 rows of 300 variables."""

_CHECK_MOST_SHARE = 0.8
"""Share of the time left that is kept for this check and for writing files, at most. A report and a
.bif file of 5,000 variables take 7 s; with 12 s in all and 4 s of reading, 0.4 was too little."""

_TOLERANCE = 1e-9
"""Relative: both sums of local scores are exact to a few units in the last place."""


def learn_table(problem: Problem, run: Run) -> Result:
    """Learn in one search, or in several where missing values are completed in between."""
    if problem.table.has_missing and problem.table.missing == "em":
        # Every row is completed on its own, also where rows are equal.
        problem = replace(problem, table=problem.table.expanded())
        return StructuralEM(problem, run, learn_once).learn()
    return learn_once(problem, run)


def learn_once(problem: Problem, run: Run) -> Result:
    """Score parent sets, search them and prove how good the network is."""
    run, ended = search_samples(problem, run)
    found = get_searchable_sets(problem, run)
    check_memory(found.sets, run)
    result = search_and_prove(found, run, reserve=_reserved_seconds(run, problem.table))
    problem.known.check(result)
    with suppress(KeyboardInterrupt):  # the network is not lost if this check is cut short
        check_against_data(result, problem.table, problem.score)
    return result if ended is None else replace(result, stop_reason=ended)


def check_memory(sets: ParentSets, run: Run) -> None:
    """Refuse a search that does not fit in memory."""
    limit = memory_bytes() if run.max_memory is None else run.max_memory
    held = resident_bytes()
    if held >= limit:
        raise LimitError(
            f"the limit of {show_bytes(limit)} leaves no memory to search in: "
            f"the program and the table take {show_bytes(held)} already"
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
    """Return the time to keep for the check of the result, and for what the caller does then."""
    expected = _CHECK_SECONDS * data.n_stored * data.n_variables + run.watcher.reserve(data)
    if data.has_missing:
        expected += (_CHECK_GAPS_SECONDS * data.n_stored + _CHECK_GAPS_VARIABLE) * data.n_variables
    share = run.clock.share(_CHECK_MOST_SHARE)
    return 0.0 if share is None else min(expected, share)


def check_against_data(result: Result, data: Dataset, score: Score) -> None:
    """Score the network again from the table alone; the search must have claimed the same."""
    again = score_network(result.network, data, score)
    if abs(again - result.score) > _TOLERANCE * max(1.0, abs(again)):
        raise AssertionError(f"the search claims {result.score!r}, the data say {again!r}")
