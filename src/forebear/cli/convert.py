"""``forebear convert``: convert a file to another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from forebear._util.atomic import check_writable
from forebear._util.errors import FileError, ForebearError
from forebear.cli._support.inputs import (
    Content,
    TableOptions,
    content_of,
    content_of_input,
    located_table,
)
from forebear.cli._support.options import DATA, Option
from forebear.data.dataset import as_dataset
from forebear.data.examples import resolve_example
from forebear.data.writing import write_table
from forebear.network.file_formats import (
    FORMATS,
    STRUCTURE_ONLY,
    AnyNetwork,
    extensions_of,
    format_of,
    read_any_network,
    write_network,
)
from forebear.network.fitted import FittedNetwork
from forebear.network.fitting import fit_network
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.set_files import check_target
from forebear.posterior.draws_file import EXTENSION


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A network, a result, parent sets or a table.")
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help=f"The file to write, by extension. Networks: {extensions_of(FORMATS)}.",
        ),
    ],
    data: Annotated[
        str | None,
        Option(DATA, "TABLE", "Fit the probabilities of a network to this table."),
    ] = None,
    smoothing: str = "auto",
    ess: Annotated[float | None, "Fit by the BDeu prior of this equivalent sample size."] = None,
    *,
    table_options: TableOptions,
    ids: bool = False,
    quiet: bool = False,
) -> None:
    """Convert a network, parent sets or a table to another format.

    Networks are also read from results, and from .csv files that list arcs or
    hold an adjacency matrix. Parent sets are .cps, .jkl or .jkl.gz; tables .csv,
    .tsv, .txt, .parquet, .arrow, .feather, .ipc, .dat or .data, and .xlsx to read.
    All but .cps may end in .gz.

    A .jkl file keeps the sets and their scores, but not what they were made from.

    \b
    Examples:
      forebear convert orchard.json orchard.dot
      forebear convert orchard.json orchard.net --data example:orchard
      forebear convert orchard.cps orchard.jkl --ids
      forebear convert example:survey survey.parquet --drop id --discretize quantile --bins 4
    """
    _check_kinds(source, target)
    read = table_options.as_read_options()
    if content_of(target) is Content.NETWORK:
        check_writable(target)
        _check_data(target, data, ess)
        _refuse_ids(target, ids)
        fit = {"smoothing": smoothing, "ess": ess, "read": read}
        what = _convert_network(source, target, data, fit)
    elif data is not None or ess is not None:
        raise ForebearError("--data and --ess are for networks, to fit their probabilities")
    elif content_of(target) is Content.PARENT_SETS:
        what = _convert_parent_sets(source, target, ids)
    else:
        _refuse_ids(target, ids)
        check_writable(target)
        table = as_dataset(located_table(source), read)
        write_table(table, target)
        what = f"{table.n_variables:,} variables, {table.n_rows:,} rows"
    if not quiet:
        print(f"{target}: {what}")


def _convert_network(source: str, target: Path, data: str | None, fit: dict[str, Any]) -> str:
    network: AnyNetwork = read_any_network(source)
    form = format_of(target)
    if data is not None:
        structure = network.network if isinstance(network, FittedNetwork) else network
        network = fit_network(structure, located_table(data), **fit)
    elif form.holds_probabilities and not isinstance(network, FittedNetwork):
        raise FileError(
            f"{target}: a {form.name} file holds probabilities, and {source} has none: give the "
            "table to fit them to with --data, or write the structure only: "
            f"{extensions_of(STRUCTURE_ONLY)}"
        )
    write_network(network, target)
    structure = network.network if isinstance(network, FittedNetwork) else network
    return f"{structure.n_variables:,} variables, {len(structure.arcs):,} arcs"


def _convert_parent_sets(source: str, target: Path, ids: bool) -> str:
    check_target(target, ids=ids)
    sets = ParentSets.load(source)
    sets.save(target, ids=ids)
    return f"{sets.n_variables:,} variables, {len(sets):,} parent sets"


def _check_data(target: Path, data: str | None, ess: float | None) -> None:
    if data is not None and not format_of(target).holds_probabilities:
        raise ForebearError(f"{target} holds no probabilities, so --data is of no use to it")
    if data is None and ess is not None:
        raise ForebearError("--ess is of no use without --data, the table to fit to")


def _refuse_ids(target: Path, ids: bool) -> None:
    if ids:
        raise ForebearError(f"--ids is for .jkl files, which {target} is not")


def _check_kinds(source: str, target: Path) -> None:
    holds = content_of_input(resolve_example(source))
    wanted = content_of(target)
    if wanted is Content.RESULT:
        raise ForebearError(
            f"{target} would be the result of a search: run forebear search -o {target}"
        )
    if Content.DRAWS in (holds, wanted):
        raise ForebearError(
            f"draws are not converted: forebear posterior reads {EXTENSION} files, and writes the "
            "consensus network"
        )
    if holds in (Content.NETWORK, Content.RESULT):
        # Refuses what is no network, with a word about CSV where that was meant.
        format_of(target)
    elif holds is Content.TABLE and wanted is Content.PARENT_SETS:
        raise ForebearError(
            f"{source} holds a table and {target} would hold parent sets: "
            f"to score the table, run forebear score {source} -o {target}"
        )
    elif holds is Content.PARENT_SETS and wanted is Content.TABLE:
        raise ForebearError(
            f"{source} holds parent sets, from which no table such as {target} can be made"
        )
    elif holds is Content.PARENT_SETS and wanted is Content.NETWORK:
        raise ForebearError(
            f"{source} holds parent sets: to find a network among them, run forebear search "
            f"{source} -o {Path(source).with_suffix('.json')}"
        )
