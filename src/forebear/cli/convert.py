"""``forebear convert``: convert a file to another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from forebear._util.atomic import check_writable
from forebear._util.errors import FileError, ForebearError
from forebear.cli._support.inputs import Content, content_of, content_of_input, resolve_table
from forebear.cli._support.option_groups import TableOptions
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
from forebear.network.fit_network import fit_network
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import as_network
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.parent_set_files import check_target


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A network, a result, parent sets or a table.")
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write; its extension determines the format. Networks: "
            f"{extensions_of(FORMATS)}.",
        ),
    ],
    data: Annotated[
        str | None,
        Option(DATA, "TABLE", "Fit the probabilities of a network to this table."),
    ] = None,
    smoothing: str = "auto",
    ess: Annotated[float | None, "Fit with a BDeu prior of this equivalent sample size."] = None,
    names: str = "original",
    *,
    table_options: TableOptions,
    ids: bool = False,
    quiet: bool = False,
) -> None:
    """Convert a network, parent sets or a table to another format.

    Networks are also read from results, and from .csv files that list arcs or
    hold an adjacency matrix. Parent sets are .cps, .jkl or .jkl.gz; tables .csv,
    .tsv, .txt, .parquet, .arrow, .feather, .ipc, .dat or .data, and .xlsx (read only).
    All but .cps may end in .gz.

    A .jkl file keeps the sets and their scores, but not their provenance.

    \b
    Examples:
      forebear convert orchard.json orchard.dot
      forebear convert orchard.json orchard.net --data example:orchard
      forebear convert orchard.cps orchard.jkl --ids
      forebear convert example:survey survey.parquet --drop id --discretize quantile --bins 4
    """
    read = table_options.as_read_options()
    kind = _check_kinds(source, target)
    if kind is not Content.NETWORK and (data is not None or ess is not None):
        raise ForebearError("--data and --ess require a network: they fit its probabilities")
    if kind is not Content.PARENT_SETS and ids:
        raise ForebearError(f"--ids requires a .jkl file, got {target}")
    check_writable(target)
    if kind is Content.NETWORK:
        fit = {"smoothing": smoothing, "ess": ess, "read": read}
        what = _convert_network(source, target, data, fit, names)
    elif kind is Content.PARENT_SETS:
        check_target(target, ids=ids)
        sets = ParentSets.load(source)
        sets.save(target, ids=ids)
        what = f"{sets.n_variables:,} variables, {len(sets):,} parent sets"
    else:
        table = as_dataset(resolve_table(source), read)
        write_table(table, target)
        what = f"{table.n_variables:,} variables, {table.n_rows:,} rows"
    if not quiet:
        print(f"{target}: {what}")


def _check_kinds(source: str, target: Path) -> Content:
    """Return the common content of both files; for other pairs, name the right command."""
    holds, target_holds = content_of_input(resolve_example(source)), content_of(target)
    if holds in (Content.NETWORK, Content.RESULT) and target_holds is not Content.RESULT:
        format_of(target)  # rejects what is not a network
        return Content.NETWORK
    if holds is target_holds and holds in (Content.TABLE, Content.PARENT_SETS):
        return holds
    hints = {
        (Content.TABLE, Content.PARENT_SETS): f": run forebear score {source} -o {target}",
        (Content.TABLE, Content.NETWORK): f": run forebear learn {source} -o {target}",
        (Content.PARENT_SETS, Content.NETWORK): ": run forebear search "
        f"{source} -o {Path(source).with_suffix('.json')}",
        (Content.DRAWS, Content.NETWORK): f": run forebear posterior {source} -o {target}",
    }
    raise ForebearError(
        f"{source} holds {holds.value}, which cannot be converted to {target_holds.value}"
        f"{hints.get((holds, target_holds), '')}"
    )


def _convert_network(
    source: str, target: Path, data: str | None, fit: dict[str, Any], names: Any
) -> str:
    network: AnyNetwork = read_any_network(source)
    form = format_of(target)
    if data is not None and not form.holds_probabilities:
        raise ForebearError(f"{target} holds no probabilities, so --data has no effect")
    if data is None and fit["ess"] is not None:
        raise ForebearError("--ess has no effect without --data")
    if data is not None:
        network = fit_network(network, resolve_table(data), **fit)
    elif form.holds_probabilities and not isinstance(network, FittedNetwork):
        raise FileError(
            f"{target}: a {form.name} file requires probabilities, but {source} has none: pass "
            "--data TABLE to fit them, or write the structure only "
            f"({extensions_of(STRUCTURE_ONLY)})"
        )
    write_network(network, target, names=names)
    structure = as_network(network)
    return f"{structure.n_variables:,} variables, {len(structure.arcs):,} arcs"
