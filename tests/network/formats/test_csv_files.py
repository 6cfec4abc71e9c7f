"""Networks in CSV: lists of arcs, plain and as Bayesys writes them, and adjacency matrices."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from forebear import FileError, ForebearWarning, Network, read_network, write_network

BAYESYS = "ID,Variable 1,Dependency,Variable 2\n"
NONE = ": this table is not a network: a list of arcs has the header from,to or"


def test_what_is_written(tmp_path: Path) -> None:
    network = Network(("B", "alone", 'a "b", c', "D"), ((2,), (), (), (0, 2)))
    write_network(network, tmp_path / "net.edges.csv")
    assert (tmp_path / "net.edges.csv").read_text() == (
        'from,to\nB,D\nalone,\n"a ""b"", c",B\n"a ""b"", c",D\n'
    )
    path = tmp_path / "net.bayesys.csv"
    with pytest.warns(ForebearWarning, match=r"1 variable without arcs \(alone\) has "):
        write_network(Network(("A", "alone", "B"), ((), (), (0,))), path)
    assert path.read_text() == f"{BAYESYS}1,A,->,B\n"
    assert read_network(path) == Network(("A", "B"), ((), (0,)))
    write_network(Network(("A", "B"), ((1,), ())), tmp_path / "net.adjacency.csv")
    assert (tmp_path / "net.adjacency.csv").read_text() == ",A,B\nA,0,0\nB,1,0\n"


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("n.edges.csv", "", ": the file is empty"),
        ("n.edges.csv", "a,b\n", NONE),
        ("n.csv", "a,b\n0,1\n", NONE),
        ("n.edges.csv", "from,to\na,b,c\n", ":2: expected 2 fields, got 3"),
        ("n.edges.csv", "from,to\na,b\n,b\n", ":3: this arc has no parent"),
        ("n.edges.csv", "from,to\na,b\na,b\n", ":3: the arc a -> b is listed twice"),
        ("n.edges.csv", "from,to\na,b\nb,a\n", ": the arcs form a cycle: "),
        ("n.edges.csv", 'from,to\n"a,b\n', ":2: this is not valid CSV"),
        ("n.bayesys.csv", f"{BAYESYS}1,a,<->,b\n", ":2: a <-> b is not an arc of a DAG"),
        ("n.csv", f"{BAYESYS}1,a,->,\n", ":2: this arc has no child"),
        ("n.adjacency.csv", ",a,b\na,0,1\n", NONE),
        ("n.adjacency.csv", ",a,b\nb,0,1\na,0,0\n", NONE),
        ("n.adjacency.csv", ",a,b\na,0\nb,0,0\n", ":2: expected 2 cells, got 1"),
        ("n.csv", ",a,b\na,0,2\nb,0,0\n", ':2: expected 0 or 1 under b, got "2"'),
        ("n.csv", ",a,a\na,0,0\na,0,0\n", ": variable a is named twice"),
    ],
)
def test_invalid_files_are_rejected(name: str, text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=re.escape(f"{tmp_path / name}{what}")):
        read_network(tmp_path / name)
