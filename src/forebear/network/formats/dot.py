"""DOT files for Graphviz, which are only written.

Every variable gets an identifier, and its name is the label.
"""

from __future__ import annotations

import re
from pathlib import Path

from forebear._util.text_files import write_text
from forebear.network.formats.spelling import identifiers_of
from forebear.network.network import Network


def write_dot(network: Network, path: Path | str) -> None:
    """Write a network as a DOT file, gzipped when the name ends in ``.gz``."""
    nodes = identifiers_of(network.names)
    # Quoted, because an identifier may be a keyword of DOT, such as node.
    labels = zip(nodes, network.names, strict=True)
    lines = [f'  "{node}" [label="{_label(name)}"];' for node, name in labels]
    lines += [f'  "{nodes[p]}" -> "{nodes[v]}";' for p, v in network.arcs]
    write_text("\n".join(["digraph network {", *lines, "}", ""]), path)


def _label(name: str) -> str:
    return re.sub(r"\r\n?|\n", r"\\n", name.replace("\\", "\\\\").replace('"', '\\"'))
