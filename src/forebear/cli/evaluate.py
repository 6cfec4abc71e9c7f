"""``forebear evaluate``: score a network on a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from forebear._util.atomic import check_writable
from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.inputs import resolve_table
from forebear.cli._support.option_groups import TableOptions
from forebear.cli._support.options import DATA, Option
from forebear.cli._support.printing import print_json, show_facts
from forebear.data.coding import Unseen
from forebear.data.matching import rows_as, table_as
from forebear.data.writing import check_frame_path, write_frame
from forebear.network.file_formats import READABLE, RESULT, extensions_of, read_any_network
from forebear.network.fitted_network import FittedNetwork
from forebear.result.report.wording import score_name
from forebear.scoring.network_score import score_network
from forebear.scoring.scores import as_score


def evaluate(
    network: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK", help=f"A network ({extensions_of(READABLE)}) or a result ({RESULT})."
        ),
    ],
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="The rows; - reads CSV from standard input."),
    ],
    score: str | None = None,
    ess: str | None = None,
    alpha: float | None = None,
    prior: str | None = None,
    unseen: Annotated[
        Unseen,
        Option(
            DATA,
            None,
            "How to treat states that the network lacks: error, or missing (not observed).",
        ),
    ] = "error",
    output: Annotated[
        Path | None, "Write the log-likelihood of every row to this file (.csv, .parquet, ...)."
    ] = None,
    *,
    table_options: TableOptions,
    json_: bool = False,
) -> None:
    """Score a network on a table.

    The score depends on the structure and the table only. The log-likelihood, in
    nats, requires a network with probabilities. If states of
    the network are intervals, numbers and dates in the table are assigned to them.

    \b
    Examples:
      forebear evaluate example:orchard.bif example:orchard
      forebear evaluate example:orchard.bif example:orchard --score bic -o rows.csv
    """
    chosen = as_score(score, ess=ess, alpha=alpha, prior=prior)
    if output is not None:
        check_frame_path(output)
        check_writable(output)
    found = read_any_network(network)
    source, read = resolve_table(table), table_options.as_read_options()
    about: dict[str, Any] = {"network": network, "table": table, "score_name": chosen.name}
    about |= {"score_parameters": chosen.parameters, "prior": chosen.prior}
    if isinstance(found, FittedNetwork):
        rows = rows_as(source, found.coding, read, unseen)
        total = found.log_likelihood(rows)
        per_row = total / (rows.n_rows / rows.copies)
        likelihoods = {"log_likelihood": total, "log_likelihood_per_row": per_row}
        parameters, structure = found.n_parameters, found.network
        if output is not None:
            write_frame(pl.DataFrame({"log_likelihood": found.log_likelihoods(rows)}), output)
    else:
        if output is not None:
            raise ForebearError(
                Parameter("output"),
                f" requires probabilities, but {network} has none: add them "
                f"with forebear convert {network} network.bif --data TABLE",
            )
        experiments = found.row_sets is not None
        rows = table_as(source, found.coding, read, unseen, experiments=experiments)
        structure, likelihoods = found, {}
        sizes = [len(rows.states[rows.names.index(name)]) for name in structure.names]
        parameters = sum(
            (sizes[v] - 1) * math.prod(sizes[p] for p in family)
            for v, family in enumerate(structure.parents)
        )
    about |= {"rows": rows.n_rows // rows.copies, "score": score_network(structure, rows, chosen)}
    about |= {**likelihoods, "parameters": parameters, "arcs": len(structure.arcs)}
    if json_:
        print_json(about)
        return
    about["score_name"] = score_name(chosen.provenance)
    for name in ("score_parameters", "prior"):  # both are part of the name
        del about[name]
    show_facts([(name.replace("_", " "), _shown(value)) for name, value in about.items()])
    if output is not None:
        print(f"Written to {output}")


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
