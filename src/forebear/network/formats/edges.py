"""Lists of arcs in CSV, in two forms that differ in the header.

Plain: the header ``from,to``, then one arc per line. A variable without arcs
has a line of its own with nothing after the comma.

Bayesys: the header ``ID,Variable 1,Dependency,Variable 2``, then lines such as
``1,asia,->,tub``. This form cannot hold variables without arcs: the writer
warns about them.

The variables are read in the order in which they first occur.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from forebear._util.errors import FileError, ForebearError, ForebearWarning
from forebear._util.text import counted, listing
from forebear._util.textfiles import read_rows, write_rows
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

PLAIN = ("from", "to")
BAYESYS = ("ID", "Variable 1", "Dependency", "Variable 2")

_ARROW = "->"


def is_edge_header(row: Sequence[str]) -> bool:
    """Tell whether this row is the header of a list of arcs."""
    return tuple(row) in (PLAIN, BAYESYS)


def read_edges(path: Path | str) -> Network:
    """Read a network from a list of arcs in either form, gzipped or not."""
    rows = read_rows(path)
    _, header = next(rows, (0, []))
    if not is_edge_header(header):
        raise FileError.at(path, 1, f"expected the header {','.join(PLAIN)} or {','.join(BAYESYS)}")
    names: dict[str, None] = {}  # in the order in which they occur
    arcs: dict[tuple[str, str], None] = {}
    for line, row in rows:
        if len(row) != len(header):
            raise FileError.at(path, line, f"expected {len(header)} fields, got {len(row):,}")
        source, target = row if len(row) == 2 else _bayesys_arc(path, line, row)
        if not source:
            raise FileError.at(path, line, "this arc has no parent")
        if (source, target) in arcs:
            raise FileError.at(path, line, f"the arc {source} -> {target} is listed twice")
        names |= dict.fromkeys(name for name in (source, target) if name)
        if target:
            arcs[source, target] = None
    return Network.from_arcs(tuple(names), arcs)


def write_edges(network: Network, path: Path | str) -> None:
    """Write one line per arc, and one line per variable without arcs."""
    names = network.names
    _check_names(names)
    rows: list[tuple[str, str]] = []
    for v, children in enumerate(network.children):
        if not children and not network.parents[v]:
            rows.append((names[v], ""))
        rows.extend((names[v], names[child]) for child in children)
    write_rows([PLAIN, *rows], path)


def write_bayesys(network: Network, path: Path | str) -> None:
    """Write the arcs of a network as Bayesys does; variables without arcs are left out."""
    names = network.names
    _check_names(names)
    touched = {v for arc in network.arcs for v in arc}
    alone = [name for v, name in enumerate(names) if v not in touched]
    if alone:
        have = "has" if len(alone) == 1 else "have"
        variables = counted(len(alone), "variable")
        message = (
            f"{path}: {variables} without arcs ({listing(alone)}) {have} been left out, because "
            "Bayesys files hold only arcs: write .edges.csv to keep all variables"
        )
        warnings.warn(ForebearWarning(message), stacklevel=3)  # the caller of write_network
    arcs = [(p, v) for p, children in enumerate(network.children) for v in children]
    numbered = [(k, names[p], _ARROW, names[v]) for k, (p, v) in enumerate(arcs, start=1)]
    write_rows([BAYESYS, *numbered], path)


def _bayesys_arc(path: Path | str, line: int, row: Sequence[str]) -> tuple[str, str]:
    _, source, kind, target = row
    if kind != _ARROW:
        raise FileError.at(
            path,
            line,
            f"{source} {kind} {target} is not an arc of a DAG: only {_ARROW} is allowed",
        )
    if not target:
        raise FileError.at(path, line, "this arc has no child")
    return source, target


def _check_names(names: Iterable[str]) -> None:
    if "" in names:
        raise ForebearError(
            "a list of arcs cannot hold a variable with an empty name: "
            "rename it, or write .adjacency.csv"
        )
