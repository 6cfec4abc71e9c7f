"""Lists of arcs in CSV, plain or as Bayesys writes them; the header tells which.

Plain: the header ``from,to``, then an arc a line. A variable without arcs has
a line of its own with nothing after the comma, so that it is not lost.

Bayesys: the header ``ID,Variable 1,Dependency,Variable 2``, then lines such as
``1,asia,->,tub``. There is no place for variables without arcs: writing warns
of them.

Variables come back in the order in which they are first named.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from forebear._util.errors import FileError, ForebearError, ForebearWarning
from forebear._util.text import listing
from forebear._util.textfiles import read_rows, write_rows
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

PLAIN = ("from", "to")
BAYESYS = ("ID", "Variable 1", "Dependency", "Variable 2")

_ARROW = "->"


def is_edge_header(row: Sequence[str]) -> bool:
    """Tell whether a list of arcs starts with this row."""
    return tuple(row) in (PLAIN, BAYESYS)


def read_edges(path: Path | str) -> Network:
    """Read a network from a list of arcs, plain or of Bayesys, gzipped or not."""
    rows = read_rows(path)
    _, header = next(rows, (0, []))
    if not is_edge_header(header):
        raise FileError.at(
            path, 1, f"a list of arcs starts with {','.join(PLAIN)} or with {','.join(BAYESYS)}"
        )
    index: dict[str, int] = {}
    parents: list[list[int]] = []
    for line, row in rows:
        if len(row) != len(header):
            raise FileError.at(path, line, f"expected {len(header)} fields, got {len(row)}")
        source, target = row if len(row) == 2 else _bayesys_arc(path, line, row)
        if not source:
            raise FileError.at(path, line, "an arc that starts nowhere")
        for name in (source, target):
            if name and name not in index:
                index[name] = len(index)
                parents.append([])
        if target:
            if index[source] in parents[index[target]]:
                raise FileError.at(path, line, f"the arc {source} -> {target} is listed twice")
            parents[index[target]].append(index[source])
    try:
        return Network(tuple(index), tuple(map(tuple, parents)))
    except ForebearError as error:
        raise FileError(f"{path}: {error}") from None


def write_edges(network: Network, path: Path | str) -> None:
    """Write the arcs of a network, a line each, and a line for each variable without any."""
    names = network.names
    _check_names(names)
    rows: list[tuple[str, str]] = []
    for v, children in enumerate(network.children):
        if not children and not network.parents[v]:
            rows.append((names[v], ""))
        rows.extend((names[v], names[child]) for child in children)
    write_rows([PLAIN, *rows], path)


def write_bayesys(network: Network, path: Path | str) -> None:
    """Write the arcs of a network as Bayesys does; variables without any are left out."""
    names = network.names
    _check_names(names)
    touched = {v for arc in network.arcs for v in arc}
    alone = [name for v, name in enumerate(names) if v not in touched]
    if alone:
        what = "variable has" if len(alone) == 1 else "variables have"
        warnings.warn(
            f"{path}: {len(alone)} {what} no arcs ({listing(alone)}) and so no place in a file "
            "of Bayesys: .edges.csv keeps them",
            ForebearWarning,
            stacklevel=2,
        )
    arcs = [(p, v) for p, children in enumerate(network.children) for v in children]
    numbered = [(k, names[p], _ARROW, names[v]) for k, (p, v) in enumerate(arcs, start=1)]
    write_rows([BAYESYS, *numbered], path)


def _bayesys_arc(path: Path | str, line: int, row: Sequence[str]) -> tuple[str, str]:
    _, source, kind, target = row
    if kind != _ARROW:
        raise FileError.at(
            path,
            line,
            f"{source} {kind} {target} is not an arc of a DAG: only {_ARROW} is",
        )
    if not target:
        raise FileError.at(path, line, "an arc that ends nowhere")
    return source, target


def _check_names(names: Iterable[str]) -> None:
    if "" in names:
        raise ForebearError(
            "a variable whose name is empty cannot stand in a list of arcs: "
            "rename it, or choose .adjacency.csv"
        )
