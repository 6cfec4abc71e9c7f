"""``forebear predict``: predict a variable for every row of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from forebear._util.atomic import check_writable
from forebear._util.text import counted
from forebear.cli._support.inputs import FittedArgument, read_with_probabilities, resolve_table
from forebear.cli._support.option_groups import TableOptions
from forebear.cli._support.options import DATA, OUTPUT, Option
from forebear.cli._support.printing import print_json
from forebear.data.coding import Unseen
from forebear.data.writing import check_frame_path, write_frame
from forebear.network.distribution import Prediction


def predict(
    network: FittedArgument,
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="The rows to predict; - reads CSV from standard input."
        ),
    ],
    target: Annotated[str, Option(DATA, "NAME", "The variable to predict.")],
    output: Annotated[Path, "Write the predictions to this file, row by row."],
    probabilities: Annotated[
        bool, Option(OUTPUT, None, "Also write the probability of every state.")
    ] = False,
    unseen: Annotated[
        Unseen,
        Option(
            DATA,
            None,
            "How to treat states that the network lacks: error, or missing (not observed).",
        ),
    ] = "error",
    *,
    table_options: TableOptions,
    json_: bool = False,
    quiet: bool = False,
) -> None:
    """Predict a variable for every row of a table.

    Columns are matched with the variables by name. Missing values and missing
    columns are summed out exactly. If states of the network are intervals,
    numbers and dates in the table are assigned to them.

    \b
    Examples:
      forebear predict example:orchard.bif example:orchard --target price -o prices.csv
      forebear predict survey.bif example:survey --target health --drop id -o health.parquet
    """
    check_frame_path(output)
    check_writable(output)
    source = resolve_table(table)
    fitted = read_with_probabilities(network)
    v = fitted.network.index(target)
    read = table_options.as_read_options()
    prediction = fitted.predict(source, v, probabilities=True, read=read, unseen=unseen)
    states = fitted.states[v]
    write_frame(_frame(target, states, prediction, probabilities=probabilities), output)
    counts = {state: int(np.sum(prediction.labels == state)) for state in states}
    if json_:
        print_json({"target": target, "rows": len(prediction.labels), "predicted": counts})
    elif not quiet:
        shown = ", ".join(f"{state} {count:,}" for state, count in counts.items())
        print(f"{output}: {target} predicted for {counted(len(prediction.labels), 'row')}: {shown}")


def _frame(
    target: str, states: tuple[str, ...], prediction: Prediction, *, probabilities: bool
) -> pl.DataFrame:
    labels = pl.Series(target, prediction.labels.tolist(), dtype=pl.Enum(states))
    if not probabilities:
        return pl.DataFrame([labels])
    columns = zip(states, prediction.probabilities.T, strict=True)
    shares = [pl.Series(f"P({target}={s})", p).fill_nan(None) for s, p in columns]
    return pl.DataFrame([labels, *shares])
