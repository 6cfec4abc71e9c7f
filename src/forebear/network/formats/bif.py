"""BIF: the Bayesian network interchange format, version 0.15, plain or gzipped.

The reader accepts the variants that other tools write. Commas and ``|`` are
separators that may be left out, as the specification says; names are bare words
or quoted; parents may be in any order; properties are skipped. In a ``table``
of a variable with parents, its own states vary slowest and those of the last
parent fastest; ``default`` fills the rows that are not listed.

The writer uses one row per combination of parent states, and ``repr``
precision, so that reading gives the same bits. A name that is a single word is
written bare, which every tool reads; other names are quoted. Inside quotes,
``\\"`` and ``\\\\`` are a quote and a backslash; BIF itself cannot express them.
Of the other readers, pgmpy accepts quoted names except for a variable with
spaces that has no parents, and pyAgrum accepts no quoted names.
"""

from __future__ import annotations

import re
from itertools import islice, product
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from forebear._util.errors import FileError, ForebearError
from forebear._util.text import counted
from forebear._util.textfiles import read_text, write_text
from forebear.network.conditional import ROW_TOLERANCE, check_table
from forebear.network.fitted import FittedNetwork
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

# The alternatives differ in their first characters, so that scanning is linear.
# Only tokens are captured, not blanks and comments.
_WORD = r'(?:[^\s{}()\[\]|,;"/]|/(?![/*]))+'
_TOKEN = re.compile(
    rf"""
      (?: \s+ | //[^\n]* | /\*.*?\*/ )
    | ( [{{}}()\[\]|,;]
      | " [^"\\]*+ (?: \\. [^"\\]*+ )*+ "
      | {_WORD}
      | .
      )
    """,
    re.VERBOSE | re.DOTALL,
)
_BARE = re.compile(_WORD)
_ESCAPE = re.compile(r'\\(["\\])')
_SEPARATORS = frozenset(",|")


def read_bif(path: Path | str) -> FittedNetwork:
    """Read a network from a BIF file, gzipped or not."""
    reader = _Reader(path, read_text(path, "a BIF file"))
    try:
        return reader.read()
    except FileError:
        raise
    except ForebearError as error:
        raise FileError(f"{path}: ", error.message) from None


def write_bif(fitted: FittedNetwork, path: Path | str) -> None:
    """Write a network as a BIF file, gzipped when the name ends in ``.gz``."""
    write_text("".join(_blocks(fitted)), path)


