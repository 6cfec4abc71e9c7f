"""How the probabilities of arcs are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear._util.atomic import check_writable
from forebear._util.errors import FileError
from forebear._util.formats import Format
from forebear.network.files import STRUCTURE_ONLY, extensions_of, format_of

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.network.network import Network
    from forebear.uncertainty.averaging import Averages
    from forebear.uncertainty.probabilities import Probabilities

_COLUMNS = ("parent", "child", "probability", "either_direction")

FORMAT = Format("forebear probabilities", 1)
"""The format of the JSON that bootstrap and posterior write; forebear does not read it."""

LEAST_SHOWN = 0.01
"""Arcs below this probability are counted, not listed."""


def check_structure(path: Path) -> None:
    """Refuse, before any work, a format that needs probabilities of states."""
    if format_of(path).holds_probabilities:
        raise FileError(
            f"{path}: an averaged network has no probabilities of its states: write its "
            f"structure ({extensions_of(STRUCTURE_ONLY)}); forebear convert --data fits it"
        )
    check_writable(path)


def listed(averages: Probabilities, digits: int = 3) -> list[str]:
    """List the arcs, the most probable first, with this number of digits."""
    lines = ["probability  either way  arc"]
    shown = 0
    for parent, child, probability, either in averages.to_frame().select(_COLUMNS).iter_rows():
        if probability >= LEAST_SHOWN:
            shown += 1
            lines.append(f"{probability:11.{digits}f}  {either:10.{digits}f}  {parent} -> {child}")
    if left := len(averages.arcs) - shown:
        lines.append(f"and {left:,} below {LEAST_SHOWN:g}")
    return lines


def as_facts(averages: Averages, network: Network, threshold: float) -> dict[str, Any]:
    """Gather everything for JSON, by the names of the variables."""
    return {
        **FORMAT.marks,
        "networks": averages.n_networks,
        "requested": averages.requested,
        "stop_reason": averages.stop_reason,
        "effective": averages.effective,
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
