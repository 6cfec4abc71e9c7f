"""Adjacency matrices in CSV."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from forebear import FileError, Network, read_network, write_network

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "net.adjacency.csv"
    write_network(Network(("A", "B"), ((1,), ())), path)
    assert path.read_text() == ",A,B\nA,0,0\nB,1,0\n"
    write_network(Network((), ()), path)
    assert read_network(path) == Network((), ())


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("n.adjacency.csv", ",a,b\na,0,1\n", ": the matrix has 1 row, but 2 columns"),
        ("n.adjacency.csv", ",a,b\nb,0,1\na,0,0\n", ":2: expected the row of a, by the"),
        ("n.adjacency.csv", ",a,b\na,0\nb,0,0\n", ":2: expected 2 cells, got 1"),
        ("n.csv", ",a,b\na,0,2\nb,0,0\n", ':2: expected 0 or 1 under b, got "2"'),
        ("n.csv", ",a,b\na,0,1\nb,1,0\n", ": the arcs form a cycle: "),
        ("n.csv", ",a,a\na,0,0\na,0,0\n", ": variable a is named twice"),
    ],
)
def test_what_is_no_matrix(name: str, text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=re.escape(f"{tmp_path / name}{what}")):
        read_network(tmp_path / name)
