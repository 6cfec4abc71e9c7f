"""BIF: the Bayesian network interchange format, version 0.15, plain or gzipped.

The reader accepts the variants that other tools write. Commas and ``|`` are
separators that may be omitted, as the specification says; names are bare words
or quoted; parents may be in any order; properties are skipped. In a ``table``
of a variable with parents, its own states vary slowest and those of the last
parent fastest; ``default`` fills the rows that are not listed.

The writer uses one row per combination of parent states, and ``repr``
precision, so that reading gives the same bits. A name that is a single word is
written bare, which every tool reads; other names are quoted. Inside quotes,
``\\"`` and ``\\\\`` are a quote and a backslash; BIF itself cannot express them.
Of the other readers, pgmpy accepts quoted names except for a variable with
spaces that has no parents, and pyAgrum accepts no quoted names. With
``names="safe"``, no name is quoted, and a comment holds the original names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forebear._util.text import counted
from forebear._util.text_files import read_text, write_text
from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.parsing import NetworkBuilder, Tokens, token_pattern
from forebear.network.formats.spelling import quoted, unquoted

_WORD = r'(?:[^\s{}()\[\]|,;"/]|/(?![/*]))+'
_TOKEN = token_pattern(r"//[^\n]* | /\*.*?\*/", r"{}()\[\]|,;", _WORD)
_BARE = re.compile(_WORD)
_SEPARATORS = frozenset(",|")


def read_bif(path: Path | str) -> FittedNetwork:
    """Read a network from a BIF file, gzipped or not."""
    text = read_text(path, "a BIF file")
    tokens = Tokens(path, text, _TOKEN)
    builder = NetworkBuilder(text)
    # Probabilities are read after all variables.
    probabilities: list[int] = []
    while tokens:
        keyword = tokens.take("a block")
        if keyword == "variable":
            _read_variable(tokens, builder)
        elif keyword in ("network", "probability"):
            if keyword == "probability":
                probabilities.append(tokens.at)
            tokens.until("}")
        else:
            tokens.fail(f'expected variable or probability, got "{keyword}"', tokens.at - 1)
    for tokens.at in probabilities:
        _read_probability(tokens, builder)
    return builder.build()


def write_bif(fitted: FittedNetwork, path: Path | str, note: str = "") -> None:
    """Write a network as a BIF file, gzipped when the name ends in ``.gz``."""
    write_text((f"// {note}\n" if note else "") + "".join(_blocks(fitted)), path)


def _read_variable(tokens: Tokens, builder: NetworkBuilder) -> None:
    start = tokens.at - 1
    name = unquoted(tokens.take("the name of a variable"))
    tokens.expect("{")
    states: tuple[str, ...] | None = None
    while (keyword := tokens.take('"}"')) != "}":
        if keyword == "type":
            states = _read_states(tokens, name)
        elif keyword == "property":
            tokens.until(";")
        elif keyword != ";":
            tokens.fail(f'expected type, property or "}}", got "{keyword}"', tokens.at - 1)
    if states is None:
        tokens.fail(f"variable {name} has no states", start)
    with tokens.errors_at(start):
        builder.declare(name, states)


def _read_states(tokens: Tokens, name: str) -> tuple[str, ...]:
    kind = tokens.take("the type of a variable")
    if kind != "discrete":
        tokens.fail(f"variable {name} is {kind}, but only discrete is supported", tokens.at - 1)
    tokens.expect("[")
    count = tokens.take("the number of states")
    tokens.expect("]")
    tokens.expect("{")
    start = tokens.at
    states = _names(tokens, "}")
    if count != str(len(states)):
        tokens.fail(f"variable {name} declares {count[:20]} states but lists {len(states)}", start)
    return states


def _read_probability(tokens: Tokens, builder: NetworkBuilder) -> None:
    start = tokens.at - 1
    child, parents, shape = builder.read_family(tokens, unquoted)
    codes = {
        parent: {state: k for k, state in enumerate(builder.states[parent])} for parent in parents
    }
    table = np.full(shape, np.nan)
    default: NDArray[np.float64] | None = None
    while (keyword := tokens.take('"}"')) != "}":
        if keyword == "(":
            row = _read_row(tokens, codes)
            if not np.isnan(table[row][0]):
                tokens.fail(f"a row of {child} is given twice", tokens.at - 1)
            table[row] = tokens.numbers(child, shape[-1])
        elif keyword == "table":
            numbers = tokens.numbers(child, math.prod(shape))
            table = np.moveaxis(numbers.reshape(shape[-1], *shape[:-1]), 0, -1)
        elif keyword == "default":
            default = tokens.numbers(child, shape[-1])
        elif keyword == "property":
            tokens.until(";")
        else:
            tokens.fail(f'expected a row, table, default or "}}", got "{keyword}"', tokens.at - 1)
    if default is not None:
        table[np.isnan(table[..., 0])] = default
    builder.add_rows(tokens, start, child, parents, table)


def _read_row(tokens: Tokens, codes: dict[str, dict[str, int]]) -> tuple[int, ...]:
    """Read the states of the parents in front of a row."""
    start = tokens.at
    states = _names(tokens, ")")
    if len(states) != len(codes):
        tokens.fail(
            f"a row lists {counted(len(states), 'state')} for {counted(len(codes), 'parent')}",
            start,
        )
    for parent, state in zip(codes, states, strict=True):
        if state not in codes[parent]:
            tokens.fail(f"{parent} has no state {state}", start)
    return tuple(own[state] for own, state in zip(codes.values(), states, strict=True))


def _names(tokens: Tokens, closing: str) -> tuple[str, ...]:
    return tuple([unquoted(t) for t in tokens.until(closing) if t not in _SEPARATORS])


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
            yield f"  table {', '.join(map(repr, fitted.tables[v].tolist()))};\n"
        yield "}\n"


def _rows(parent_states: list[list[str]], table: NDArray[np.float64]) -> Iterator[str]:
    rows = table.reshape(-1, table.shape[-1]).tolist()
    for given, row in zip(product(*parent_states), rows, strict=True):
        yield f"  ({', '.join(given)}) {', '.join(map(repr, row))};\n"


def _spell(name: str) -> str:
    """Return a name as one token: bare if possible, otherwise quoted."""
    return name if _BARE.fullmatch(name) else quoted(name)
