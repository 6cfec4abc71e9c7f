"""Files for programs that draw graphs: DOT for Graphviz, and GraphML for Gephi, yEd, igraph,
Cytoscape and networkx. They are only written, not read.

Every variable gets an identifier, and its name is the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from forebear._util.text_files import write_text
from forebear.network.formats.spelling import identifiers_of, xml_escaped
from forebear.network.network import Network

_GRAPHML_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="compelled" for="edge" attr.name="compelled" attr.type="boolean"/>
  <graph id="network" edgedefault="directed">
"""


def write_dot(network: Network, path: Path | str) -> None:
    """Write a network as a DOT file, gzipped when the name ends in ``.gz``."""
    nodes = identifiers_of(network.names)
    # Quoted, because an identifier may be a keyword of DOT, such as node.
    labels = zip(nodes, network.names, strict=True)
    lines = [f'  "{node}" [label="{_dot_label(name)}"];' for node, name in labels]
    lines += [f'  "{nodes[p]}" -> "{nodes[v]}";' for p, v in network.arcs]
    write_text("\n".join(["digraph network {", *lines, "}", ""]), path)


def write_graphml(network: Network, path: Path | str) -> None:
    """Write a network as GraphML, gzipped when the name ends in ``.gz``.

    Edges have the attribute ``compelled``: whether they have the same direction
    in every equivalent network.
    """
    write_text("".join(_graphml_lines(network)), path)


def _dot_label(name: str) -> str:
    return re.sub(r"\r\n?|\n", r"\\n", name.replace("\\", "\\\\").replace('"', '\\"'))


def _graphml_lines(network: Network) -> Iterator[str]:
    nodes = identifiers_of(network.names)
    yield _GRAPHML_HEAD
    for node, name in zip(nodes, network.names, strict=True):
        yield f'    <node id="{node}"><data key="label">{xml_escaped(name)}</data></node>\n'
    for p, v in network.arcs:
        compelled = str((p, v) in network.compelled).lower()
        yield f'    <edge source="{nodes[p]}" target="{nodes[v]}">'
        yield f'<data key="compelled">{compelled}</data></edge>\n'
    yield "  </graph>\n</graphml>\n"
