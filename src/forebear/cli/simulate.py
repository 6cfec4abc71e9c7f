"""``forebear simulate``: draw a table from a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from forebear._util.atomic import check_writable
from forebear._util.errors import FileError, ForebearError
from forebear.cli._support.inputs import Content, content_of, read_with_probabilities
from forebear.cli._support.options import DATA, OUTPUT, Option
from forebear.data.dataset import Dataset
from forebear.data.formats.table import split_extension
from forebear.data.writing import write_table
from forebear.network.file_formats import (
    FORMATS,
    WITH_PROBABILITIES,
    extensions_of,
    write_network,
)
from forebear.network.simulation import parse_states, simulate_from
from forebear.network.simulation import simulate as draw


def simulate(
    rows: Annotated[int, Option(DATA, "N", "Number of rows.")],
    output: Annotated[Path, "Write the table to this file."],
    variables: Annotated[int | None, Option(DATA, "N", "Number of variables.")] = None,
    max_parents: Annotated[
        int | None, Option(DATA, "N", "Maximum number of parents.  [default: 3]")
    ] = None,
    states: Annotated[
        str | None, Option(DATA, "N-M", "Range of the number of states.  [default: 2-4]")
    ] = None,
    seed: Annotated[int, Option(DATA, "N", "Random seed: the same seed gives the same files.")] = 0,
    network: Annotated[
        Path | None,
        Option(OUTPUT, "FILE", f"Also write the random network: {extensions_of(FORMATS)}."),
    ] = None,
    source: Annotated[
        str | None,
        Option(
            DATA,
            "FILE",
            f"Draw from this network: {extensions_of(WITH_PROBABILITIES)}.",
            ("--from",),
        ),
    ] = None,
    quiet: bool = False,
) -> None:
    """Draw a table from a random network, or from your own.

    \b
    Examples:
      forebear simulate --variables 50 --rows 5000 -o data.csv --network true.bif
      forebear simulate --from example:orchard.bif --rows 500 --seed 7 -o orchard.csv
    """
    _check_targets(output, network)
    if source is not None:
        given = {"--variables": variables, "--max-parents": max_parents, "--states": states}
        _check_only_from({**given, "--network": network})
        table = simulate_from(read_with_probabilities(source), rows, seed=seed)
    else:
        if variables is None:
            raise ForebearError("pass --variables for a random network, or --from for your own")
        shape: dict[str, Any] = {} if max_parents is None else {"max_parents": max_parents}
        if states is not None:
            shape["states"] = parse_states(states)
        fitted, table = draw(variables, rows, seed=seed, **shape)
        if network is not None:
            write_network(fitted, network)
    write_table(table, output)
    if not quiet:
        print(_summary(table, output, network))


def _check_targets(output: Path, network: Path | None) -> None:
    split_extension(output, written=True)
    check_writable(output)
    if network is not None:
        if content_of(network) is not Content.NETWORK:
            raise FileError(
                f"{network}: the extension of a network must be one of {extensions_of()}"
            )
        check_writable(network)


def _check_only_from(others: dict[str, object]) -> None:
    """Reject options about random networks together with ``--from``."""
    given = [option for option, value in others.items() if value is not None]
    if given:
        raise ForebearError(f"--from draws from a given network: leave out {' and '.join(given)}")


def _summary(table: Dataset, output: Path, network: Path | None) -> str:
    drawn = f"{output}: {table.n_variables:,} variables, {table.n_rows:,} rows"
    truth = f"; drawn from {network}" if network else ""
    return f"{drawn}{truth}\nNext: forebear learn {output} --report {output.stem}.html"
