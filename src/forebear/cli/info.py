"""``forebear info``: describe a file."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from forebear._util.atomic import check_writable
from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.inputs import Content, content_of_input
from forebear.cli._support.option_groups import TableOptions
from forebear.cli._support.options import DATA, Option
from forebear.cli._support.printing import print_json, show_facts
from forebear.data.examples import resolve_example
from forebear.data.formats.table import STANDARD_INPUT, find_files, load_table
from forebear.data.read_options import ReadOptions
from forebear.data.schema import write_schema
from forebear.data.summarize_table import summarize_raw_table
from forebear.data.table_summary import TableSummary
from forebear.network.averages import DEFAULT_THRESHOLD
from forebear.network.file_formats import (
    READABLE,
    RESULT,
    AnyNetwork,
    extensions_of,
    read_any_network,
)
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import as_network
from forebear.parentsets.collection import ParentSets
from forebear.posterior.draws_file import EXTENSION
from forebear.posterior.posterior import Posterior
from forebear.result import Result
from forebear.result.report.wording import fact_rows

Facts = dict[str, Any]


def info(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Parent sets (.cps, .jkl), a table, a network "
            f"({extensions_of(READABLE)}), a result ({RESULT}) or draws ({EXTENSION}).",
        ),
    ],
    schema: Annotated[
        Path | None,
        Option(DATA, "TOML", "Write a schema file, to edit and pass to other commands."),
    ] = None,
    *,
    table_options: TableOptions,
    json_: bool = False,
) -> None:
    """Describe a table, network, result, parent sets or draws.

    For a table, one line per column shows its kind, its states with their
    counts, and missing values. Suspicious columns are pointed out: identifiers,
    constants, duplicates, dates, decimal commas, too many states, inconsistent spelling.

    \b
    Examples:
      forebear info orchard.cps
      forebear info example:survey --json
      forebear info example:survey --schema survey.toml
    """
    path = resolve_example(file)
    kind = content_of_input(path)
    if schema is not None:
        if kind is not Content.TABLE:
            what = f"{file} holds {kind.value}, but "
            raise ForebearError(what, Parameter("schema"), " requires a table")
        check_writable(schema)
    lines: list[str] = []
    hints: dict[str, str] = {}
    if kind is Content.TABLE:
        read = table_options.as_read_options() or ReadOptions()
        summary = summarize_raw_table(load_table(path, read), read)
        facts = _table(summary)
        if read.discretize is None:
            hints["continuous"] = ": pass --discretize quantile to use them"
        if read.missing == "em" and all(c.n_distinct for c in summary.columns):
            hints["missing"] = ": completed while learning (see --missing)"
        lines = ["", *str(summary).splitlines()[1:]]
        if schema is not None:
            write_schema(summary, read, schema, str(path))
            lines += ["", f"Written to {schema}"]
    elif kind is Content.PARENT_SETS:
        facts = _parent_sets(ParentSets.load(path))
    elif kind is Content.RESULT:
        facts = _result(Result.load(path))
    elif kind is Content.DRAWS:
        facts = _draws(Posterior.load(path))
    else:
        facts = _network(read_any_network(path))
    facts = {"file": file, **facts}
    if path != STANDARD_INPUT:
        facts["bytes"] = sum(one.stat().st_size for one in find_files(path))
    if json_:
        print_json(facts)
        return
    provenance = facts.pop("provenance", {}) | facts.pop("about", {})
    for shown in (facts, provenance):
        if "seed" in shown:  # without thousands separators, so that it can be copied
            shown["seed"] = str(shown["seed"])
    show_facts([(name, value + hints.get(name, "")) for name, value in fact_rows(facts)])
    if provenance:
        print("\nProvenance")
        show_facts(fact_rows(provenance))
    print("\n".join(lines), end="\n" * bool(lines))


def _table(summary: TableSummary) -> Facts:
    columns = summary.columns
    return {
        "kind": "table",
        "variables": len(columns),
        "states": spread([len(c.states) for c in columns if c.kind != "continuous"]),
        "constant": [c.name for c in columns if c.n_distinct <= 1],
        "continuous": [c.name for c in columns if c.kind == "continuous"],
        "missing": {c.name: c.n_missing for c in columns if c.n_missing},
        **summary.to_dict(),
    }


def _parent_sets(sets: ParentSets) -> Facts:
    return {
        "kind": "parent sets",
        "variables": sets.n_variables,
        "parent_sets": len(sets),
        "sets_per_variable": spread(sets.counts.tolist()),
        "sets_by_parents": sets.sizes.tolist(),
        "provenance": sets.provenance,
    }


def _network(network: AnyNetwork) -> Facts:
    structure = as_network(network)
    facts: Facts = {
        "kind": "network",
        "variables": structure.n_variables,
        "arcs": len(structure.arcs),
        "max_parents": max(map(len, structure.parents), default=0),
    }
    if isinstance(network, FittedNetwork):
        facts["states"] = spread([len(states) for states in network.states])
        facts["free_parameters"] = network.n_parameters
    return facts


def _result(result: Result) -> Facts:
    return {
        **_network(result.network),
        "kind": "result",
        "score": result.score,
        "bound": result.bound,
        "algorithm": result.algorithm,
        "seed": result.seed,
        "seconds": result.seconds,
        "stop_reason": result.stop_reason,
        "provenance": result.provenance,
        "forebear": result.version,
    }


def _draws(posterior: Posterior) -> Facts:
    diagnostics = posterior.diagnostics
    size = diagnostics.score_effective_sample_size
    return {
        "kind": "draws",
        "variables": len(posterior.names),
        "chains": posterior.n_chains,
        "draws": posterior.n_draws,
        "rhat": diagnostics.score_rhat if math.isfinite(diagnostics.score_rhat) else None,
        "effective_sample_size": size if math.isfinite(size) else None,
        "converged": diagnostics.converged,
        "reason": diagnostics.reason,
        "probable_edges": sum(share >= DEFAULT_THRESHOLD for share in posterior.edges.values()),
        "about": posterior.about,
    }


def spread(numbers: Sequence[int]) -> dict[str, float]:
    """Return minimum, median and maximum; nothing for an empty list."""
    if not numbers:
        return {}
    return {"min": min(numbers), "median": statistics.median(numbers), "max": max(numbers)}
