"""GraphML, for Gephi, yEd, igraph, Cytoscape and networkx; only written, not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.textfiles import write_text
from forebear.network.formats.spelling import identifiers_of, xml_escaped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from forebear.network.network import Network

_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="compelled" for="edge" attr.name="compelled" attr.type="boolean"/>
  <graph id="network" edgedefault="directed">
"""


def write_graphml(network: Network, path: Path | str) -> None:
    """Write a network as GraphML: one identifier per variable, with its name as the label.

    Edges have the attribute ``compelled``: whether they have the same direction
    in every equivalent network.
    """
    write_text("".join(_lines(network)), path)


def _lines(network: Network) -> Iterator[str]:
    nodes = identifiers_of(network.names)
    yield _HEAD
    for node, name in zip(nodes, network.names, strict=True):
        yield f'    <node id="{node}"><data key="label">{xml_escaped(name)}</data></node>\n'
    for p, v in network.arcs:
        compelled = str((p, v) in network.compelled).lower()
        yield f'    <edge source="{nodes[p]}" target="{nodes[v]}">'
        yield f'<data key="compelled">{compelled}</data></edge>\n'
    yield "  </graph>\n</graphml>\n"
