"""Adjacency matrices in CSV: 1 if the variable of the row is a parent of that of the column.

The first row and the first column hold the names, in the same order. The corner
is written empty; its content is ignored when read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.errors import FileError, ForebearError
from forebear._util.text import counted
from forebear._util.textfiles import read_rows, write_rows
from forebear.network.network import Network

if TYPE_CHECKING:
    from pathlib import Path

_CELLS = {"0": False, "1": True}


def read_adjacency(path: Path | str) -> Network:
    """Read a network from an adjacency matrix, gzipped or not."""
    (_, header), *rows = list(read_rows(path)) or [(0, [""])]
    names = header[1:]
    if len(rows) != len(names):
        raise ForebearError(
            f"the matrix has {counted(len(rows), 'row')}, but {counted(len(names), 'column')}"
        )
    parents: list[list[int]] = [[] for _ in names]
    for p, (line, (name, *cells)) in enumerate(rows):
        if name != names[p]:
            raise FileError.at(
                path, line, f"expected the row of {names[p]}, by the header, got {name}"
            )
        if len(cells) != len(names):
            raise FileError.at(
                path, line, f"expected {counted(len(names), 'cell')}, got {len(cells):,}"
            )
        for v, cell in enumerate(cells):
            if cell.strip() not in _CELLS:
                raise FileError.at(path, line, f'expected 0 or 1 under {names[v]}, got "{cell}"')
            if _CELLS[cell.strip()]:
                parents[v].append(p)
    return Network(tuple(names), tuple(map(tuple, parents)))


def write_adjacency(network: Network, path: Path | str) -> None:
    """Write the adjacency matrix of a network, gzipped when the name ends in ``.gz``."""
    rows: list[list[object]] = [["", *network.names]]
    for name, children in zip(network.names, map(set, network.children), strict=True):
        rows.append([name, *(int(v in children) for v in range(network.n_variables))])
    write_rows(rows, path)
