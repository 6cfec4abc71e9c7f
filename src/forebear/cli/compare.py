"""``forebear compare``: compare a learned network with the true one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError
from forebear.cli._support.options import OUTPUT, Option
from forebear.cli._support.printing import print_json, show_facts
from forebear.network.comparison import compare_networks
from forebear.network.file_formats import READABLE, RESULT, extensions_of, read_network
from forebear.result.report.wording import fact_rows

if TYPE_CHECKING:
    from forebear.network.comparison import Comparison
    from forebear.network.network import Network


def compare(
    learned: Annotated[
        str,
        typer.Argument(
            metavar="LEARNED", help=f"A result ({RESULT}) or a network ({extensions_of(READABLE)})."
        ),
    ],
    true: Annotated[str, typer.Argument(metavar="TRUE", help="The true network.")],
    json_: bool = False,
    picture: Annotated[
        Path | None, Option(OUTPUT, "FILE", "Draw both networks in one picture (.svg).")
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
      forebear compare orchard.json example:orchard.bif --picture differences.svg
    """
    if picture is not None:
        if picture.suffix.lower() != ".svg":
            raise FileError(f"{picture}: a picture must be a .svg file")
        check_writable(picture)
    network = read_network(learned)
    comparison = compare_networks(network, read_network(true))
    if picture is not None:
        _draw(network, comparison, picture, title=f"{learned} compared with {true}")
    facts = {"learned": learned, "true": true, **comparison.to_dict()}
    if json_:
        print_json(facts)
        return
    show_facts(fact_rows(facts))
    if picture is not None:
        print(f"Written to {picture}")


def _draw(learned: Network, comparison: Comparison, picture: Path, *, title: str) -> None:
    from forebear.network.drawing.svg import differences_svg

    with atomic_path(picture) as draft:
        draft.write_text(differences_svg(learned, comparison, title=title), encoding="utf-8")
