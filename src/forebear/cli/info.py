"""``forebear info``: what is in a file."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear.cli.options import HeaderOption, JsonOption, located
from forebear.cli.show import bar, show_facts
from forebear.formats import Kind, kind_of, read_parent_sets
from forebear.formats.bif import read_bif
from forebear.formats.encoding import describe, listing
from forebear.formats.table import STANDARD_INPUT, read_table
from forebear.machine import show_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Facts = dict[str, Any]
Rows = list[tuple[str, str]]


def info(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Parent sets (.cps, .jkl), a table or a network (.bif)."
        ),
    ],
    header: HeaderOption = None,
    json_: JsonOption = False,
) -> None:
    """Tell what is in a file of parent sets, a table or a network.

    \b
    Examples:
      forebear info orchard.cps
      forebear info survey.csv --json
    """
    path = located(file)
    if path == STANDARD_INPUT or kind_of(path) is Kind.TABLE:
        facts, rows = _table(path, header)
    elif kind_of(path) is Kind.PARENT_SETS:
        facts, rows = _parent_sets(path)
    else:
        facts, rows = _network(path)
    if path != STANDARD_INPUT:
        size = Path(path).stat().st_size
        facts, rows = {**facts, "bytes": size}, [*rows, ("file size", show_bytes(size))]
    if json_:
        print(json.dumps({"file": file, **facts}, ensure_ascii=False))
    else:
        show_facts([("file", file), *rows])


def _parent_sets(path: Path | str) -> tuple[Facts, Rows]:
    sets = read_parent_sets(path)
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
    """Tell what made the sets, as far as the file says: a .jkl file does not."""
    shown: dict[str, tuple[str, Callable[[Any], str]]] = {
        "score": ("score", str),
        "parameters": ("parameters", lambda given: _pairs(given) or "none"),
        "max_parents": ("most parents", str),
        "max_sets_per_variable": ("kept per variable", "at most {:,}".format),
        "constrained": ("constraints", lambda _: "some arcs were required or forbidden"),
        "families": ("families scored", "{:,}".format),
        "rows": ("rows of data", "{:,}".format),
        "arities": ("states", lambda arities: show_spread(spread(arities))),
        "data": ("data fingerprint", str),
        "forebear": ("written by", "forebear {}".format),
    }
    return [(name, show(made[key])) for key, (name, show) in shown.items() if key in made]


def _pairs(parameters: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in parameters.items())


def _table(path: Path | str, header: bool | None) -> tuple[Facts, Rows]:
    frame = read_table(path, header=header)
    columns = describe(frame)
    constant = [column.name for column in columns if column.n_states == 1]
    continuous = [column.name for column in columns if column.n_states is None]
    missing = {column.name: column.n_missing for column in columns if column.n_missing}
    states = spread([column.n_states for column in columns if column.n_states is not None])
    facts = {
        "kind": "table",
        "variables": frame.width,
        "rows": frame.height,
        "states": states,
        "constant": constant,
        "continuous": continuous,
        "missing": missing,
    }
    rows = [
        ("variables", f"{frame.width:,}"),
        ("rows", f"{frame.height:,}"),
        ("states", show_spread(states)),
    ]
    if constant:
        rows.append(("constant", f"{len(constant):,} ({listing(constant)})"))
    if continuous:
        how = "to score it, pass --discretize quantile"
        rows.append(("continuous", f"{len(continuous):,} ({listing(continuous)}): {how}"))
    if missing:
        counts = listing([f"{name}: {count:,}" for name, count in missing.items()])
        how = "to score it, pass --missing drop or --missing state"
        rows.append(("missing values", f"{sum(missing.values()):,} ({counts}): {how}"))
    return facts, rows


def _network(path: Path | str) -> tuple[Facts, Rows]:
    fitted = read_bif(path)
    parents = [len(family) for family in fitted.network.parents]
    states = spread([len(states) for states in fitted.states])
    parameters = sum(table.size - table.size // table.shape[-1] for table in fitted.tables)
    facts = {
        "kind": "network",
        "variables": fitted.n_variables,
        "arcs": sum(parents),
        "max_parents": max(parents),
        "states": states,
        "free_parameters": parameters,
    }
    rows = [
        ("variables", f"{fitted.n_variables:,}"),
        ("arcs", f"{sum(parents):,}"),
        ("most parents", f"{max(parents)}"),
        ("states", show_spread(states)),
        ("free parameters", f"{parameters:,}"),
    ]
    return facts, rows


def spread(numbers: Sequence[int]) -> dict[str, float]:
    """Give the least, the middle and the greatest of some numbers; nothing of none."""
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
