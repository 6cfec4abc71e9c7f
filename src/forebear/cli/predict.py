"""``forebear predict``: predict a variable for every row of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from forebear._util.atomic import check_writable
from forebear._util.text import counted
from forebear.cli._support.networks import FittedArgument, fitted_from
from forebear.cli._support.options import JsonOption, QuietOption, located_table
from forebear.cli._support.outcome import print_json
from forebear.cli._support.reading import reads_table
from forebear.data.reading import ReadOptions
from forebear.data.writing import check_frame_path, write_frame
from forebear.network.prediction import Prediction


@reads_table
def predict(
    network: FittedArgument,
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="The rows; - is CSV on standard input.")
    ],
    target: Annotated[str, typer.Option(metavar="NAME", help="The variable to predict.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write the predictions, row by row."
        ),
    ],
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Write the probability of every state, too.")
    ] = False,
    *,
    read: ReadOptions,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Predict a variable for every row of a table.

    Columns are matched with the variables by name. Missing values and missing
    columns are summed out exactly. Numbers are put into the intervals that the
    network has as states.

    \b
    Examples:
      forebear predict example:orchard.bif example:orchard --target price -o prices.csv
      forebear predict survey.bif example:survey --target health --drop id -o health.parquet
    """
    check_frame_path(output)
    check_writable(output)
    source = located_table(table)
    fitted = fitted_from(network)
    v = fitted.network.index(target)
    found = fitted.predict(source, v, probabilities=True, read=read)
    states = fitted.states[v]
    write_frame(_frame(target, states, found, probabilities=probabilities), output)
    counts = {state: int(np.sum(found.labels == state)) for state in states}
    if json_:
        print_json({"target": target, "rows": len(found.labels), "predicted": counts})
    elif not quiet:
        shown = ", ".join(f"{state} {count:,}" for state, count in counts.items())
        print(f"{output}: {target} of {counted(len(found.labels), 'row')}: {shown}")


def _frame(
    target: str, states: tuple[str, ...], found: Prediction, *, probabilities: bool
) -> pl.DataFrame:
    labels = pl.Series(target, found.labels.tolist(), dtype=pl.Enum(states))
    if not probabilities:
        return pl.DataFrame([labels])
    columns = zip(states, found.probabilities.T, strict=True)
    shares = [pl.Series(f"P({target}={s})", p).fill_nan(None) for s, p in columns]
    return pl.DataFrame([labels, *shares])
