"""Hugin's .net files, which GeNIe, bnlearn, pgmpy and pyAgrum also read.

Nodes have identifiers. A name that is not an identifier gets one derived from
it (``wine colour`` becomes ``wine_colour``), and the label holds the name. The
reader takes the label as the name only if the identifier is derived from it;
other labels are comments, such as "Visit to Asia?" for ``asia``.

In a potential, the states of the node vary fastest and those of its first
parent slowest. Inside quotes, ``\\"`` and ``\\\\`` are a quote and a backslash.
Of the other readers, pgmpy accepts no states with blanks, and pyAgrum only
ASCII without escapes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from forebear._util.errors import FileError
from forebear._util.textfiles import read_text, write_text
from forebear.network.formats.families import Family, assemble
from forebear.network.formats.identifiers import identifiers_of, stands_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear.network.fitted import FittedNetwork

_RESERVED = frozenset(
    ["net", "class", "node", "discrete", "continuous", "decision", "utility", "potential", "data"]
)
# Only tokens are captured, not blanks and comments.
_TOKEN = re.compile(
    r"""
      (?: \s+ | %[^\n]* )
    | ( [{}()|;=]
      | " [^"\\]*+ (?: \\. [^"\\]*+ )*+ "
      | [^\s{}()|;="%]+
      | .
      )
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = ("(", ")")
_ESCAPE = re.compile(r'\\(["\\])')


def read_hugin(path: Path | str) -> FittedNetwork:
    """Read a network from a .net file, gzipped or not."""
    return _Reader(path, read_text(path, "a .net file")).read()


def write_hugin(fitted: FittedNetwork, path: Path | str) -> None:
    """Write a network as a .net file, gzipped when the name ends in ``.gz``."""
    write_text("".join(_blocks(fitted)), path)


class _Reader:
    """Parser of one file; it keeps the place of every token in the text."""

    def __init__(self, path: Path | str, text: str) -> None:
        self.path = path
        self.text = text
        found = [match for match in _TOKEN.finditer(text) if match[1]]
        self.tokens = [match[1] for match in found]
        self.places = [match.start() for match in found]
        self.at = 0
        self.states: dict[str, tuple[str, ...]] = {}
        self.labels: dict[str, str] = {}
        self.families: list[Family] = []

    def read(self) -> FittedNetwork:
        if '"' in self.tokens:
            self.fail("a quote is not closed", self.tokens.index('"'))
        while self.at < len(self.tokens):
            keyword = self.take("a block")
            if keyword == "discrete" and self.tokens[self.at : self.at + 1] == ["node"]:
                continue
            if keyword == "net":
                self.attributes()
            elif keyword == "node":
                self.read_node()
            elif keyword == "potential":
                self.read_potential()
            else:
                self.fail(f'expected net, node or potential, got "{keyword}"', self.at - 1)
        names = self.names()
        families = [
            family._replace(
                # assemble() reports identifiers that are not declared.
                child=names.get(family.child, family.child),
                parents=tuple(names.get(parent, parent) for parent in family.parents),
            )
            for family in self.families
        ]
        states = {names[node]: own for node, own in self.states.items()}
        return assemble(self.path, states, families)

    def names(self) -> dict[str, str]:
        """Return the name of every node: its label, if the identifier is derived from that."""
        names = {
            node: label if stands_for(node, label, _RESERVED) else node
            for node, label in self.labels.items()
        }
        return names if len(set(names.values())) == len(names) else {node: node for node in names}

    def read_node(self) -> None:
        start = self.at
        node = self.take("the name of a node")
        if node in self.states:
            self.fail(f"node {node} is declared twice", start)
        attributes = self.attributes()
        if "states" not in attributes:
            self.fail(f"node {node} has no states", start)
        self.states[node] = tuple(_unquoted(t) for t in attributes["states"] if t not in _BRACKETS)
        label = attributes.get("label", [])
        self.labels[node] = _unquoted(label[0]) if label else node

    def read_potential(self) -> None:
        start = self.at
        self.expect("(")
        end = self.find(")")
        head, self.at = self.tokens[self.at : end], end + 1
        if not head or head[1:2] not in ([], ["|"]):
            self.fail("expected one node and perhaps its parents: (A) or (A | B C)", start)
        child, parents = head[0], tuple(head[2:])
        if "data" not in (attributes := self.attributes()):
            self.fail(f"the potential of {child} has no data", start)
        words = [word for word in attributes["data"] if word not in _BRACKETS]
        try:
            numbers = [float(word) for word in words]
        except ValueError as error:
            self.fail(f"the data of {child} must be numbers: {error}", start)
        where = f"{self.path}:{self.line(start)}"
        self.families.append(Family(child, parents, numbers, where))

    def attributes(self) -> dict[str, list[str]]:
        """Read ``{ name = tokens; ... }``."""
        self.expect("{")
        found: dict[str, list[str]] = {}
        while (name := self.take('"}"')) != "}":
            self.expect("=")
            end = self.find(";")
            found[name] = self.tokens[self.at : end]
            self.at = end + 1
        return found

    def take(self, what: str) -> str:
        if self.at >= len(self.tokens):
            self.fail(f"expected {what}, but the file ends", self.at)
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, symbol: str) -> None:
        if (token := self.take(f'"{symbol}"')) != symbol:
            self.fail(f'expected "{symbol}", got "{token}"', self.at - 1)

    def find(self, symbol: str) -> int:
        try:
            return self.tokens.index(symbol, self.at)
        except ValueError:
            self.fail(f'a "{symbol}" is missing after this point', self.at)

    def line(self, at: int) -> int:
        place = self.places[at] if at < len(self.places) else len(self.text.rstrip())
        return self.text.count("\n", 0, place) + 1

    def fail(self, what: str, at: int) -> NoReturn:
        raise FileError.at(self.path, self.line(at), what)


def _unquoted(token: str) -> str:
    return _ESCAPE.sub(r"\1", token[1:-1]) if token.startswith('"') else token


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _blocks(fitted: FittedNetwork) -> Iterator[str]:
    """Write the file block by block."""
    names = fitted.network.names
    nodes = identifiers_of(names, _RESERVED)
    yield "net\n{\n}\n"
    for node, name, states in zip(nodes, names, fitted.states, strict=True):
        label = "" if node == name else f"  label = {_quoted(name)};\n"
        listed = " ".join(map(_quoted, states))
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
