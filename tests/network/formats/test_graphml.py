"""GraphML files, as networkx reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fitted import arcs_by_name, nasty_network

from forebear import Network, write_network

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("network", "compelled"),
    [
        (Network(tuple("abcd"), ((), (), (0, 1), ())), {True}),
        (Network(tuple("ab"), ((), (0,))), {False}),
        (nasty_network().network, {False}),
    ],
)
def test_networkx_reads_names_and_compelled_arcs(
    network: Network, compelled: set[bool], tmp_path: Path
) -> None:
    networkx = pytest.importorskip("networkx")
    write_network(network, tmp_path / "net.graphml")
    graph = networkx.read_graphml(tmp_path / "net.graphml")
    labels = networkx.get_node_attributes(graph, "label")
    assert tuple(labels.values()) == network.names
    assert {(labels[a], labels[b]) for a, b in graph.edges} == arcs_by_name(network)
    assert set(networkx.get_edge_attributes(graph, "compelled").values()) == compelled
