"""DOT, the language of Graphviz: networks to be drawn. Written, not read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forebear._util.textfiles import write_text
from forebear.network.formats.identifiers import identifiers_of

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.network.network import Network

_LINE_END = re.compile(r"\r\n?|\n")


def to_dot(network: Network) -> str:
    """Spell a network in DOT: an identifier a variable, its name in the label."""
    nodes = identifiers_of(network.names)
    # Quoted, for an identifier may be one of DOT's own words, such as node.
    labels = zip(nodes, network.names, strict=True)
    lines = [f'  "{node}" [label="{_label(name)}"];' for node, name in labels]
    lines += [f'  "{nodes[p]}" -> "{nodes[v]}";' for p, v in network.arcs]
    return "\n".join(["digraph network {", *lines, "}", ""])


def write_dot(network: Network, path: Path | str) -> None:
    """Write a network as a DOT file, gzipped when the name ends in ``.gz``."""
    write_text(to_dot(network), path)


def _label(name: str) -> str:
    """Spell a name as Graphviz shows it: a backslash starts an escape there."""
    return _LINE_END.sub(r"\\n", name.replace("\\", "\\\\").replace('"', '\\"'))
