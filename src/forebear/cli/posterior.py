"""``forebear posterior``: estimate the probability of each arc by sampling networks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import polars as pl

from forebear._util.text import show_seconds
from forebear.budget import DEFAULT_SECONDS
from forebear.cli._support.averages import (
    FORMAT,
    check_average,
    edges_above,
    named_pairs,
    show_average,
    write_average,
)
from forebear.cli._support.inputs import resolve_table
from forebear.cli._support.option_groups import KnowledgeOptions, TableOptions
from forebear.cli._support.options import MORE, OUTPUT, PRIOR_HELP, SEARCH, Option
from forebear.cli._support.outputs import check_report
from forebear.cli._support.printing import print_json, show_facts
from forebear.cli._support.terminal import show_progress
from forebear.data.dataset import as_dataset
from forebear.learning.sample_posterior import (
    DEFAULT_CHAINS,
    DEFAULT_TEMPERATURES,
    sample_posterior,
)
from forebear.network.averages import DEFAULT_THRESHOLD, check_threshold
from forebear.network.file_formats import STRUCTURE_ONLY, extensions_of
from forebear.network.network import Network
from forebear.parentsets.parent_set_files import is_parent_sets
from forebear.posterior.draws_file import EXTENSION, check_posterior_file
from forebear.posterior.posterior import Posterior
from forebear.posterior.sampled_sets import DEFAULT_MARGIN, DEFAULT_PRIOR
from forebear.scoring.scores import as_score


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
        f"{PRIOR_HELP}  [default: {DEFAULT_PRIOR}; for .cps files, the prior that they contain]",
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
        int, Option(MORE, "N", "Number of temperatures per chain; more improve mixing.")
    ] = DEFAULT_TEMPERATURES,
    margin: Annotated[
        float,
        Option(MORE, "X", "Leave out parent sets that score more than X nats below a subset."),
    ] = DEFAULT_MARGIN,
    max_parents: int | None = None,
    score: str | None = None,
    ess: str | None = None,
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
        draws, rows = Posterior.load(data), None
    else:
        table = data if is_parent_sets(data) else resolve_table(data)
        # The report needs the table, too, and standard input can be read only once.
        rows = as_dataset(table, read) if report is not None and not is_parent_sets(data) else None
        with show_progress(enabled=not (quiet or json_), verbose=verbose) as view:
            draws = sample_posterior(
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
    network = draws.consensus(threshold)
    about = facts(draws, network, threshold)
    for path in outputs:
        if path.suffix.lower() == EXTENSION:
            draws.save(path)
        else:
            write_average(draws, network, about, path)
    if report is not None:
        draws.report(report, rows)
    if json_:
        print_json(about)
    elif not quiet:
        _show(draws, network, threshold, [*outputs, *([report] if report else [])])


def facts(posterior: Posterior, network: Network, threshold: float) -> dict[str, Any]:
    """Return everything for JSON, with the names of the variables."""
    names, digits = posterior.names, None if posterior.converged else posterior.digits
    diagnostics = posterior.diagnostics
    arcs = posterior.to_frame().drop("either_direction")
    if digits is not None:
        arcs = arcs.with_columns(pl.col("probability").round(digits))
    return {
        **FORMAT.marks,
        "converged": posterior.converged,
        "reason": diagnostics.reason,
        "chains": posterior.n_chains,
        "draws": posterior.n_draws,
        "rhat": diagnostics.score_rhat,
        "effective_sample_size": diagnostics.score_effective_sample_size,
        "threshold": threshold,
        "arcs": [list(row) for row in arcs.iter_rows()],
        "edges": named_pairs(names, posterior.edges, digits),
        "ancestors": named_pairs(names, posterior.ancestors, digits),
        "blankets": named_pairs(names, posterior.blankets, digits),
        "most_probable": [list(arc) for arc in posterior.most_probable().arc_names],
        "median": [list(arc) for arc in posterior.median().arc_names],
        "consensus": [list(arc) for arc in network.arc_names],
        "about": posterior.about,
    }


def _show(posterior: Posterior, network: Network, threshold: float, written: list[Path]) -> None:
    about = posterior.about
    sampled = f"{posterior.n_chains} chains of {posterior.n_draws:,} draws"
    if "sweeps" in about:
        thin = about["thin"]
        rate = "one per sweep" if thin == 1 else f"one in {thin:,} sweeps"
        sampled += f", {rate}, in {show_seconds(about['seconds'])}"
    show_facts(
        [
            ("draws", sampled),
            *posterior.diagnostics.facts(),
            (
                "consensus",
                edges_above(network, threshold),
            ),
        ]
    )
    if not posterior.converged:
        print("The chains do not agree yet, so the probabilities are rough: run it longer.")
    show_average(posterior, written, posterior.digits)
