"""``forebear bootstrap``: count how often arcs are learned from bootstrap samples."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from forebear.budget import DEFAULT_SECONDS
from forebear.cli._support.averages import (
    as_facts,
    check_average,
    edges_above,
    show_average,
    write_average,
)
from forebear.cli._support.inputs import resolve_table
from forebear.cli._support.option_groups import KnowledgeOptions, TableOptions
from forebear.cli._support.options import OUTPUT, SEARCH, Option
from forebear.cli._support.printing import print_json, show_facts
from forebear.cli._support.process import Interrupted
from forebear.learning.bootstrap import DEFAULT_REPLICATES, bootstrap_averages
from forebear.network.averages import (
    DEFAULT_THRESHOLD,
    Averages,
    averaged_network,
    check_threshold,
)
from forebear.network.file_formats import STRUCTURE_ONLY, extensions_of
from forebear.network.network import Network
from forebear.result import Result
from forebear.scoring.scores import as_score


def bootstrap(
    data: str,
    replicates: Annotated[
        int, Option(SEARCH, "N", "Number of bootstrap samples.")
    ] = DEFAULT_REPLICATES,
    output: Annotated[
        list[Path] | None,
        "Write the probabilities (.csv, .json), or the averaged network "
        f"({extensions_of(STRUCTURE_ONLY)}). Repeatable.",
    ] = None,
    threshold: Annotated[
        float, Option(OUTPUT, "P", "Minimum probability of an edge in the averaged network.")
    ] = DEFAULT_THRESHOLD,
    time_limit: Annotated[
        float | None,
        "Time limit in seconds for all samples together.  "
        f"[default: {DEFAULT_SECONDS:g}; none with --generations]",
    ] = None,
    generations: int | None = None,
    max_parents: int | None = None,
    score: str | None = None,
    prior: str | None = None,
    ess: str | None = None,
    alpha: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    *,
    knowledge_options: KnowledgeOptions,
    table_options: TableOptions,
    json_: bool = False,
    quiet: bool = False,
) -> None:
    """Count how often each arc is learned from bootstrap samples.

    Each sample has as many rows as the table, drawn with replacement. An arc
    that is learned from most samples does not depend on a few rows. Ctrl-C
    averages the networks learned so far, with exit code 130.

    \b
    Examples:
      forebear bootstrap example:orchard --replicates 20 --time-limit 20 -o arcs.csv
      forebear bootstrap example:survey --drop id --discretize quantile --generations 5 -o sure.dot
    """
    check_threshold(threshold)
    read = table_options.as_read_options()
    outputs = output or []
    for path in outputs:
        check_average(path)
    averages = bootstrap_averages(
        resolve_table(data),
        replicates=replicates,
        time_limit=time_limit,
        generations=generations,
        seed=seed,
        read=read,
        score=as_score(score, prior=prior, ess=ess, alpha=alpha),
        prior=prior,
        max_parents=max_parents,
        knowledge=knowledge_options.as_knowledge(),
        threads=threads,
        on_replicate=_progress_printer(replicates, shown=not (quiet or json_)),
    )
    network = averaged_network(averages, threshold)
    facts = as_facts(averages, network, threshold)
    for path in outputs:
        write_average(averages, network, facts, path)
    if json_:
        print_json(facts)
    elif not quiet:
        _show(averages, network, threshold, outputs)
    if averages.stop_reason == "interrupted":
        # The finished networks are kept, but a script must notice that some are missing.
        raise Interrupted(f"after {averages.shown_number}")


def _progress_printer(replicates: int, *, shown: bool) -> Callable[[int, Result], None] | None:
    """Return a function that prints progress on a terminal, or None."""
    if not (shown and sys.stderr.isatty()):
        return None

    def print_progress(number: int, result: Result) -> None:
        end = "\n" if number == replicates else ""
        arcs = len(result.network.arcs)
        print(f"\r{number} of {replicates} learned, {arcs:,} arcs  ", end=end, file=sys.stderr)

    return print_progress


def _show(averages: Averages, network: Network, threshold: float, outputs: list[Path]) -> None:
    networks = f"{averages.n_networks:,}"
    if averages.stop_reason == "interrupted":
        networks += f" of {averages.requested:,}: incomplete, interrupted"
    show_facts(
        [
            ("networks", networks),
            (
                "averaged",
                edges_above(network, threshold),
            ),
        ]
    )
    show_average(averages, outputs)
