"""Hugin's .net files, which GeNIe, bnlearn, pgmpy and pyAgrum also read.

Nodes have identifiers. A name that is not an identifier gets one derived from
it (``wine color`` becomes ``wine_color``), and the label holds the name. The
reader uses the label as the name only if the identifier is derived from it;
other labels are comments, such as "Visit to Asia?" for ``asia``.

In a potential, the states of the node vary fastest and those of its first
parent slowest. Inside quotes, ``\\"`` and ``\\\\`` are a quote and a backslash.
Of the other readers, pgmpy accepts no states with blanks, and pyAgrum only
ASCII without escapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from forebear._util.text_files import read_text, write_text
from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.parsing import NetworkBuilder, Tokens, parse_numbers, token_pattern
from forebear.network.formats.spelling import identifiers_of, names_of_labels, quoted, unquoted

_RESERVED = frozenset(
    ["net", "class", "node", "discrete", "continuous", "decision", "utility", "potential", "data"]
)
_TOKEN = token_pattern(r"%[^\n]*", "{}()|;=", r'[^\s{}()|;="%]+')
_BRACKETS = ("(", ")")


def read_hugin(path: Path | str) -> FittedNetwork:
    """Read a network from a .net file, gzipped or not."""
    text = read_text(path, "a .net file")
    tokens = Tokens(path, text, _TOKEN)
    states: dict[str, tuple[str, ...]] = {}
    labels: dict[str, str] = {}
    potentials: list[int] = []
    while tokens:
        keyword = tokens.take("a block")
        if keyword == "discrete" and tokens.all[tokens.at : tokens.at + 1] == ["node"]:
            continue
        if keyword == "net":
            _attributes(tokens)
        elif keyword == "node":
            _read_node(tokens, states, labels)
        elif keyword == "potential":
            potentials.append(tokens.at)
            tokens.until("}")
        else:
            tokens.fail(f'expected net, node or potential, got "{keyword}"', tokens.at - 1)
    names = names_of_labels(labels, _RESERVED)
    builder = NetworkBuilder(text)
    for node, own in states.items():
        builder.declare(names[node], own)
    for tokens.at in potentials:
        _read_potential(tokens, builder, names)
    return builder.build()


def write_hugin(fitted: FittedNetwork, path: Path | str, note: str = "") -> None:
    """Write a network as a .net file, gzipped when the name ends in ``.gz``."""
    write_text((f"% {note}\n" if note else "") + "".join(_blocks(fitted)), path)


def _read_node(tokens: Tokens, states: dict[str, tuple[str, ...]], labels: dict[str, str]) -> None:
    start = tokens.at
    node = tokens.take("the name of a node")
    if node in states:
        tokens.fail(f"node {node} is declared twice", start)
    attributes = _attributes(tokens)
    if "states" not in attributes:
        tokens.fail(f"node {node} has no states", start)
    states[node] = tuple(unquoted(t) for t in attributes["states"] if t not in _BRACKETS)
    label = attributes.get("label", [])
    labels[node] = unquoted(label[0]) if label else node


def _read_potential(tokens: Tokens, builder: NetworkBuilder, names: Mapping[str, str]) -> None:
    start = tokens.at
    tokens.expect("(")
    head = tokens.until(")")
    if not head or head[1:2] not in ([], ["|"]):
        tokens.fail("expected one node and perhaps its parents: (A) or (A | B C)", start)
    # The builder reports identifiers that are not declared.
    child, *parents = (names.get(node, node) for node in (head[0], *head[2:]))
    if "data" not in (attributes := _attributes(tokens)):
        tokens.fail(f"the potential of {child} has no data", start)
    words = (word for word in attributes["data"] if word not in _BRACKETS)
    with tokens.errors_at(start):
        builder.add_cells(child, parents, parse_numbers(words, child))


def _attributes(tokens: Tokens) -> dict[str, list[str]]:
    """Read ``{ name = tokens; ... }``."""
    tokens.expect("{")
    attributes: dict[str, list[str]] = {}
    while (name := tokens.take('"}"')) != "}":
        tokens.expect("=")
        attributes[name] = tokens.until(";")
    return attributes


def _blocks(fitted: FittedNetwork) -> Iterator[str]:
    """Write the file block by block."""
    names = fitted.network.names
    nodes = identifiers_of(names, _RESERVED)
    yield "net\n{\n}\n"
    for node, name, states in zip(nodes, names, fitted.states, strict=True):
        label = "" if node == name else f"  label = {quoted(name)};\n"
        listed = " ".join(map(quoted, states))
        # pgmpy requires exactly one space after "node".
        yield f"node {node}\n{{\n{label}  states = ({listed});\n}}\n"
    for v, parents in enumerate(fitted.network.parents):
        given = "".join(f" {nodes[p]}" for p in parents)
        head = f"{nodes[v]} |{given}" if parents else nodes[v]
        yield f"potential ({head})\n{{\n  data = {_nested(fitted.tables[v])};\n}}\n"


def _nested(table: NDArray[Any]) -> str:
    """Write a table, with one pair of brackets per axis and one line per row."""
    if table.ndim == 1:
        return f"({' '.join(map(repr, table.tolist()))})"
    parts = "\n    ".join(_nested(part) for part in table)
    return f"({parts})"
