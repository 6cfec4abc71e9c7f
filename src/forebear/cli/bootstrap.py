"""``forebear bootstrap``: how sure arcs are, by learning from resampled rows."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forebear._util.errors import FileError
from forebear._util.files import atomic_path, check_writable
from forebear.cli._support.options import (
    AlphaOption,
    BinsOption,
    DiscretizeOption,
    EssOption,
    GenerationsOption,
    HeaderOption,
    JsonOption,
    MissingOption,
    QuietOption,
    Reading,
    ScoreOption,
    SeedOption,
    ThreadsOption,
    time_left,
)
from forebear.cli._support.outcome import print_json
from forebear.cli._support.show import show_facts
from forebear.cli.average import about, as_facts, check_structure, listed
from forebear.data.encoding import DEFAULT_BINS
from forebear.learning.bootstrap import DEFAULT_REPLICATES, DEFAULT_SECONDS, bootstrap_averages
from forebear.network.files import STRUCTURE_ONLY, extensions_of, is_network, write_network
from forebear.scoring.scores import as_score
from forebear.uncertainty.averaging import DEFAULT_THRESHOLD, averaged_network, check_threshold

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.network.network import Network
    from forebear.result import Result
    from forebear.uncertainty.averaging import Averages


def bootstrap(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A table; - is CSV on standard input.")
    ],
    replicates: Annotated[
        int, typer.Option(metavar="N", help="How many times to learn.")
    ] = DEFAULT_REPLICATES,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The probabilities (.csv, .json), or the averaged network "
            f"({extensions_of(STRUCTURE_ONLY)}). Repeatable.",
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option(metavar="P", help="The averaged network has edges from here on.")
    ] = DEFAULT_THRESHOLD,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S", help=f"For all of it.  [default: {DEFAULT_SECONDS:g}, or --generations]"
        ),
    ] = None,
    generations: GenerationsOption = None,
    max_parents: Annotated[
        int | None,
        typer.Option(metavar="N", help="Most parents of a variable.  [default: what fits]"),
    ] = None,
    score: ScoreOption = "bdeu",
    ess: EssOption = None,
    alpha: AlphaOption = None,
    threads: ThreadsOption = None,
    seed: SeedOption = None,
    missing: MissingOption = "error",
    discretize: DiscretizeOption = None,
    bins: BinsOption = DEFAULT_BINS,
    header: HeaderOption = None,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn from rows drawn anew, many times, and tell how often each arc is there.

    As many rows as the table has are drawn with replacement. Arcs that are
    found in most of the networks do not hang on a few rows. Ctrl-C averages
    what is finished.

    \b
    Examples:
      forebear bootstrap example:orchard --replicates 20 --seconds 20 -o arcs.csv
      forebear bootstrap survey.csv --generations 5 --seed 1 -o sure.dot
    """
    began = time.perf_counter()
    time_left(seconds, began)
    check_threshold(threshold)
    outputs = output or []
    for path in outputs:
        _check(path)
    made = as_score(score, ess=ess, alpha=alpha)
    table = Reading(missing, discretize, bins, header).read(data)
    averages = bootstrap_averages(
        table,
        replicates=replicates,
        time_limit=time_left(seconds, began),
        generations=generations,
        seed=seed,
        score=made,
        max_parents=max_parents,
        threads=threads,
        on_replicate=_teller(replicates, wanted=not (quiet or json_)),
    )
    network = averaged_network(averages, threshold)
    for path in outputs:
        _write(averages, network, threshold, path)
    if json_:
        print_json(as_facts(averages, network, threshold))
    elif not quiet:
        _show(averages, network, threshold, outputs)


def _check(path: Path) -> None:
    """Refuse, before any work, what could not be written after it."""
    if is_network(path):
        check_structure(path)
    elif path.suffix.lower() in (".csv", ".json"):
        check_writable(path)
    else:
        raise FileError(
            f"{path}: probabilities are written to .csv or .json files, the averaged network to "
            f"{extensions_of(STRUCTURE_ONLY)}"
        )


def _write(averages: Averages, network: Network, threshold: float, path: Path) -> None:
    if is_network(path):
        write_network(network, path)
        return
    with atomic_path(path) as draft:
        if path.suffix.lower() == ".csv":
            averages.to_frame().write_csv(draft)
        else:
            facts = json.dumps(as_facts(averages, network, threshold), ensure_ascii=False)
            draft.write_text(facts + "\n", "utf-8")


def _teller(replicates: int, *, wanted: bool) -> Callable[[int, Result], None] | None:
    """Tell on a terminal how far it is."""
    if not (wanted and sys.stderr.isatty()):
        return None

    def tell(number: int, result: Result) -> None:
        end = "\n" if number == replicates else ""
        arcs = len(result.network.arcs)
        print(f"\r{number} of {replicates} learnt, {arcs:,} arcs  ", end=end, file=sys.stderr)

    return tell


def _show(averages: Averages, network: Network, threshold: float, outputs: list[Path]) -> None:
    show_facts(about(averages, network, threshold))
    if outputs:
        print(f"Written to {', '.join(map(str, outputs))}")
    else:
        print()
        print("\n".join(listed(averages)))
