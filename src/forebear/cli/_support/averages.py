"""Write and print the probabilities of arcs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError
from forebear._util.file_kinds import Format
from forebear._util.text import counted
from forebear.network.averages import Averages, Probabilities
from forebear.network.file_formats import (
    STRUCTURE_ONLY,
    extensions_of,
    format_of,
    is_network,
    write_network,
)
from forebear.network.network import Network

_COLUMNS = ("parent", "child", "probability", "either_direction")

FORMAT = Format("forebear probabilities", 1)
"""The format of the JSON that bootstrap and posterior write; forebear does not read it."""


def check_average(path: Path, others: str = "") -> None:
    """Reject a file that cannot be written, before any work; ``others`` names further formats."""
    extensions = extensions_of(STRUCTURE_ONLY)
    if is_network(path):
        if format_of(path).holds_probabilities:
            raise FileError(
                f"{path}: an averaged network has no probability tables: write its structure "
                f"({extensions}), and add them with forebear convert --data"
            )
    elif path.suffix.lower() not in (".csv", ".json"):
        raise FileError(
            f"{path}: {others}probabilities are written to .csv or .json files, the averaged "
            f"network to {extensions}"
        )
    check_writable(path)


def write_average(
    averages: Probabilities, network: Network, facts: dict[str, Any], path: Path
) -> None:
    """Write the network, a table of arcs, or everything as JSON, by extension."""
    if is_network(path):
        write_network(network, path)
        return
    with atomic_path(path) as draft:
        if path.suffix.lower() == ".csv":
            averages.to_frame().write_csv(draft)
        else:
            draft.write_text(json.dumps(facts, ensure_ascii=False) + "\n", "utf-8")


def show_average(averages: Probabilities, written: list[Path], digits: int = 3) -> None:
    """Print the files that were written; if there are none, the arcs, most probable first."""
    if written:
        print(f"Written to {', '.join(map(str, written))}")
        return
    lines = ["", "probability  either way  arc"]
    for parent, child, probability, either in averages.to_frame().select(_COLUMNS).iter_rows():
        if probability >= 0.01:
            lines.append(f"{probability:11.{digits}f}  {either:10.{digits}f}  {parent} -> {child}")
    if left := len(averages.arcs) - len(lines) + 2:
        lines.append(f"and {left:,} below 0.01")
    print("\n".join(lines))


def edges_above(network: Network, threshold: float) -> str:
    """Return the number of edges of an averaged network, as text."""
    return f"{counted(len(network.arcs), 'edge')} with a probability of at least {threshold:g}"


def as_facts(averages: Averages, network: Network, threshold: float) -> dict[str, Any]:
    """Return everything for JSON, with the names of the variables."""
    return {
        **FORMAT.marks,
        "networks": averages.n_networks,
        "requested": averages.requested,
        "stop_reason": averages.stop_reason,
        "threshold": threshold,
        "arcs": named_pairs(averages.names, averages.arcs),
        "edges": named_pairs(averages.names, averages.edges),
        "blankets": named_pairs(averages.names, averages.blankets),
        "averaged": [list(arc) for arc in network.arc_names],
    }


def named_pairs(names: tuple[str, ...], pairs: Any, digits: int | None = None) -> list[list[Any]]:
    """List pairs of variables by name with their probabilities, the most probable first."""
    ranked = sorted(pairs.items(), key=lambda one: (-one[1], one[0]))
    return [
        [names[u], names[v], share if digits is None else round(share, digits)]
        for (u, v), share in ranked
    ]
