"""``forebear posterior``: how sure the arcs are, by draws from the posterior."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl

from forebear._util.text import show_seconds
from forebear.budget import DEFAULT_SECONDS
from forebear.cli._support.averages import (
    FORMAT,
    check_average,
    named_pairs,
    show_average,
    write_average,
)
from forebear.cli._support.inputs import located_table
from forebear.cli._support.option_groups import KnowledgeOptions, TableOptions
from forebear.cli._support.options import MORE, OUTPUT, SEARCH, Option
from forebear.cli._support.outputs import check_report
from forebear.cli._support.summary import print_json, show_facts
from forebear.cli._support.terminal import shown_progress
from forebear.data.dataset import as_dataset
from forebear.learning.sample_posterior import (
    DEFAULT_CHAINS,
    DEFAULT_TEMPERATURES,
    is_parent_sets,
    sample_posterior,
)
from forebear.network.arc_probabilities import DEFAULT_THRESHOLD, check_threshold
from forebear.network.file_formats import STRUCTURE_ONLY, extensions_of
from forebear.posterior.draws_file import EXTENSION, check_posterior_file
from forebear.posterior.posterior import Posterior
from forebear.posterior.priors import DEFAULT_PRIOR
from forebear.posterior.widening import DEFAULT_MARGIN
from forebear.scoring.scores import as_score

if TYPE_CHECKING:
    from forebear.network.network import Network


def posterior(
    data: Annotated[
        str,
        "A table (- reads CSV from standard input), parent sets (.cps, .jkl), or draws written "
        "by -o (.npz).",
    ],
    output: Annotated[
        list[Path] | None,
        f"Write the draws ({EXTENSION}), the probabilities (.csv, .json), or the consensus "
        f"network ({extensions_of(STRUCTURE_ONLY)}). Repeatable.",
    ] = None,
    report: Annotated[Path | None, "Write a report with rank plots, to open in a browser."] = None,
    prior: Annotated[
        str | None,
        Option(
            SEARCH,
            "HOW",
            "Prior over networks: uniform, sparse, or the probability of an arc.  "
            f"[default: {DEFAULT_PRIOR}; for .cps files, the prior that they contain]",
        ),
    ] = None,
    threshold: Annotated[
        float, Option(OUTPUT, "P", "Minimum probability of an edge in the consensus network.")
    ] = DEFAULT_THRESHOLD,
    time_limit: Annotated[
        float | None,
        f"Total time limit in seconds.  [default: {DEFAULT_SECONDS:g}; none with --sweeps]",
    ] = None,
    sweeps: Annotated[
        int | None, Option(SEARCH, "N", "Stop after N sweeps; a sweep has one move per variable.")
    ] = None,
    chains: Annotated[int, Option(SEARCH, "N", "Number of independent chains.")] = DEFAULT_CHAINS,
    temperatures: Annotated[
        int, Option(MORE, "N", "Temperatures per chain; more of them mix better between modes.")
    ] = DEFAULT_TEMPERATURES,
    margin: Annotated[
        float, Option(MORE, "X", "Leave out parent sets that score X nats below a subset.")
    ] = DEFAULT_MARGIN,
    max_parents: int | None = None,
    score: str = "bdeu",
    ess: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    *,
    knowledge_options: KnowledgeOptions,
    table_options: TableOptions,
    json_: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> None:
    """Estimate the probability of each arc by sampling networks.

    Several Markov chains start from networks found by a search. If they do not
    agree, a message is printed and probabilities are rounded to one digit.
    Ctrl-C keeps the draws so far. Tables with missing values require --missing
    drop or state.

    \b
    Examples:
      forebear posterior example:orchard --time-limit 20 -o arcs.csv
      forebear posterior example:orchard --report orchard.html -o draws.npz
      forebear posterior draws.npz --threshold 0.8 -o sure.edges.csv
    """
    check_threshold(threshold)
    read = table_options.as_read_options()
    outputs = output or []
    for path in outputs:
        if path.suffix.lower() == EXTENSION:
            check_posterior_file(path)
        else:
            check_average(path, f"draws are written to {EXTENSION} files, ")
    if report is not None:
        check_report(report)
    if Path(data).suffix.lower() == EXTENSION:
        found, rows = Posterior.load(data), None
    else:
        table = data if is_parent_sets(data) else located_table(data)
        # The report is about the table, too; standard input can be read only once.
        rows = as_dataset(table, read) if report is not None and not is_parent_sets(data) else None
        with shown_progress(enabled=not (quiet or json_), verbose=verbose) as view:
            found = sample_posterior(
                table if rows is None else rows,
                score=as_score(score, ess=ess) if ess is not None else score,
                prior=prior,
                max_parents=max_parents,
                knowledge=knowledge_options.as_knowledge(),
                chains=chains,
                temperatures=temperatures,
                time_limit=time_limit,
                sweeps=sweeps,
                margin=margin,
                threads=threads,
                seed=seed,
                read=read if rows is None else None,
                watcher=view,
            )
    network = found.consensus(threshold)
    about = facts(found, network, threshold)
    for path in outputs:
        if path.suffix.lower() == EXTENSION:
            found.save(path)
        else:
            write_average(found, network, about, path)
    if report is not None:
        found.report(report, rows)
    if json_:
        print_json(about)
    elif not quiet:
        _show(found, network, threshold, [*outputs, *([report] if report else [])])


def facts(found: Posterior, network: Network, threshold: float) -> dict[str, Any]:
    """Gather everything for JSON, by the names of the variables."""
    names, digits = found.names, None if found.converged else found.digits
    measured = found.diagnostics
    arcs = found.to_frame().drop("either_direction")
    if digits is not None:
        arcs = arcs.with_columns(pl.col("probability").round(digits))
    return {
        **FORMAT.marks,
        "converged": found.converged,
        "reason": measured.reason,
        "chains": found.n_chains,
        "draws": found.n_draws,
        "rhat": measured.score_rhat,
        "ess": measured.score_ess,
        "threshold": threshold,
        "arcs": [list(row) for row in arcs.iter_rows()],
        "edges": named_pairs(names, found.edges, digits),
        "ancestors": named_pairs(names, found.ancestors, digits),
        "blankets": named_pairs(names, found.blankets, digits),
        "most_probable": [list(arc) for arc in found.most_probable().arc_names],
        "median": [list(arc) for arc in found.median().arc_names],
        "consensus": [list(arc) for arc in network.arc_names],
        "about": found.about,
    }


def _show(found: Posterior, network: Network, threshold: float, written: list[Path]) -> None:
    about = found.about
    sampled = f"{found.n_chains} chains of {found.n_draws:,} draws"
    if "sweeps" in about:
        sampled += f", one in {about['thin']:,} sweeps, in {show_seconds(about['seconds'])}"
    show_facts(
        [
            ("draws", sampled),
            *found.diagnostics.facts(),
            ("consensus", f"{len(network.arcs):,} edges of probability {threshold:g} or more"),
        ]
    )
    if not found.converged:
        print("The chains do not agree yet, so the probabilities are rough: run longer.")
    show_average(found, written, found.digits)
