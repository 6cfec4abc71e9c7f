"""``forebear certify``: prove how much lower every network without an edge scores."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError, Parameter
from forebear._util.text import counted, show_seconds
from forebear.cli._support.inputs import resolve_table
from forebear.cli._support.option_groups import KnowledgeOptions, TableOptions
from forebear.cli._support.options import OUTPUT, PRIOR_HELP, PROOF, Option
from forebear.cli._support.printing import print_json, show_facts
from forebear.cli._support.process import Interrupted
from forebear.learning.certify_arcs import certify_arcs
from forebear.network.file_formats import read_network
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.parent_set_files import is_parent_sets
from forebear.result.arc_margins import LEVELS, ArcMargin, ArcMargins
from forebear.result.report.wording import stop_words
from forebear.scoring.scores import as_score

_SHOWN = 5  # edges that are listed


def certify(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A table, or parent sets (.cps, .jkl).", show_default=False
        ),
    ],
    network: Annotated[
        Path | None,
        Option(PROOF, "FILE", "Network or result to examine.  [default: the best network]"),
    ] = None,
    margin: Annotated[
        float | None,
        Option(PROOF, "NATS", "End a proof at this margin.  [default: prove exact margins]"),
    ] = None,
    pairs: Annotated[
        bool, Option(PROOF, None, "Also prove margins of pairs without an edge.", ("--pairs",))
    ] = False,
    output: Annotated[
        Path | None,
        Option(OUTPUT, "FILE", "Write the margins (.csv, .json).", ("--output", "-o")),
    ] = None,
    certificate: Annotated[
        Path | None, Option(PROOF, "FILE", "Write the proofs to this file, for forebear check.")
    ] = None,
    time_limit: Annotated[float | None, "Total time limit in seconds.  [default: 60]"] = None,
    max_parents: Annotated[
        int | None, "Maximum number of parents.  [default: 3; 2 with 500 variables or more]"
    ] = None,
    score: str | None = None,
    ess: str | None = None,
    alpha: float | None = None,
    prior: Annotated[
        str | None, f"{PRIOR_HELP}  [default: as in learn; for .cps files, the one they contain]"
    ] = None,
    threads: int | None = None,
    seed: int | None = None,
    *,
    knowledge_options: KnowledgeOptions,
    table_options: TableOptions,
    json_: bool = False,
    quiet: bool = False,
) -> None:
    """Prove how much the score falls without each edge.

    The margin of an edge is this difference, in nats. The command proves it for
    every edge of the best network and, for every arc whose direction the data
    determine, for the direction. Ctrl-C ends the proofs and shows what was
    proven, with exit code 130.

    \b
    Examples:
      forebear certify example:orchard --max-parents 3 --time-limit 30
      forebear certify orchard.cps --margin 10 --certificate orchard.cert
      forebear certify example:orchard --pairs --margin 10 -o margins.csv
    """
    if output is not None:
        _check_output(output)
    sets = is_parent_sets(data)
    margins = certify_arcs(
        ParentSets.load(data, threads=threads) if sets else resolve_table(data),
        None if network is None else read_network(network),
        margin,
        pairs=pairs,
        score=as_score(score, prior=prior, ess=ess, alpha=alpha),
        prior=prior,
        max_parents=max_parents,
        knowledge=knowledge_options.as_knowledge(),
        certificate=certificate,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        read=None if sets else table_options.as_read_options(),
    )
    if output is not None:
        _write(margins, output)
    if json_:
        print_json(_facts(margins))
    elif not quiet:
        _show(margins, [path for path in (output, certificate) if path is not None])
    if margins.stop_reason == "interrupted":
        raise Interrupted("before all margins were proven")


def _check_output(path: Path) -> None:
    if path.suffix.lower() not in (".csv", ".json"):
        raise FileError(
            f"{path}: unknown file type {path.suffix or 'without extension'}: ",
            Parameter("output"),
            " writes .csv or .json",
        )
    check_writable(path)


def _facts(margins: ArcMargins) -> dict[str, Any]:
    """Return the margins with the names of the variables; null stands for infinity."""
    names = margins.names
    return {
        **{key: value for key, value in margins.to_fields().items() if key != "items"},
        "margins": [
            {
                "kind": one.kind,
                "from": names[one.parent],
                "to": names[one.child],
                "margin": one.margin if math.isfinite(one.margin) else None,
                "exact": one.exact,
            }
            for one in margins.items
        ],
    }


def _write(margins: ArcMargins, path: Path) -> None:
    with atomic_path(path) as draft:
        if path.suffix.lower() == ".csv":
            margins.to_frame().write_csv(draft)
        else:
            draft.write_text(json.dumps(_facts(margins)), encoding="utf-8")


def _show(margins: ArcMargins, files: list[Path]) -> None:
    edges, pairs = margins.of_kind("edge"), margins.of_kind("pair")
    relative = "the best network" if margins.optimal else "a network that is not proven optimal"
    facts = [
        ("Network", f"{counted(len(edges), 'edge')}, score {margins.score:,.4f}"),
        ("Margins", f"relative to {relative}, {margins.covers}"),
        *(
            (f"{level:g} nats", f"{margins.needed(level):,} of {counted(len(edges), 'edge')}")
            for level in LEVELS
            if margins.cutoff is None or level <= margins.cutoff
        ),
    ]
    if pairs:
        absent = sum(one.margin > 1e-6 for one in pairs)
        facts.append(("Absent", f"{absent:,} of {counted(len(pairs), 'pair')} are proven absent"))
    ended = "complete" if margins.stop_reason == "complete" else stop_words(margins.stop_reason)
    facts.append(("Time", f"{show_seconds(margins.seconds)}: {ended}"))
    facts += [("Saved", ", ".join(map(str, files)))] if files else []
    show_facts(facts)
    ranked = sorted((one.margin, _ends(margins, one), _written(one)) for one in edges)
    if ranked:
        print("\nThe least certain edges, in nats:")
    for _, ends, written in ranked[:_SHOWN]:
        print(f"{written:>14}  {ends}")
    if len(ranked) > _SHOWN:
        print(f"{'':>14}  and {len(ranked) - _SHOWN:,} more")


def _ends(margins: ArcMargins, one: ArcMargin) -> str:
    """Return the names of an edge, sorted: equivalent networks have the same edges."""
    return " - ".join(sorted(margins.names[v] for v in (one.parent, one.child)))


def _written(one: ArcMargin) -> str:
    return f"{one.margin:,.2f}" if one.exact else f"at least {one.margin:,.2f}"
