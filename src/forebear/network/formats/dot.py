"""DOT, the language of Graphviz, for drawing networks; only written, not read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forebear._util.textfiles import write_text
from forebear.network.formats.spelling import identifiers_of

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.network.network import Network

_LINE_END = re.compile(r"\r\n?|\n")


def to_dot(network: Network) -> str:
    """Write a network in DOT: one identifier per variable, with its name as the label."""
    nodes = identifiers_of(network.names)
    # Quoted, because an identifier may be a keyword of DOT, such as node.
    labels = zip(nodes, network.names, strict=True)
    lines = [f'  "{node}" [label="{_label(name)}"];' for node, name in labels]
    lines += [f'  "{nodes[p]}" -> "{nodes[v]}";' for p, v in network.arcs]
    return "\n".join(["digraph network {", *lines, "}", ""])


def write_dot(network: Network, path: Path | str) -> None:
    """Write a network as a DOT file, gzipped when the name ends in ``.gz``."""
    write_text(to_dot(network), path)


def _label(name: str) -> str:
    """Escape a name for Graphviz."""
    return _LINE_END.sub(r"\\n", name.replace("\\", "\\\\").replace('"', '\\"'))
