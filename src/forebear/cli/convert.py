"""``forebear convert``: the same content in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forebear.cli.options import (
    BinsOption,
    DiscretizeOption,
    HeaderOption,
    IdsOption,
    MissingOption,
    QuietOption,
    Reading,
    located,
)
from forebear.errors import ForebearError
from forebear.files import check_writable
from forebear.formats import Kind, check_target, kind_of, read_parent_sets, write_parent_sets
from forebear.formats.encoding import DEFAULT_BINS
from forebear.formats.table import STANDARD_INPUT, write_table


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A table, or parent sets.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="What to write; its extension says how.")
    ],
    missing: MissingOption = "error",
    discretize: DiscretizeOption = None,
    bins: BinsOption = DEFAULT_BINS,
    header: HeaderOption = None,
    ids: IdsOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write parent sets, or a table, in another format.

    Parent sets are .cps, .jkl or .jkl.gz; tables .csv, .tsv, .txt, .parquet,
    .arrow, .feather, .ipc, .dat or .data, each also with .gz.

    A .jkl file keeps the sets and their scores, but not where they came from.

    \b
    Examples:
      forebear convert orchard.cps orchard.jkl --ids
      forebear convert survey.csv survey.parquet --discretize quantile --bins 4
    """
    path = located(source)
    holds = Kind.TABLE if path == STANDARD_INPUT else kind_of(path)
    _check_kinds(source, holds, target)
    if holds is Kind.PARENT_SETS:
        check_target(target, ids=ids)
        sets = read_parent_sets(path)
        write_parent_sets(sets, target, ids=ids)
        what = f"{sets.n_variables:,} variables, {len(sets):,} parent sets"
    else:
        if ids:
            raise ForebearError(f"--ids is for .jkl files, which {target} is not")
        check_writable(target)
        table = Reading(missing, discretize, bins, header).read(source)
        write_table(table, target)
        what = f"{table.n_variables:,} variables, {table.n_rows:,} rows"
    if not quiet:
        print(f"{target}: {what}")


def _check_kinds(source: str, holds: Kind, target: Path) -> None:
    wanted = kind_of(target)
    if Kind.NETWORK in (holds, wanted):
        raise ForebearError("networks (.bif) are not converted: only tables and parent sets are")
    if holds is Kind.TABLE and wanted is Kind.PARENT_SETS:
        raise ForebearError(
            f"{source} holds a table and {target} would hold parent sets: "
            f"to score the table, run forebear score {source} -o {target}"
        )
    if holds is Kind.PARENT_SETS and wanted is Kind.TABLE:
        raise ForebearError(
            f"{source} holds parent sets, from which no table such as {target} can be made"
        )
