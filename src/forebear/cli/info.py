"""``forebear info``: what a file holds."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear._util.atomic import check_writable
from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import listing, show_bytes, show_seconds
from forebear.cli._support.inputs import Content, TableOptions, content_of_input
from forebear.cli._support.options import DATA, Option
from forebear.cli._support.summary import bar, show_facts
from forebear.data.examples import resolve_example
from forebear.data.formats.table import STANDARD_INPUT, read_table
from forebear.data.read_options import ReadOptions
from forebear.data.schema import write_schema
from forebear.data.summarize_table import summarize_frame
from forebear.network.arc_probabilities import DEFAULT_THRESHOLD
from forebear.network.file_formats import (
    READABLE,
    RESULT,
    AnyNetwork,
    extensions_of,
    read_any_network,
)
from forebear.network.fitted import FittedNetwork
from forebear.parentsets.collection import ParentSets
from forebear.posterior.draws_file import EXTENSION
from forebear.posterior.posterior import Posterior
from forebear.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Facts = dict[str, Any]
Rows = list[tuple[str, str]]


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
        Option(DATA, "TOML", "Write how the table is read, to be changed and passed on."),
    ] = None,
    *,
    table_options: TableOptions,
    json_: bool = False,
) -> None:
    """Show what a table, network, result, parent sets or draws hold.

    Of a table, one line per column says its kind, its states with their counts,
    what is missing, and what is suspicious: identifiers, constants, duplicates,
    dates, decimal commas, too many states, spelling.

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
            raise ForebearError(f"{file} holds {kind.value}: ", _SCHEMA, " is for tables")
        check_writable(schema)
    lines: list[str] = []
    if kind is Content.TABLE:
        facts, rows, lines = _table(path, table_options.as_read_options(), schema)
    elif kind is Content.PARENT_SETS:
        facts, rows = _parent_sets(path)
    elif kind is Content.RESULT:
        facts, rows = _result(path)
    elif kind is Content.DRAWS:
        facts, rows = _draws(path)
    else:
        facts, rows = _network(read_any_network(path))
    if path != STANDARD_INPUT:
        size = Path(path).stat().st_size
        facts, rows = {**facts, "bytes": size}, [*rows, ("file size", show_bytes(size))]
    if json_:
        print(json.dumps({"file": file, **facts}, ensure_ascii=False))
    else:
        show_facts([("file", file), *rows])
        print("\n".join(lines), end="\n" * bool(lines))


_SCHEMA = Parameter("schema")


def _parent_sets(path: Path | str) -> tuple[Facts, Rows]:
    sets = ParentSets.load(path)
    counts = spread(sets.counts.tolist())
    sizes = sets.sizes.tolist()
    facts = {
        "kind": "parent sets",
        "variables": sets.n_variables,
        "parent_sets": len(sets),
        "sets_per_variable": counts,
        "sets_by_parents": sizes,
        "provenance": sets.provenance,
    }
    rows = [
        ("variables", f"{sets.n_variables:,}"),
        ("parent sets", f"{len(sets):,}"),
        ("per variable", show_spread(counts)),
    ]
    width = len(f"{max(sizes):,}")
    for size, count in enumerate(sizes):
        name = f"with {size} parent{'s' * (size != 1)}"
        rows.append((name, f"{count:>{width},}  {bar(count, max(sizes))}".rstrip()))
    return facts, [*rows, *_provenance(sets.provenance)]


def _provenance(made: Facts) -> Rows:
    """List what the sets were made from; a .jkl file does not say it."""
    shown: dict[str, tuple[str, Callable[[Any], str]]] = {
        "score": ("score", str),
        "parameters": ("parameters", lambda given: _pairs(given) or "none"),
        "max_parents": ("max_parents", str),
        "max_sets_per_variable": ("kept per variable", "at most {:,}".format),
        "max_candidates": ("candidates", "the best {:,} of each variable".format),
        "constrained": ("constraints", lambda _: "some arcs were required or forbidden"),
        "families": ("families scored", "{:,}".format),
        "rows": ("rows of data", "{:,}".format),
        "arities": ("states", lambda arities: show_spread(spread(arities))),
        "data": ("data fingerprint", str),
        "forebear": ("written by", "forebear {}".format),
    }
    return [(name, _told(show, made[key])) for key, (name, show) in shown.items() if key in made]


def _told(show: Callable[[Any], str], value: Any) -> str:
    """Show a fact; files of other programs may hold values of another type."""
    try:
        return show(value)
    except (TypeError, ValueError, AttributeError, KeyError):
        return str(value)


def _pairs(parameters: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in parameters.items())


