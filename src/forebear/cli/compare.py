"""``forebear compare``: compare a learned network with the true one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forebear._util.atomic import check_writable
from forebear.cli._support.options import OUTPUT, Option
from forebear.cli._support.printing import print_json, show_facts
from forebear.network.comparison import compare_networks
from forebear.network.drawing.picture_files import check_picture, write_picture
from forebear.network.drawing.svg import differences_svg
from forebear.network.file_formats import READABLE, RESULT, extensions_of, read_network
from forebear.result.report.wording import fact_rows


def compare(
    learned: Annotated[
        str,
        typer.Argument(
            metavar="LEARNED", help=f"A result ({RESULT}) or a network ({extensions_of(READABLE)})."
        ),
    ],
    true: Annotated[str, typer.Argument(metavar="TRUE", help="The true network.")],
    json_: bool = False,
    output: Annotated[
        Path | None,
        Option(
            OUTPUT,
            "FILE",
            "Draw both networks in one picture (.svg, .png or .pdf).",
            ("--output", "-o", "--picture"),
        ),
    ] = None,
) -> None:
    """Compare a learned network with the true one.

    Variables are matched by name. SHD, the structural Hamming distance, counts
    arcs to add, remove or reverse; between CPDAGs it ignores directions that no
    data can determine. The skeleton is the network without directions. BSF, the
    balanced scoring function, is 1 for the true network and 0 for the empty one.

    \b
    Examples:
      forebear compare orchard.json example:orchard.bif
      forebear compare orchard.json example:orchard.bif -o differences.svg
    """
    if output is not None:
        check_picture(output)
        check_writable(output)
    network = read_network(learned)
    comparison = compare_networks(network, read_network(true))
    if output is not None:
        title = f"{learned} compared with {true}"
        write_picture(differences_svg(network, comparison, title=title), output)
    facts = {"learned": learned, "true": true, **comparison.to_dict()}
    if json_:
        print_json(facts)
        return
    show_facts(fact_rows(facts))
    if output is not None:
        print(f"Written to {output}")