class _Reader:
    """Parser of one file.

    The first pass collects the variables; the probabilities are parsed when all
    variables are known.
    """

    def __init__(self, path: Path | str, text: str) -> None:
        self.path = path
        self.text = text
        self.tokens: list[str] = [token for token in _TOKEN.findall(text) if token]
        self.at = 0
        self.index: dict[str, int] = {}
        self.declared_at: list[int] = []
        self.states: list[tuple[str, ...]] = []
        self.parents: dict[int, tuple[int, ...]] = {}
        self.tables: dict[int, NDArray[np.float64]] = {}

    def read(self) -> FittedNetwork:
        if '"' in self.tokens:
            self.fail("a quote is not closed", self.tokens.index('"'))
        probabilities: list[int] = []
        while self.at < len(self.tokens):
            keyword = self.take("a block")
            if keyword == "network":
                self.at = self.find("}", self.at - 1) + 1
            elif keyword == "variable":
                self.read_variable()
            elif keyword == "probability":
                probabilities.append(self.at)
                self.at = self.find("}", self.at - 1) + 1
            else:
                self.fail(f'expected variable or probability, got "{keyword}"', self.at - 1)
        for self.at in probabilities:
            self.read_probability()
        return self.build()

    def build(self) -> FittedNetwork:
        names = tuple(self.index)
        for v, name in enumerate(names):
            if v not in self.tables:
                self.fail(f"variable {name} has no probabilities", self.declared_at[v])
        order = range(len(names))
        network = Network(names, tuple(self.parents[v] for v in order))
        return FittedNetwork(network, tuple(self.states), tuple(self.tables[v] for v in order))

    def read_variable(self) -> None:
        start = self.at - 1
        name = _name(self.take("the name of a variable"))
        if name in self.index:
            self.fail(f"variable {name} is declared twice", start)
        self.expect("{")
        states: tuple[str, ...] | None = None
        while (keyword := self.take('"}"')) != "}":
            if keyword == "type":
                states = self.read_states(name)
            elif keyword == "property":
                self.at = self.find(";", self.at - 1) + 1
            elif keyword != ";":
                self.fail(f'expected type, property or "}}", got "{keyword}"', self.at - 1)
        if states is None:
            self.fail(f"variable {name} has no states", start)
        self.index[name] = len(self.index)
        self.declared_at.append(start)
        self.states.append(states)

    def read_states(self, name: str) -> tuple[str, ...]:
        kind = self.take("the type of a variable")
        if kind != "discrete":
            self.fail(f"variable {name} is {kind}, but only discrete is supported", self.at - 1)
        self.expect("[")
        count = self.take("the number of states")
        self.expect("]")
        self.expect("{")
        start = self.at
        states = self.names_before("}")
        if not (count.isdecimal() and len(count) < 10 and int(count) == len(states)):
            shown = count if len(count) < 20 else count[:20] + "..."
            self.fail(f"variable {name} declares {shown} states but lists {len(states)}", start)
        if len(set(states)) < len(states):
            self.fail(f"variable {name} has two states with the same name", start)
        return states

    def read_probability(self) -> None:
        start = self.at - 1
        self.expect("(")
        family = [self.variable(name, start) for name in self.names_before(")")]
        if not family:
            self.fail("a probability block names no variable", start)
        child, *parents = family
        if child in self.tables:
            self.fail(f"the probabilities of {self.name(child)} are given twice", start)
        if len(set(family)) < len(family):
            self.fail(f"a variable is named twice in the family of {self.name(child)}", start)
        self.expect("{")
        table = self.read_table(child, parents, start)
        self.parents[child] = tuple(sorted(parents))
        self.tables[child] = table.transpose([*np.argsort(parents), len(parents)])

    def read_table(self, child: int, parents: list[int], start: int) -> NDArray[np.float64]:
        """Read the rows of one block; the axes are the parents as listed, then the child."""
        shape = [len(self.states[u]) for u in (*parents, child)]
        try:
            check_table(self.name(child), shape)
        except ForebearError as error:
            self.fail(str(error), start)
        codes = [{state: k for k, state in enumerate(self.states[p])} for p in parents]
        table = np.full(shape, np.nan)
        default: list[float] | None = None
        while (keyword := self.take('"}"')) != "}":
            if keyword == "(":
                row = self.row(codes, parents)
                if not np.isnan(table[row][0]):
                    self.fail(f"a row of {self.name(child)} is given twice", self.at - 1)
                table[row] = self.probabilities(shape[-1])
            elif keyword == "table":
                table = self.whole_table(shape)
            elif keyword == "default":
                default = self.probabilities(shape[-1])
            elif keyword == "property":
                self.at = self.find(";", self.at - 1) + 1
            else:
                self.fail(f'expected a row, table, default or "}}", got "{keyword}"', self.at - 1)
        missing = np.isnan(table[..., 0])
        if missing.any():
            if default is None:
                lacking = counted(int(missing.sum()), "row")
                self.fail(f"the probabilities of {self.name(child)} lack {lacking}", start)
            table[missing] = default
        return table

    def row(self, codes: list[dict[str, int]], parents: list[int]) -> tuple[int, ...]:
        start = self.at
        states = self.names_before(")")
        if len(states) != len(codes):
            self.fail(
                f"a row lists {counted(len(states), 'state')} for {counted(len(codes), 'parent')}",
                start,
            )
        try:
            return tuple([code[state] for code, state in zip(codes, states, strict=True)])
        except KeyError:
            p, state = next(
                (p, s) for p, code, s in zip(parents, codes, states, strict=True) if s not in code
            )
            self.fail(f"{self.name(p)} has no state {state}", start)

    def whole_table(self, shape: list[int]) -> NDArray[np.float64]:
        start = self.at
        table = np.array(self.numbers(int(np.prod(shape)))).reshape(shape[-1], *shape[:-1])
        sums = table.sum(axis=0)
        if not (np.abs(sums - 1) <= ROW_TOLERANCE).all():
            self.fail("the probabilities of a row do not sum to 1", start)
        return np.moveaxis(table, 0, -1)

    def probabilities(self, count: int) -> list[float]:
        start = self.at
        numbers = self.numbers(count)
        total = sum(numbers)
        if not abs(total - 1) <= ROW_TOLERANCE:
            self.fail(f"the probabilities sum to {total:.6g}, not 1", start)
        return numbers

    def numbers(self, count: int) -> list[float]:
        start = self.at
        self.at = self.find(";", start) + 1
        words = self.tokens[start : self.at - 1]
        try:
            numbers = [float(word) for word in words if word != ","]
        except ValueError:
            wrong = next(k for k, word in enumerate(words) if word != "," and not _is_number(word))
            self.fail(f'expected a probability, got "{words[wrong]}"', start + wrong)
        if len(numbers) != count:
            expected = counted(count, "probability", "probabilities")
            self.fail(f"expected {expected}, got {len(numbers):,}", start)
        if min(numbers) < 0:
            self.fail(f"probability {min(numbers):g} is negative", start)
        return numbers

    def variable(self, name: str, start: int) -> int:
        if name not in self.index:
            self.fail(f"variable {name} is not declared", start)
        return self.index[name]

    def name(self, v: int) -> str:
        return tuple(self.index)[v]

    def names_before(self, closing: str) -> tuple[str, ...]:
        start = self.at
        self.at = self.find(closing, start) + 1
        words = self.tokens[start : self.at - 1]
        return tuple([_name(word) for word in words if word not in _SEPARATORS])

    def take(self, what: str) -> str:
        if self.at >= len(self.tokens):
            self.fail(f"expected {what}, but the file ends", len(self.tokens) - 1)
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, symbol: str) -> None:
        if (token := self.take(f'"{symbol}"')) != symbol:
            self.fail(f'expected "{symbol}", got "{token}"', self.at - 1)

    def find(self, symbol: str, start: int) -> int:
        try:
            return self.tokens.index(symbol, start)
        except ValueError:
            self.fail(f'a "{symbol}" is missing after this point', start)

    def fail(self, what: str, at: int) -> NoReturn:
        # Lines are counted only for errors: counting them for every token would be slow.
        matches = (match for match in _TOKEN.finditer(self.text) if match[1])
        match = next(islice(matches, at, None), None)
        offset = len(self.text.rstrip()) if match is None else match.start()
        raise FileError.at(self.path, self.text.count("\n", 0, offset) + 1, what)


