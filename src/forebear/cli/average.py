"""``forebear average``: how probable the arcs of a result are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear._util.atomic import check_writable
from forebear._util.errors import FileError, ForebearError
from forebear.cli._support.options import JsonOption
from forebear.cli._support.outcome import print_json
from forebear.cli._support.show import show_facts
from forebear.network.files import STRUCTURE_ONLY, extensions_of, format_of, write_network
from forebear.parentsets.collection import ParentSets
from forebear.result import Result
from forebear.uncertainty.averaging import DEFAULT_THRESHOLD, arc_probabilities, averaged_network
from forebear.uncertainty.orders import order_probabilities

if TYPE_CHECKING:
    from forebear.network.network import Network
    from forebear.uncertainty.averaging import Averages

LEAST_SHOWN = 0.01
"""Arcs below this probability are counted, not listed."""


def average(
    file: Annotated[Path, typer.Argument(metavar="RESULT", help="A result (.json).")],
    sets: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The parent sets of the search (.cps, .jkl): average over orders."
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(metavar="P", help="Edges of the averaged network have this probability."),
    ] = DEFAULT_THRESHOLD,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="NETWORK",
            help=f"Write the averaged network: {extensions_of(STRUCTURE_ONLY)}.",
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Show how probable the arcs of a result are.

    A result keeps up to 100 of the best networks that the search met. They are
    averaged with weights exp(score). With --sets, all networks that their orders
    allow are averaged: this takes longer, and probabilities are less extreme.

    \b
    Examples:
      forebear average orchard.json
      forebear average orchard.json --sets orchard.cps
      forebear average orchard.json --threshold 0.8 -o sure.edges.csv
    """
    if output is not None:
        check_structure(output)
    result = Result.load(file)
    try:
        averages = (
            arc_probabilities(result)
            if sets is None
            else order_probabilities(result, ParentSets.load(sets))
        )
    except FileError:
        raise
    except ForebearError as error:
        raise FileError(f"{file}: {error}") from error
    network = averaged_network(averages, threshold)
    if output is not None:
        write_network(network, output)
    if json_:
        print_json(as_facts(averages, network, threshold))
        return
    show_facts(about(averages, network, threshold, "networks" if sets is None else "orders"))
    print()
    print("\n".join(listed(averages)))
    if output is not None:
        print(f"Written to {output}")


def check_structure(path: Path) -> None:
    """Refuse, before any work, a format that needs probabilities of states."""
    if format_of(path).holds_probabilities:
        raise FileError(
            f"{path}: an averaged network has no probabilities of its states: write its "
            f"structure ({extensions_of(STRUCTURE_ONLY)}); forebear convert --data fits it"
        )
    check_writable(path)


def about(
    averages: Averages, network: Network, threshold: float, kind: str = "networks"
) -> list[tuple[str, str]]:
    """List what was averaged, and the result."""
    return [
        (kind, f"{averages.n_networks:,}, worth {averages.effective:.1f} of equal weight"),
        ("averaged", f"{len(network.arcs):,} edges of probability {threshold:g} or more"),
    ]


def listed(averages: Averages) -> list[str]:
    """List the arcs, the most probable first."""
    lines = ["probability  either way  arc"]
    shown = 0
    for parent, child, probability, either in averages.to_frame().iter_rows():
        if probability >= LEAST_SHOWN:
            shown += 1
            lines.append(f"{probability:11.3f}  {either:10.3f}  {parent} -> {child}")
    if left := len(averages.arcs) - shown:
        lines.append(f"and {left:,} below {LEAST_SHOWN:g}")
    return lines


def as_facts(averages: Averages, network: Network, threshold: float) -> dict[str, Any]:
    """Gather everything for JSON, by the names of the variables."""
    names = averages.names

    def pairs(kind: Any) -> list[list[Any]]:
        ranked = sorted(kind.items(), key=lambda one: (-one[1], one[0]))
        return [[names[u], names[v], probability] for (u, v), probability in ranked]

    return {
        "networks": averages.n_networks,
        "effective": averages.effective,
        "threshold": threshold,
        "arcs": pairs(averages.arcs),
        "edges": pairs(averages.edges),
        "blankets": pairs(averages.blankets),
        "averaged": [list(arc) for arc in network.arc_names],
    }