def _table(
    path: Path | str, read: ReadOptions, schema: Path | None
) -> tuple[Facts, Rows, list[str]]:
    """Describe a table; the lines are one per column, and what is missing."""
    summary = summarize_frame(read_table(path, read), read)
    if schema is not None:
        write_schema(summary, read, schema, str(path))
    columns = summary.columns
    constant = [c.name for c in columns if c.n_distinct <= 1]
    continuous = [c.name for c in columns if c.kind == "continuous"]
    missing = {c.name: c.n_missing for c in columns if c.n_missing}
    states = spread([len(c.states) for c in columns if c.kind != "continuous"])
    facts = {
        "kind": "table",
        "variables": len(columns),
        "states": states,
        "constant": constant,
        "continuous": continuous,
        "missing": missing,
        **summary.to_dict(),
    }
    rows = [
        ("variables", f"{len(columns):,}"),
        ("rows", f"{summary.n_rows:,}"),
        ("states", show_spread(states)),
    ]
    if constant:
        rows.append(("constant", f"{len(constant):,} ({listing(constant)})"))
    if continuous:
        how = "pass --discretize quantile to use them"
        rows.append(("continuous", f"{len(continuous):,} ({listing(continuous)}): {how}"))
    if missing:
        counts = listing([f"{name}: {count:,}" for name, count in missing.items()])
        how = "completed while learning; --missing has other ways"
        rows.append(("missing values", f"{sum(missing.values()):,} ({counts}): {how}"))
    written = [] if schema is None else ["", f"Written to {schema}"]
    return facts, rows, ["", *str(summary).splitlines()[1:], *written]


def _network(network: AnyNetwork) -> tuple[Facts, Rows]:
    structure = network.network if isinstance(network, FittedNetwork) else network
    most = max(map(len, structure.parents), default=0)
    facts = {
        "kind": "network",
        "variables": structure.n_variables,
        "arcs": len(structure.arcs),
        "max_parents": most,
    }
    rows = [
        ("variables", f"{structure.n_variables:,}"),
        ("arcs", f"{len(structure.arcs):,}"),
        ("largest parent set", f"{most}"),
    ]
    if not isinstance(network, FittedNetwork):
        return facts, [*rows, ("probabilities", "none in this file")]
    states = spread([len(states) for states in network.states])
    parameters = sum(table.size - table.size // table.shape[-1] for table in network.tables)
    facts |= {"states": states, "free_parameters": parameters}
    rows += [("states", show_spread(states)), ("free parameters", f"{parameters:,}")]
    return facts, rows


def _result(path: Path | str) -> tuple[Facts, Rows]:
    result = Result.load(path)
    facts, rows = _network(result.network)
    facts = {
        **facts,
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
    bound = [] if result.bound is None else [("no score exceeds", f"{result.bound:,.4f}")]
    return facts, [
        ("network score", f"{result.score:,.4f}"),
        *bound,
        *rows,
        ("found by", f"{result.algorithm}, seed {result.seed}, forebear {result.version}"),
        ("search time", show_seconds(result.seconds)),
        ("ended by", result.stop_reason),
        *((f"sets: {name}", value) for name, value in _provenance(result.provenance)),
    ]


def _draws(path: Path | str) -> tuple[Facts, Rows]:
    found = Posterior.load(path)
    measured, about = found.diagnostics, found.about
    sure = sum(share >= DEFAULT_THRESHOLD for share in found.edges.values())
    facts = {
        "kind": "draws",
        "variables": len(found.names),
        "chains": found.n_chains,
        "draws": found.n_draws,
        "rhat": measured.score_rhat if math.isfinite(measured.score_rhat) else None,
        "ess": measured.score_ess if math.isfinite(measured.score_ess) else None,
        "converged": measured.converged,
        "reason": measured.reason,
        "probable_edges": sure,
        "about": about,
    }
    shown: dict[str, tuple[str, Callable[[Any], str]]] = {
        "sweeps": ("sweeps", "{:,} per chain".format),
        "thin": ("kept", "one draw in {:,} sweeps".format),
        "prior": ("prior", str),
        "sets": ("parent sets", "{:,}".format),
        "unexplored": ("unexplored", "{:.2%} of the families in the draws".format),
        "seed": ("seed", str),
        "seconds": ("sampling time", show_seconds),
        "stop_reason": ("ended by", str),
    }
    return facts, [
        ("variables", f"{len(found.names):,}"),
        ("draws", f"{found.n_chains:,} chains of {found.n_draws:,}"),
        *measured.facts(),
        ("edges", f"{sure:,} are more probable than not"),
        *((name, _told(show, about[key])) for key, (name, show) in shown.items()
          if about.get(key) is not None),
    ]  # fmt: skip


def spread(numbers: Sequence[int]) -> dict[str, float]:
    """Return minimum, median and maximum; nothing for an empty list."""
    if not numbers:
        return {}
    return {"min": min(numbers), "median": statistics.median(numbers), "max": max(numbers)}


def show_spread(spread: dict[str, float]) -> str:
    """Write a spread on one line."""
    if not spread:
        return "-"
    if spread["min"] == spread["max"]:
        return f"{spread['min']:,}"
    return f"{spread['min']:,} to {spread['max']:,}, median {spread['median']:,g}"
