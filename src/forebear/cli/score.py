"""``forebear score``: score and rank the parent sets of every variable."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from forebear._util.machine import peak_bytes, thread_count
from forebear._util.text import counted, show_bytes, show_seconds
from forebear._util.watcher import Relay
from forebear.cli._support.inputs import resolve_table
from forebear.cli._support.option_groups import (
    KnowledgeOptions,
    TableOptions,
    parse_max_parents,
)
from forebear.cli._support.options import ESS_HELP, MORE, ONE_OF_SCORES, PRIOR_HELP, Option
from forebear.cli._support.printing import print_json
from forebear.cli._support.terminal import show_progress
from forebear.data.dataset import Dataset
from forebear.learning.score_parent_sets import score_parent_sets
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import CUT_SHORT, describe_missing
from forebear.parentsets.parent_set_files import check_target
from forebear.scoring.priors import prior_of
from forebear.scoring.scores import as_score


def score(
    data: str,
    output: Annotated[Path, "Write the parent sets to this file (.cps, .jkl or .jkl.gz)."],
    score: Annotated[str, f"{ONE_OF_SCORES}."] = "bdeu",
    prior: Annotated[str | None, f"{PRIOR_HELP}  [default: uniform]"] = None,
    ess: Annotated[str | None, f"{ESS_HELP}  [default: 1]"] = None,
    alpha: float | None = None,
    max_parents: Annotated[
        str | None,
        'Maximum number of parents, or "all".  [default: 3; 2 with 500 variables or more]',
    ] = None,
    max_sets_per_variable: Annotated[
        int | None, Option(MORE, "N", "Keep the N best sets of each variable.  [default: all]")
    ] = None,
    max_candidates: Annotated[
        int | None,
        Option(
            MORE, "N", "Consider the N best candidate parents of each variable.  [default: all]"
        ),
    ] = None,
    threads: int | None = None,
    time_limit: Annotated[
        float | None,
        "Time limit in seconds. When it is reached, the parent sets up to the largest complete "
        "size are written.  [default: none]",
    ] = None,
    max_memory: str | None = None,
    *,
    knowledge_options: KnowledgeOptions,
    table_options: TableOptions,
    ids: bool = False,
    json_: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> None:
    """Score, prune and rank the parent sets of every variable.

    With --verbose, the number of families and an upper bound on the memory are
    printed before scoring starts. Tables with missing values are scored on the
    available rows unless --missing is drop or state. The default score is bdeu
    with an equivalent sample size of 1, as in other programs, which is not the
    default of forebear learn.

    \b
    Examples:
      forebear score example:orchard -o orchard.cps
      forebear score example:orchard -o orchard.jkl --score bic --max-parents 4
      forebear score example:orchard -o orchard.cps --forbidden "price->harvest"
    """
    start = time.perf_counter()
    check_target(output, ids=ids)
    settings: dict[str, Any] = {
        "score": as_score(score, ess=ess, alpha=alpha),
        "prior": prior,
        "max_parents": parse_max_parents(max_parents),
        "knowledge": knowledge_options.as_knowledge(),
        "max_sets_per_variable": max_sets_per_variable,
        "max_candidates": max_candidates,
        "time_limit": time_limit,
        "max_memory": max_memory,
        "threads": threads,
        "read": table_options.as_read_options(),
        "path": None if ids else output,
    }
    tables: list[Dataset] = []
    with show_progress(enabled=not quiet, verbose=verbose) as view:

        def loaded(data: Dataset) -> None:
            check_target(output, data.names, ids=ids)
            tables.append(data)

        def count(families: int, most_bytes: int, parts: int) -> None:
            view.show_line(_size(tables[0], families, most_bytes, parts, thread_count(threads)))
            view.scoring_started(families, most_bytes, parts)

        watcher = Relay(view, ["scoring", "started"], loaded=loaded, scoring_started=count)
        sets = score_parent_sets(resolve_table(data), watcher=watcher, **settings)
    if ids:
        sets.save(output, ids=True)
    took = time.perf_counter() - start
    if json_:
        print_json(_facts(sets, thread_count(threads), took))
    elif not quiet:
        print(_summary(sets, output, took))


def _size(data: Dataset, families: int, most_bytes: int, parts: int, threads: int) -> str:
    """Return the number of families to score, and the memory for them."""
    in_parts = f", saved in {parts} parts" if parts > 1 else ""
    return (
        f"{counted(data.n_variables, 'variable')}, {counted(data.n_rows // data.copies, 'row')}: "
        f"{families:,} families to score on {counted(threads, 'thread')}, "
        f"about {show_bytes(most_bytes)} of memory if all sets are kept{in_parts}"
    )


def _facts(sets: ParentSets, threads: int, took: float) -> dict[str, object]:
    return {
        "variables": sets.n_variables,
        "rows": sets.provenance["rows"],
        "score": sets.provenance["score"],
        "prior": prior_of(sets.provenance),
        "max_parents": sets.provenance["max_parents"],
        "complete": sets.is_complete,
        "cut_short": bool(sets.provenance.get(CUT_SHORT)),
        "families_scored": sets.provenance["families"],
        "missing": sets.provenance.get("missing"),
        "missing_share": sets.provenance.get("missing_share", 0.0),
        "parent_sets": len(sets),
        "seconds": took,
        "peak_bytes": peak_bytes(),
        "threads": threads,
    }


def _summary(sets: ParentSets, output: Path, took: float) -> str:
    # An empty set that is not allowed scores minus infinity.
    kept = int(np.isfinite(sets.scores).sum())
    missing = describe_missing(sets.provenance)
    complete = "; all larger ones are dominated" if sets.is_complete else ""
    cut = ""
    if sets.provenance.get(CUT_SHORT):
        most = counted(sets.provenance["max_parents"], "parent")
        cut = f"The time limit was reached: parent sets have at most {most}\n"
    return (
        (f"{missing}\n" if missing else "")
        + cut
        + f"{kept:,} of {sets.provenance['families']:,} parent sets kept{complete} in "
        f"{show_seconds(took)}: {output} ({show_bytes(output.stat().st_size)})\n"
        f"Next: forebear search {output} -o {output.stem}.json"
    )
