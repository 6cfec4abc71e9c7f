"""``forebear score``: from a table to ranked candidate parent sets."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from forebear._util.machine import cores, peak_bytes
from forebear._util.text import parse_bytes, show_bytes, show_seconds
from forebear.cli._support.arcs import check_acyclic, parse_arcs, read_tiers
from forebear.cli._support.options import (
    AlphaOption,
    BinsOption,
    CandidatesOption,
    DiscretizeOption,
    EssOption,
    ForbidOption,
    HeaderOption,
    IdsOption,
    JsonOption,
    MaxSetsOption,
    MemoryOption,
    MissingOption,
    QuietOption,
    Reading,
    RequireOption,
    ScoreOption,
    ThreadsOption,
    TiersOption,
    time_left,
)
from forebear.cli._support.show import FamiliesBar
from forebear.cli._support.wording import say
from forebear.data.encoding import DEFAULT_BINS
from forebear.parentsets.files import check_target, is_native, write_parent_sets
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.out_of_core import score_and_save
from forebear.scoring.scores import Score, as_score
from forebear.scoring.scoring import default_max_parents, make_job, score_job

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.cost import Cost


def score(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A table; - is CSV on standard input.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="What to write: .cps, .jkl or .jkl.gz."
        ),
    ],
    score: ScoreOption = "bdeu",
    ess: EssOption = None,
    alpha: AlphaOption = None,
    max_parents: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Most parents of a set.  [default: 3; from 500 variables on, 2]"
        ),
    ] = None,
    max_sets_per_variable: MaxSetsOption = None,
    max_candidates: CandidatesOption = None,
    threads: ThreadsOption = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Refuse, or stop, what takes longer.")
    ] = None,
    max_memory: MemoryOption = None,
    forbid: ForbidOption = None,
    require: RequireOption = None,
    tiers: TiersOption = None,
    missing: MissingOption = "error",
    discretize: DiscretizeOption = None,
    bins: BinsOption = DEFAULT_BINS,
    header: HeaderOption = None,
    ids: IdsOption = False,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Score, prune and rank the candidate parents of every variable.

    What this takes in time and memory is told before it starts. DATA may be
    example:orchard, which comes with forebear.

    \b
    Examples:
      forebear score example:orchard -o orchard.cps
      forebear score survey.csv -o survey.jkl --score bic --max-parents 4
      forebear score survey.csv -o survey.cps --forbid "income->age" --seconds 60
    """
    start = time.perf_counter()
    made = as_score(score, ess=ess, alpha=alpha)
    time_left(seconds, start)
    memory = None if max_memory is None else parse_bytes(max_memory)
    check_target(output, ids=ids)
    table = Reading(missing, discretize, bins, header).read(data)
    check_target(output, table.names, ids=ids)
    threads = threads if threads is not None else cores()
    limit = max_parents if max_parents is not None else default_max_parents(table.n_variables)
    required = parse_arcs("--require", require or (), table.names)
    check_acyclic(required)
    with FamiliesBar(wanted=not quiet) as progress:

        def tell(cost: Cost, parts: int = 1) -> None:
            if not quiet:
                say(_plan(table, made, threads, cost, parts))
            progress.start(cost.families)

        job = make_job(
            table,
            score=made,
            max_parents=limit,
            threads=threads,
            required=required,
            forbidden=parse_arcs("--forbid", forbid or (), table.names),
            tiers=read_tiers(tiers, table.names) if tiers else None,
            max_sets_per_variable=max_sets_per_variable,
        )
        if max_candidates is not None:
            job = restrict_candidates(job, max_candidates, seconds=time_left(seconds, start))
        left = time_left(seconds, start)
        if is_native(output):
            sets = score_and_save(
                job,
                output,
                time_limit=left,
                max_memory=memory,
                on_cost=tell,
                on_progress=progress.update,
            )
        else:
            sets = score_job(
                job,
                time_limit=left,
                max_memory=memory,
                on_cost=tell,
                on_progress=progress.update,
            )
            write_parent_sets(sets, output, ids=ids)
    took = time.perf_counter() - start
    if json_:
        print(json.dumps(_facts(sets, table, took, threads)))
    elif not quiet:
        print(_summary(sets, output, took))


def _plan(table: Dataset, score: Score, threads: int, cost: Cost, parts: int) -> str:
    in_parts = f", in {parts} parts that are kept as they are done" if parts > 1 else ""
    return (
        f"{table.n_variables:,} variables, {table.n_rows:,} rows: {cost.families:,} families "
        f"to score by {score.name}; about {show_bytes(cost.bytes)}, {show_seconds(cost.seconds)} "
        f"on {threads} thread{'s' * (threads > 1)}{in_parts}"
    )


def _facts(sets: ParentSets, table: Dataset, took: float, threads: int) -> dict[str, object]:
    return {
        "variables": table.n_variables,
        "rows": table.n_rows,
        "score": sets.provenance["score"],
        "max_parents": sets.provenance["max_parents"],
        "families_scored": sets.provenance["families"],
        "parent_sets": len(sets),
        "seconds": took,
        "peak_bytes": peak_bytes(),
        "threads": threads,
    }


def _summary(sets: ParentSets, output: Path, took: float) -> str:
    # An empty set that is not allowed is there for form's sake, with score minus infinity.
    kept = int(np.isfinite(sets.scores).sum())
    return (
        f"{kept:,} of {sets.provenance['families']:,} parent sets kept in "
        f"{show_seconds(took)}: {output} ({show_bytes(output.stat().st_size)})\n"
        f"Next: forebear search {output} -o {output.stem}.json"
    )
