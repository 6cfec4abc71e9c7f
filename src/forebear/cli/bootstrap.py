"""``forebear bootstrap``: how often arcs are learnt from bootstrap samples."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError
from forebear.budget import DEFAULT_SECONDS
from forebear.cli._support.averages import as_facts, check_structure, listed
from forebear.cli._support.knowledge import Stated, takes_knowledge
from forebear.cli._support.options import (
    AlphaOption,
    DataArgument,
    EssOption,
    GenerationsOption,
    JsonOption,
    MaxParentsOption,
    QuietOption,
    ScoreOption,
    SeedOption,
    ThreadsOption,
    located_table,
)
from forebear.cli._support.outcome import print_json
from forebear.cli._support.reading import reads_table
from forebear.cli._support.show import show_facts
from forebear.cli._support.signals import Interrupted
from forebear.data.dataset import as_dataset
from forebear.data.reading import ReadOptions
from forebear.learning.bootstrap import DEFAULT_REPLICATES, bootstrap_averages
from forebear.network.files import STRUCTURE_ONLY, extensions_of, is_network, write_network
from forebear.scoring.scores import as_score
from forebear.uncertainty.probabilities import (
    DEFAULT_THRESHOLD,
    averaged_network,
    check_threshold,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.network.network import Network
    from forebear.result import Result
    from forebear.uncertainty.averaging import Averages


@reads_table
@takes_knowledge
def bootstrap(
    data: DataArgument,
    replicates: Annotated[
        int, typer.Option(metavar="N", help="Number of bootstrap samples.")
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
        float,
        typer.Option(metavar="P", help="Smallest probability of an edge of the averaged network."),
    ] = DEFAULT_THRESHOLD,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            "--seconds",
            metavar="S",
            help="Seconds for all samples together.  "
            f"[default: {DEFAULT_SECONDS:g}; none with --generations]",
        ),
    ] = None,
    generations: GenerationsOption = None,
    max_parents: MaxParentsOption = None,
    score: ScoreOption = "bdeu",
    ess: EssOption = None,
    alpha: AlphaOption = None,
    threads: ThreadsOption = None,
    seed: SeedOption = None,
    *,
    stated: Stated,
    read: ReadOptions,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn from bootstrap samples; count how often each arc is learnt.

    Each sample has as many rows as the table, drawn with replacement. An arc
    that most networks have does not depend on a few rows. Ctrl-C averages the
    networks that are finished; the output and the .json file give their number,
    and the exit code is 130.

    \b
    Examples:
      forebear bootstrap example:orchard --replicates 20 --time-limit 20 -o arcs.csv
      forebear bootstrap example:survey --drop id --discretize quantile --generations 5 -o sure.dot
    """
    check_threshold(threshold)
    outputs = output or []
    for path in outputs:
        _check(path)
    table = located_table(data)
    averages = bootstrap_averages(
        table,
        replicates=replicates,
        time_limit=time_limit,
        generations=generations,
        seed=seed,
        read=read,
        score=as_score(score, ess=ess, alpha=alpha),
        max_parents=max_parents,
        knowledge=stated.as_knowledge(lambda: as_dataset(table, read).names),
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
    if averages.stop_reason == "interrupted":
        # What was finished is kept, but a script must not take it for all that was asked for.
        raise Interrupted(f"after {averages.shown_number}")


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
    networks = f"{averages.n_networks:,}"
    if averages.stop_reason == "interrupted":
        networks += f" of {averages.requested:,}: incomplete, interrupted"
    show_facts(
        [
            ("networks", networks),
            ("averaged", f"{len(network.arcs):,} edges of probability {threshold:g} or more"),
        ]
    )
    if outputs:
        print(f"Written to {', '.join(map(str, outputs))}")
    else:
        print()
        print("\n".join(listed(averages)))
