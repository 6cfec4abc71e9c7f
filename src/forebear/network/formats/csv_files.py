"""Networks in CSV: lists of arcs in two forms, and adjacency matrices.

- List of arcs: the header ``from,to``, then one arc per line. A variable without
  arcs has a line of its own with nothing after the comma.
- Bayesys: the header ``ID,Variable 1,Dependency,Variable 2``, then lines such as
  ``1,asia,->,tub``. This form cannot hold variables without arcs: the writer
  warns about them.
- Adjacency matrix: the first row and the first column hold the names, in the
  same order, and a cell is 1 if the variable of its row is a parent of that of
  its column. The corner is written empty; its content is ignored when read.

The header determines which of them a file is. Lists of arcs are read with the
variables in the order in which they first occur.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from forebear._util.errors import FileError, ForebearError, ForebearWarning
from forebear._util.text import counted, listing
from forebear._util.text_files import read_rows, write_rows
from forebear.network.network import Network

Row = tuple[int, list[str]]

_PLAIN = ["from", "to"]
_BAYESYS = ["ID", "Variable 1", "Dependency", "Variable 2"]
_ARROW = "->"
_CELLS = {"0": False, "1": True}


def read_csv_network(path: Path | str) -> Network:
    """Read a list of arcs or an adjacency matrix, gzipped or not."""
    rows = list(read_rows(path))
    if not rows:
        raise ForebearError("the file is empty")
    (_, header), *rows = rows
    if header in (_PLAIN, _BAYESYS):
        return _from_arcs(path, len(header), rows)
    if [row[0] for _, row in rows] != header[1:]:
        raise ForebearError(
            "this table is not a network: a list of arcs has the header from,to or that of "
            "Bayesys, and an adjacency matrix has the same names in its first row and column"
        )
    return _from_matrix(path, header[1:], rows)


def write_edges(network: Network, path: Path | str) -> None:
    """Write one line per arc, and one line per variable without arcs."""
    names = network.names
    _check_names(names)
    rows: list[Sequence[str]] = [_PLAIN]
    for v, children in enumerate(network.children):
        if not children and not network.parents[v]:
            rows.append((names[v], ""))
        rows.extend((names[v], names[child]) for child in children)
    write_rows(rows, path)


def write_bayesys(network: Network, path: Path | str) -> None:
    """Write the arcs of a network as Bayesys does; variables without arcs are left out."""
    names = network.names
    _check_names(names)
    families = zip(names, network.parents, network.children, strict=True)
    alone = [name for name, parents, children in families if not parents and not children]
    if alone:
        have = "has" if len(alone) == 1 else "have"
        message = (
            f"{path}: {counted(len(alone), 'variable')} without arcs ({listing(alone)}) {have} "
            "been left out, because Bayesys files hold only arcs: write .edges.csv to keep all "
            "variables"
        )
        warnings.warn(ForebearWarning(message), stacklevel=3)  # the caller of write_network
    arcs = [(p, v) for p, children in enumerate(network.children) for v in children]
    numbered = [(k, names[p], _ARROW, names[v]) for k, (p, v) in enumerate(arcs, start=1)]
    write_rows([_BAYESYS, *numbered], path)


def write_adjacency(network: Network, path: Path | str) -> None:
    """Write the adjacency matrix of a network."""
    rows: list[list[object]] = [["", *network.names]]
    for name, children in zip(network.names, map(set, network.children), strict=True):
        rows.append([name, *(int(v in children) for v in range(network.n_variables))])
    write_rows(rows, path)


def _from_arcs(path: Path | str, n_fields: int, rows: Iterable[Row]) -> Network:
    names: dict[str, None] = {}  # in the order in which they occur
    arcs: dict[tuple[str, str], None] = {}
    for line, row in rows:
        if len(row) != n_fields:
            raise FileError.at(path, line, f"expected {n_fields} fields, got {len(row):,}")
        source, target = row if n_fields == 2 else _bayesys_arc(path, line, row)
        if not source:
            raise FileError.at(path, line, "this arc has no parent")
        if (source, target) in arcs:
            raise FileError.at(path, line, f"the arc {source} -> {target} is listed twice")
        names |= dict.fromkeys(name for name in (source, target) if name)
        if target:
            arcs[source, target] = None
    return Network.from_arcs(tuple(names), arcs)


def _bayesys_arc(path: Path | str, line: int, row: Sequence[str]) -> tuple[str, str]:
    _, source, kind, target = row
    if kind != _ARROW:
        raise FileError.at(
            path, line, f"{source} {kind} {target} is not an arc of a DAG: only -> is allowed"
        )
    if not target:
        raise FileError.at(path, line, "this arc has no child")
    return source, target


def _from_matrix(path: Path | str, names: list[str], rows: Iterable[Row]) -> Network:
    parents: list[list[int]] = [[] for _ in names]
    for p, (line, (_, *cells)) in enumerate(rows):
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


def _check_names(names: Iterable[str]) -> None:
    if "" in names:
        raise ForebearError(
            "a list of arcs cannot hold a variable with an empty name: "
            "rename it, or write .adjacency.csv"
        )
