"""``forebear reproduce``: reproduce the tables and figures of the paper."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forebear._util.atomic import check_writable
from forebear._util.checks import check_run
from forebear._util.errors import FileError, ForebearError
from forebear._util.machine import thread_count
from forebear._util.text import show_seconds
from forebear.cli._support.options import QuietOption, ThreadsOption

if TYPE_CHECKING:
    from forebear.reproduce.finding import Finding

ALL = "all"
PARENT_SETS = "parent-sets"
"""The folder in OUT for scored sets."""


def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The table or figure, or all.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="The directory to write to."),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The directory with the paper's tables: audio-train.data, ..."
        ),
    ] = None,
    networks: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The directory with alarm.bif and pathfinder.bif.  [default: that of --data]",
        ),
    ] = None,
    hours: Annotated[
        float,
        typer.Option(metavar="H", help="Hours that stand for the paper's four."),
    ] = 0.01,
    threads: ThreadsOption = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Random seed.")] = 1,
    quiet: QuietOption = False,
) -> None:
    """Reproduce a table or figure of the paper.

    Writes OUT/NAME.csv and OUT/NAME.svg, and prints our numbers, the paper's
    and the difference. "all" makes everything for which there are data. Nothing
    is written outside OUT; OUT/parent-sets keeps scored sets for the next run.

    \b
    table2    number of candidate parent sets
    table3    pruned sets of four variables of Asia
    table4    sets kept by rows and max_parents, Pathfinder
    table5    ranks in the best network, Alarm
    table6    sets kept for the paper's tables
    table7 to table15  gain over MINOBS of audio-train, jester-train,
              pumsb-star-test, kosarek-train, eachmovie-train, reuters-test,
              reuters-train, newsgroup-test and newsgroup-valid
    a1 to a9  scores over time of the same data
    figure1   sampling rates that cover all combinations
    figure2   ranks in the best networks of all data
    figure3   the two ways of sampling
    figure5   gain by time and by setting
    figureb1  gain and density, pumsb-star-test

    \b
    Examples:
      forebear reproduce table2 -o paper
      forebear reproduce table6 --data DIR -o paper
      forebear reproduce a1 --data DIR --hours 4 -o paper
    """
    # Imported here, since no other command needs these modules.
    from forebear.reproduce.catalog import experiments, find_experiment
    from forebear.reproduce.workspace import Workspace

    wanted = experiments() if name == ALL else {name: find_experiment(name)}
    check_run(threads=threads, seed=seed)
    workspace = Workspace(
        kept=output / PARENT_SETS,
        data=data,
        networks=networks,
        hours=hours,
        threads=thread_count(threads),
        seed=seed,
        say=_silent if quiet else _tell,
    )
    _prepare(output, list(wanted))
    for each, experiment in wanted.items():
        start = time.perf_counter()
        try:
            finding = experiment.make(workspace)
        except ForebearError as error:
            if name != ALL:
                raise
            print(f"{each}: left out: {error}\n")
            continue
        written = finding.save(output, each)
        if not quiet:
            _show(f"{each}: {experiment.title}", finding, written, time.perf_counter() - start)


def _prepare(output: Path, names: list[str]) -> None:
    """Make the directory, and refuse before any work what could not be written after it."""
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{output}: no directory can be there: {error.strerror}") from error
    for name in names:
        check_writable(output / f"{name}.csv")
        check_writable(output / f"{name}.svg")


def _show(title: str, finding: Finding, written: list[Path], seconds: float) -> None:
    print(title)
    print("\n".join(finding.text()))
    print(f"Written to {', '.join(map(str, written))} after {show_seconds(seconds)}\n")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _silent(line: str) -> None:
    del line
