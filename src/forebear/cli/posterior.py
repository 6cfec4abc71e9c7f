"""``forebear posterior``: how sure the arcs are, by draws from the posterior."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError
from forebear._util.text import show_seconds
from forebear.budget import DEFAULT_SECONDS
from forebear.cli._support.averages import FORMAT, check_structure, listed, named_pairs
from forebear.cli._support.knowledge import Stated, takes_knowledge
from forebear.cli._support.live import LiveView
from forebear.cli._support.options import (
    EssOption,
    JsonOption,
    MaxParentsOption,
    QuietOption,
    ScoreOption,
    SeedOption,
    ThreadsOption,
    located_table,
)
from forebear.cli._support.outcome import check_report, print_json
from forebear.cli._support.reading import reads_table
from forebear.cli._support.show import show_facts
from forebear.data.dataset import as_dataset
from forebear.data.reading import ReadOptions
from forebear.learning.posterior import (
    DEFAULT_CHAINS,
    DEFAULT_TEMPERATURES,
    is_parent_sets,
    sample_posterior,
)
from forebear.network.files import STRUCTURE_ONLY, extensions_of, is_network, write_network
from forebear.posterior.files import EXTENSION, check_posterior_file
from forebear.posterior.posterior import Posterior
from forebear.posterior.priors import DEFAULT_PRIOR
from forebear.posterior.widening import DEFAULT_MARGIN
from forebear.scoring.scores import as_score
from forebear.uncertainty.probabilities import DEFAULT_THRESHOLD, check_threshold

if TYPE_CHECKING:
    from forebear.network.network import Network


@reads_table
@takes_knowledge
def posterior(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A table, - for CSV on standard input; parent sets (.cps, .jkl); or draws that "
            "-o has written (.npz).",
        ),
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"The draws ({EXTENSION}), the probabilities (.csv, .json), or the consensus "
            f"network ({extensions_of(STRUCTURE_ONLY)}). Repeatable.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="HTML", help="Write the report, with rank plots.")
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="uniform, sparse, or the probability of an arc.  "
            f"[default: {DEFAULT_PRIOR}; for .cps files the one they contain]",
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(metavar="P", help="Smallest probability of an edge of the consensus network."),
    ] = DEFAULT_THRESHOLD,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            "--seconds",
            metavar="S",
            help=f"Seconds for everything.  [default: {DEFAULT_SECONDS:g}; none with --sweeps]",
        ),
    ] = None,
    sweeps: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stop after N sweeps of one move per variable."),
    ] = None,
    chains: Annotated[
        int, typer.Option(metavar="N", help="Number of independent chains.")
    ] = DEFAULT_CHAINS,
    temperatures: Annotated[
        int, typer.Option(metavar="N", help="Temperatures per chain; more cross valleys.")
    ] = DEFAULT_TEMPERATURES,
    margin: Annotated[
        float,
        typer.Option(metavar="X", help="Leave out sets that a subset beats by X nats."),
    ] = DEFAULT_MARGIN,
    max_parents: MaxParentsOption = None,
    score: ScoreOption = "bdeu",
    ess: EssOption = None,
    threads: ThreadsOption = None,
    seed: SeedOption = None,
    *,
    stated: Stated,
    read: ReadOptions,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Draw networks from the posterior and show how sure the arcs are.

    Several Markov chains start from networks that a search finds. If they do
    not agree, the output says so, and probabilities have one digit only.
    Ctrl-C keeps the draws so far.

    \b
    Examples:
      forebear posterior example:orchard --time-limit 20 -o arcs.csv
      forebear posterior example:orchard --report orchard.html -o draws.npz
      forebear posterior draws.npz --threshold 0.8 -o sure.edges.csv
    """
    check_threshold(threshold)
    outputs = output or []
    for path in outputs:
        _check(path)
    if report is not None:
        check_report(report)
    if Path(data).suffix.lower() == EXTENSION:
        found, rows = Posterior.load(data), None
    else:
        table = data if is_parent_sets(data) else located_table(data)
        known = None
        if stated:
            known = stated.as_knowledge(lambda: as_dataset(table, read).names)
        # The report is about the table, too; standard input can be read only once.
        rows = as_dataset(table, read) if report is not None and not is_parent_sets(data) else None
        with LiveView(wanted=not (quiet or json_)) as view:
            found = sample_posterior(
                table if rows is None else rows,
                score=as_score(score, ess=ess) if ess is not None else score,
                prior=prior,
                max_parents=max_parents,
                knowledge=known,
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
    for path in outputs:
        _write(found, network, threshold, path)
    if report is not None:
        found.report(report, rows)
    if json_:
        print_json(facts(found, network, threshold))
    elif not quiet:
        _show(found, network, threshold, [*outputs, *([report] if report else [])])


def _check(path: Path) -> None:
    """Refuse, before any work, what could not be written after it."""
    if path.suffix.lower() == EXTENSION:
        check_posterior_file(path)
    elif path.suffix.lower() in (".csv", ".json") and not _is_edges(path):
        check_writable(path)
    elif is_network(path):
        check_structure(path)
    else:
        raise FileError(
            f"{path}: draws are written to {EXTENSION} files, probabilities to .csv or .json, the "
            f"consensus network to {extensions_of(STRUCTURE_ONLY)}"
        )


def _is_edges(path: Path) -> bool:
    """Whether this is a list of arcs or a matrix: these formats end in .csv, too."""
    return is_network(path) and path.suffix.lower() == ".csv"


def _write(found: Posterior, network: Network, threshold: float, path: Path) -> None:
    if path.suffix.lower() == EXTENSION:
        found.save(path)
    elif path.suffix.lower() == ".csv" and not _is_edges(path):
        with atomic_path(path) as draft:
            found.to_frame().write_csv(draft)
    elif path.suffix.lower() == ".json":
        with atomic_path(path) as draft:
            text = json.dumps(facts(found, network, threshold), ensure_ascii=False)
            draft.write_text(text + "\n", "utf-8")
    else:
        write_network(network, path)


def facts(found: Posterior, network: Network, threshold: float) -> dict[str, Any]:
    """Gather everything for JSON, by the names of the variables."""
    names, digits = found.names, None if found.converged else found.digits
    measured = found.diagnostics
    arcs = [
        [*row, measured.arc_rhat.get(arc), measured.arc_ess.get(arc)]
        for row, (arc, _) in zip(
            named_pairs(names, found.arcs, digits),
            sorted(found.arcs.items(), key=lambda one: (-one[1], one[0])),
            strict=True,
        )
    ]
    return {
        **FORMAT.marks,
        "converged": found.converged,
        "reason": measured.reason,
        "chains": found.n_chains,
        "draws": found.n_draws,
        "rhat": measured.score_rhat,
        "ess": measured.score_ess,
        "threshold": threshold,
        "arcs": arcs,
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
        print("The chains do not agree yet: allow more time. Probabilities are rough.")
    if written:
        print(f"Written to {', '.join(map(str, written))}")
    else:
        print()
        print("\n".join(listed(found, found.digits)))