def _name(token: str) -> str:
    return _ESCAPE.sub(r"\1", token[1:-1]) if token[0] == '"' else token


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _blocks(fitted: FittedNetwork) -> Iterator[str]:
    """Write the file block by block."""
    names = [_spell(name) for name in fitted.network.names]
    states = [[_spell(state) for state in of_one] for of_one in fitted.states]
    yield "network unknown {\n}\n"
    for name, of_one in zip(names, states, strict=True):
        yield f"variable {name} {{\n"
        yield f"  type discrete [ {len(of_one)} ] {{ {', '.join(of_one)} }};\n}}\n"
    for v, parents in enumerate(fitted.network.parents):
        if parents:
            yield f"probability ( {names[v]} | {', '.join(names[p] for p in parents)} ) {{\n"
            yield from _rows([states[p] for p in parents], fitted.tables[v])
        else:
            yield f"probability ( {names[v]} ) {{\n"
            yield f"  table {_numbers(fitted.tables[v].tolist())};\n"
        yield "}\n"


def _rows(parent_states: list[list[str]], table: NDArray[np.float64]) -> Iterator[str]:
    rows = table.reshape(-1, table.shape[-1]).tolist()
    for given, row in zip(product(*parent_states), rows, strict=True):
        yield f"  ({', '.join(given)}) {_numbers(row)};\n"


def _numbers(row: Sequence[float]) -> str:
    return ", ".join(map(repr, row))


def _spell(name: str) -> str:
    """Write a name as one token: bare if possible, otherwise quoted."""
    if _BARE.fullmatch(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
