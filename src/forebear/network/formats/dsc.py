"""DSC: Microsoft's Bayesian network interchange format, which MSBNx, GeNIe and bnlearn read.

Nodes have identifiers. A name that is not an identifier gets one derived from it, and the attribute
``name`` holds the name, as labels do in Hugin's files. States are quoted. In front of a row are the
numbers of the states of the parents, from 0; rows without them are in the order in which the states
of the last parent vary fastest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np

from forebear._util.text_files import read_text, write_text
from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.parsing import NetworkBuilder, Tokens, token_pattern
from forebear.network.formats.spelling import identifiers_of, names_of_labels, quoted, unquoted

RESERVED = frozenset(
    [
        *("belief", "network", "node", "probability", "type", "discrete", "name", "position"),
        *("default", "states", "property", "properties", "function"),
    ]
)
_TOKEN = token_pattern(
    r"//[^\n]* | /\*.*?\*/", r"{}()\[\]|,;:=", r'(?:[^\s{}()\[\]|,;:="/]|/(?![/*]))+'
)


def read_dsc(path: Path | str) -> FittedNetwork:
    """Read a network from a .dsc file, gzipped or not."""
    text = read_text(path, "a .dsc file")
    tokens = Tokens(path, text, _TOKEN)
    states: dict[str, tuple[str, ...]] = {}
    labels: dict[str, str] = {}
    probabilities: list[int] = []
    while tokens:
        keyword = tokens.take("a block")
        if keyword == "belief":
            tokens.expect("network")
            if tokens and tokens.all[tokens.at].startswith('"'):
                tokens.at += 1
        elif keyword == "node":
            _read_node(tokens, states, labels)
        elif keyword == "probability":
            probabilities.append(tokens.at)
            tokens.until("}")
        else:
            tokens.fail(f'expected node or probability, got "{keyword}"', tokens.at - 1)
    names = names_of_labels(labels, RESERVED)
    builder = NetworkBuilder(text)
    for node, own in states.items():
        builder.declare(names[node], own)
    for tokens.at in probabilities:
        _read_probability(tokens, builder, names)
    return builder.build()


def write_dsc(fitted: FittedNetwork, path: Path | str, note: str = "") -> None:
    """Write a network as a .dsc file, gzipped when the name ends in ``.gz``."""
    write_text("".join(_blocks(fitted, note)), path)


def _read_node(tokens: Tokens, states: dict[str, tuple[str, ...]], labels: dict[str, str]) -> None:
    start = tokens.at
    node = tokens.take("the name of a node")
    if node in states:
        tokens.fail(f"node {node} is declared twice", start)
    labels[node] = node
    tokens.expect("{")
    while (keyword := tokens.take('"}"')) != "}":
        value = tokens.until(";")
        if keyword == "name" and len(value) == 2:
            labels[node] = unquoted(value[1])
        elif keyword == "type":
            if value[1:2] != ["discrete"] or "{" not in value:
                tokens.fail(f"node {node} is not discrete with a list of states", start)
            listed = value[value.index("{") + 1 :]
            states[node] = tuple(unquoted(t) for t in listed if t not in (",", "}"))
    if node not in states:
        tokens.fail(f"node {node} has no states", start)


def _read_probability(tokens: Tokens, builder: NetworkBuilder, names: Mapping[str, str]) -> None:
    start = tokens.at - 1
    # The builder reports identifiers that are not declared.
    child, parents, shape = builder.read_family(tokens, lambda node: names.get(node, node))
    table = np.full(shape, np.nan)
    rows = np.ndindex(*shape[:-1])
    while (keyword := tokens.take('"}"')) != "}":
        at = tokens.at - 1
        row = next(rows, None) if keyword != "(" else None
        if keyword == "(":
            row = tuple(int(t) if t.isdecimal() else -1 for t in tokens.until(")") if t != ",")
            tokens.expect(":")
        else:
            tokens.at -= 1
        if (
            row is None
            or len(row) != len(parents)
            or not all(0 <= k < size for k, size in zip(row, shape, strict=False))
        ):
            tokens.fail(f"this row of {child} does not exist", at)
        table[row] = tokens.numbers(child, shape[-1])
    builder.add_rows(tokens, start, child, parents, table)


def _blocks(fitted: FittedNetwork, note: str) -> Iterator[str]:
    """Write the file block by block."""
    names, parents = fitted.network.names, fitted.network.parents
    nodes = identifiers_of(names, RESERVED)
    yield f"// {note}\n" if note else ""
    yield 'belief network "unknown"\n'
    for node, name, states in zip(nodes, names, fitted.states, strict=True):
        label = "" if node == name else f"  name : {quoted(name)};\n"
        listed = ", ".join(map(quoted, states))
        yield f"node {node} {{\n{label}  type : discrete [ {len(states)} ] = {{ {listed} }};\n}}\n"
    for v, own in enumerate(parents):
        given = f" | {', '.join(nodes[p] for p in own)}" if own else ""
        yield f"probability ( {nodes[v]}{given} ) {{\n"
        keys = product(*(range(len(fitted.states[p])) for p in own))
        rows = fitted.tables[v].reshape(-1, len(fitted.states[v])).tolist()
        for key, row in zip(keys, rows, strict=True):
            start = f"  ({', '.join(map(str, key))}) : " if own else "   "
            yield f"{start}{', '.join(map(repr, row))};\n"
        yield "}\n"
