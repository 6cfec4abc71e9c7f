"""The options about reading a table, which every command that reads one has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.gathered import gathers
from forebear.data.discretization import Discretize
from forebear.data.reading import DEFAULT_BINS, DEFAULT_MISSING, MOST_LEARNED, Missing, ReadOptions

_Columns = list[str] | None

SCHEMA = "schema"

TABLE_OPTIONS: dict[str, Any] = {
    SCHEMA: Annotated[
        Path | None,
        typer.Option(metavar="TOML", help="How to read the table: see forebear info --schema."),
    ],
    "missing": Annotated[
        Missing | None,
        typer.Option(
            help="Missing values: refuse them, drop their rows, make them a state, or learn from "
            "all rows: score the available ones, or complete them by em.  "
            f"[default: {DEFAULT_MISSING}]"
        ),
    ],
    "discretize": Annotated[
        Discretize | None,
        typer.Option(metavar="HOW", help="Cut continuous columns: quantile, uniform or learned."),
    ],
    "bins": Annotated[
        _Columns,
        typer.Option(
            metavar="N",
            help="Number of intervals of a continuous column; COLUMN=N or COLUMN=CUT,CUT,... for "
            f"one column. Repeatable.  [default: {DEFAULT_BINS}; up to {MOST_LEARNED} if learned]",
        ),
    ],
    "keep": Annotated[
        _Columns,
        typer.Option(
            metavar="COLUMN", help="Use only the columns named here or below. Repeatable."
        ),
    ],
    "drop": Annotated[
        _Columns, typer.Option(metavar="COLUMN", help="Leave out this column. Repeatable.")
    ],
    "categorical": Annotated[
        _Columns,
        typer.Option(metavar="COLUMN", help="The values of this column are states. Repeatable."),
    ],
    "ordered": Annotated[
        _Columns,
        typer.Option(
            metavar="COLUMN",
            help="The values of this column are ordered states; COLUMN=LOW,MID,HIGH gives the "
            "order. Repeatable.",
        ),
    ],
    "continuous": Annotated[
        _Columns,
        typer.Option(
            metavar="COLUMN", help="The values of this column are numbers to cut. Repeatable."
        ),
    ],
    "missing_tokens": Annotated[
        _Columns,
        typer.Option(
            metavar="TEXT",
            help="A text that means a missing value. Repeatable.  "
            "[default: in text files NA, N/A, NaN, nan, null, NULL, ?, *]",
        ),
    ],
    "header": Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether a text file starts with names.  [default: detected]",
        ),
    ],
    "encoding": Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Encoding of a text file.  [default: UTF-8]"),
    ],
    "decimal_comma": Annotated[
        bool | None,
        typer.Option(
            "--decimal-comma/--no-decimal-comma",
            help="Whether numbers are written as 1,5.  [default: detected]",
        ),
    ],
    "comment": Annotated[
        str | None, typer.Option(metavar="TEXT", help="Leave out lines that start with this.")
    ],
    "sheet": Annotated[
        str | None, typer.Option(metavar="NAME", help="Sheet of a workbook.  [default: the first]")
    ],
}


def read_options(
    *,
    schema: Path | None = None,
    bins: list[str] | None = None,
    ordered: list[str] | None = None,
    **options: Any,
) -> ReadOptions:
    """Make the options of what was typed."""
    given = {name: value for name, value in options.items() if value not in (None, [])}
    if bins:
        given["bins"] = _bins_from(bins)
    if ordered:
        given["ordered"] = dict(_ordered_from(one) for one in ordered)
    return ReadOptions(**given) if schema is None else ReadOptions.from_schema(schema, **given)


def _bins_from(typed: list[str]) -> int | dict[str | None, Any]:
    """Read ``5``, ``age=4`` and ``age=18,65``."""
    found: dict[str | None, Any] = {}
    for one in typed:
        name, apart, value = one.rpartition("=")
        try:
            numbers = [float(part) for part in value.split(",") if part.strip()]
            count = int(value) if "," not in value else None
        except ValueError:
            raise ForebearError(
                Parameter("bins"),
                f" takes a number, COLUMN=NUMBER or COLUMN=CUT,CUT,..., got {one!r}",
            ) from None
        found[name if apart else None] = numbers if count is None else count
    return found[None] if list(found) == [None] else found


def _ordered_from(typed: str) -> tuple[str, list[str] | None]:
    """Read ``size`` and ``size=low,mid,high``."""
    name, apart, states = typed.partition("=")
    return name, [state.strip() for state in states.split(",")] if apart else None


reads_table = gathers("read", TABLE_OPTIONS, read_options)
"""Gives a command the options about reading a table; it gets them together, as ``read``.

A command with a parameter ``schema`` of its own does not read one.
"""
