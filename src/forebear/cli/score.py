"""``forebear score``: from a table to ranked parent sets."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from forebear._util.machine import peak_bytes, thread_count
from forebear._util.text import counted, show_bytes, show_seconds
from forebear._util.watcher import Watcher
from forebear.cli._support.console import say
from forebear.cli._support.knowledge import Stated, takes_knowledge
from forebear.cli._support.options import (
    AlphaOption,
    CandidatesOption,
    DataArgument,
    EssOption,
    IdsOption,
    JsonOption,
    MaxSetsOption,
    MemoryOption,
    QuietOption,
    ScoreOption,
    ThreadsOption,
    located_table,
    parsed_max_parents,
)
from forebear.cli._support.outcome import print_json
from forebear.cli._support.reading import reads_table
from forebear.cli._support.show import FamiliesBar
from forebear.data.dataset import as_dataset
from forebear.data.reading import ReadOptions
from forebear.learning.score import score_parent_sets
from forebear.parentsets.coverage import CUT_SHORT, missing_done
from forebear.parentsets.files import check_target
from forebear.scoring.scores import as_score

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.parentsets.collection import ParentSets


@reads_table
@takes_knowledge
def score(
    data: DataArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write: .cps, .jkl or .jkl.gz."
        ),
    ],
    score: ScoreOption = "bdeu",
    ess: EssOption = None,
    alpha: AlphaOption = None,
    max_parents: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help='Largest parent set, or "all".  [default: 3; 2 from 500 variables on]',
        ),
    ] = None,
    max_sets_per_variable: MaxSetsOption = None,
    max_candidates: CandidatesOption = None,
    threads: ThreadsOption = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            "--seconds",
            metavar="S",
            help="Time limit in seconds. Parent sets up to the largest size that is complete then "
            "are written.",
        ),
    ] = None,
    max_memory: MemoryOption = None,
    *,
    stated: Stated,
    read: ReadOptions,
    ids: IdsOption = False,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Score, prune and rank the parent sets of every variable.

    The number of families and an upper bound on the memory are reported before scoring starts.
    DATA may be example:orchard, which comes with forebear.

    \b
    Examples:
      forebear score example:orchard -o orchard.cps
      forebear score example:orchard -o orchard.jkl --score bic --max-parents 4
      forebear score example:orchard -o orchard.cps --forbidden "price->harvest"
    """
    start = time.perf_counter()
    check_target(output, ids=ids)
    table = located_table(data)
    settings: dict[str, Any] = {
        "score": as_score(score, ess=ess, alpha=alpha),
        "max_parents": parsed_max_parents(max_parents),
        "knowledge": stated.as_knowledge(lambda: as_dataset(table, read).names),
        "max_sets_per_variable": max_sets_per_variable,
        "max_candidates": max_candidates,
        "time_limit": time_limit,
        "max_memory": max_memory,
        "threads": threads,
        "read": read,
        "path": None if ids else output,
    }
    with FamiliesBar(wanted=not quiet) as bar:
        view = _View(output, bar, ids=ids, quiet=quiet, threads=thread_count(threads))
        sets = score_parent_sets(table, watcher=view, **settings)
    if ids:
        sets.save(output, ids=True)
    took = time.perf_counter() - start
    if json_:
        print_json(_facts(sets, view, took))
    elif not quiet:
        print(_summary(sets, output, took))


class _View(Watcher):
    """Shows the size of the job and the progress; refuses names that the file cannot hold."""

    data: Dataset

    def __init__(
        self, output: Path, bar: FamiliesBar, *, ids: bool, quiet: bool, threads: int
    ) -> None:
        self.threads = threads
        self._output = output
        self._bar = bar
        self._ids = ids
        self._quiet = quiet

    def loaded(self, data: Dataset) -> None:
        """Check the names."""
        check_target(self._output, data.names, ids=self._ids)
        self.data = data

    def counted(self, families: int, most_bytes: int, parts: int) -> None:
        """Print how much there is to score."""
        in_parts = f", in {parts} parts that are kept as they are done" if parts > 1 else ""
        if not self._quiet:
            say(
                f"{counted(self.data.n_variables, 'variable')}, "
                f"{counted(self.data.n_rows, 'row')}: {families:,} families to score on "
                f"{counted(self.threads, 'thread')}, at most {show_bytes(most_bytes)} of memory "
                f"beside the table{in_parts}"
            )
        self._bar.start(families)

    def scoring(self, fraction: float) -> None:
        """Move the bar."""
        self._bar.update(fraction)


def _facts(sets: ParentSets, view: _View, took: float) -> dict[str, object]:
    return {
        "variables": sets.n_variables,
        "rows": view.data.n_rows,
        "score": sets.provenance["score"],
        "max_parents": sets.provenance["max_parents"],
        "complete": bool(sets.provenance.get("complete")),
        "cut_short": bool(sets.provenance.get(CUT_SHORT)),
        "families_scored": sets.provenance["families"],
        "missing": sets.provenance.get("missing"),
        "missing_share": sets.provenance.get("missing_share", 0.0),
        "parent_sets": len(sets),
        "seconds": took,
        "peak_bytes": peak_bytes(),
        "threads": view.threads,
    }


def _summary(sets: ParentSets, output: Path, took: float) -> str:
    # An empty set that is not allowed is listed with the score minus infinity.
    kept = int(np.isfinite(sets.scores).sum())
    missing = missing_done(sets.provenance)
    complete = "; no larger one is worth having" if sets.provenance.get("complete") else ""
    cut = ""
    if sets.provenance.get(CUT_SHORT):
        most = counted(sets.provenance["max_parents"], "parent")
        cut = f"The time limit ended the scoring of larger sets: all sets have up to {most}\n"
    return (
        (f"{missing}\n" if missing else "")
        + cut
        + f"{kept:,} of {sets.provenance['families']:,} parent sets kept{complete} in "
        f"{show_seconds(took)}: {output} ({show_bytes(output.stat().st_size)})\n"
        f"Next: forebear search {output} -o {output.stem}.json"
    )
