"""``forebear simulate``: draw a table from a known network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forebear._util.atomic import check_writable
from forebear._util.errors import FileError, ForebearError
from forebear.cli._support.kinds import Kind, kind_of
from forebear.cli._support.networks import fitted_from
from forebear.cli._support.options import QuietOption
from forebear.data.formats.table import split_extension
from forebear.data.writing import write_table
from forebear.network.files import (
    FORMATS,
    WITH_PROBABILITIES,
    extensions_of,
    write_network,
)
from forebear.network.simulation import parse_states, simulate_from
from forebear.network.simulation import simulate as draw

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset

DEFAULT_MAX_PARENTS = 3
DEFAULT_STATES = "2-4"


def simulate(
    rows: Annotated[int, typer.Option(metavar="N", help="Number of rows.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The table to write.")
    ],
    variables: Annotated[int | None, typer.Option(metavar="N", help="Number of variables.")] = None,
    max_parents: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"Largest parent set.  [default: {DEFAULT_MAX_PARENTS}]"),
    ] = None,
    states: Annotated[
        str | None,
        typer.Option(
            metavar="N-M", help=f"Number of states, from and to.  [default: {DEFAULT_STATES}]"
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Random seed: the same seed gives the same files.")
    ] = 0,
    network: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=f"Also write the random network: {extensions_of(FORMATS)}."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help=f"Draw from this network: {extensions_of(WITH_PROBABILITIES)}.",
        ),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Draw a table from a random network, or from your own.

    \b
    Examples:
      forebear simulate --variables 50 --rows 5000 -o data.csv --network true.bif
      forebear simulate --from example:orchard.bif --rows 500 --seed 7 -o orchard.csv
    """
    _check_targets(output, network)
    if source is not None:
        shape = {"--variables": variables, "--max-parents": max_parents, "--states": states}
        _check_only_from({**shape, "--network": network})
        table = simulate_from(fitted_from(source), rows, seed=seed)
    else:
        if variables is None:
            raise ForebearError("pass --variables for a random network, or --from for your own")
        fitted, table = draw(
            variables,
            rows,
            max_parents=DEFAULT_MAX_PARENTS if max_parents is None else max_parents,
            states=parse_states(states or DEFAULT_STATES),
            seed=seed,
        )
        if network is not None:
            write_network(fitted, network)
    write_table(table, output)
    if not quiet:
        print(_summary(table, output, network))


def _check_targets(output: Path, network: Path | None) -> None:
    split_extension(output, written=True)
    check_writable(output)
    if network is not None:
        if kind_of(network) is not Kind.NETWORK:
            raise FileError(f"{network}: a network is written as {extensions_of()}")
        check_writable(network)


def _check_only_from(others: dict[str, object]) -> None:
    """Refuse options about the shape of a random network: ``--from`` has its own."""
    given = [option for option, value in others.items() if value is not None]
    if given:
        raise ForebearError(f"--from draws from a given network: leave {' and '.join(given)} out")


def _summary(table: Dataset, output: Path, network: Path | None) -> str:
    drawn = f"{output}: {table.n_variables:,} variables, {table.n_rows:,} rows"
    truth = f"; drawn from {network}" if network else ""
    return f"{drawn}{truth}\nNext: forebear score {output} -o {output.with_suffix('.cps')}"
