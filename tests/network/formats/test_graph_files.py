"""DOT files, as written and as pydot reads them, and GraphML files, as networkx reads them."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from fitted import arcs_by_name, nasty_network

from forebear import Network, write_network


def test_names_are_labels_in_dot(tmp_path: Path) -> None:
    network = Network(('say "hi"', "a\\nb", "two\nlines", "node"), ((), (0,), (0, 1), ()))
    write_network(network, tmp_path / "net.dot")
    assert (tmp_path / "net.dot").read_text().splitlines() == [
        "digraph network {",
        r'  "say_hi" [label="say \"hi\""];',
        r'  "a_nb" [label="a\\nb"];',
        r'  "two_lines" [label="two\nlines"];',
        r'  "node" [label="node"];',
        '  "say_hi" -> "a_nb";',
        '  "say_hi" -> "two_lines";',
        '  "a_nb" -> "two_lines";',
        "}",
    ]


def test_pydot_reads_it(tmp_path: Path) -> None:
    pydot = pytest.importorskip("pydot")
    network = nasty_network().network
    write_network(network, tmp_path / "net.dot")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of its parser
        (graph,) = pydot.graph_from_dot_file(str(tmp_path / "net.dot"), encoding="utf-8")
    assert len(graph.get_nodes()) == network.n_variables
    labels = [node.get("label") for node in graph.get_nodes()]
    assert labels[:3] == ['"wine colour"', r'"say \"hi\""', r'"back\\slash"']
    assert len(graph.get_edges()) == len(network.arcs)


@pytest.mark.parametrize(
    ("network", "compelled"),
    [
        (Network(tuple("abcd"), ((), (), (0, 1), ())), {True}),
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
