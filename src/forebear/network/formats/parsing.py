"""Tokens and NetworkBuilder, which the readers of network files share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forebear._util.errors import FileError, ForebearError
from forebear._util.text import counted
from forebear.network.conditional_tables import check_table
from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.spelling import with_original_names
from forebear.network.network import Network


def token_pattern(skipped: str, symbols: str, word: str) -> re.Pattern[str]:
    """Return a pattern whose group is a token: a symbol, a quoted name or a word.

    Blanks, and comments that ``skipped`` matches, are not captured. The alternatives must differ
    in their first characters, so that scanning takes linear time.
    """
    quoted = r'" [^"\\]*+ (?: \\. [^"\\]*+ )*+ "'
    whole = rf"(?: \s+ | {skipped} ) | ( [{symbols}] | {quoted} | {word} | . )"
    return re.compile(whole, re.VERBOSE | re.DOTALL)


class Tokens:
    """The tokens of one file, and the current position."""

    def __init__(self, path: Path | str, text: str, pattern: re.Pattern[str]) -> None:
        self._path, self._text, self._pattern = path, text, pattern
        self.all: list[str] = [token for token in pattern.findall(text) if token]
        self.at = 0
        if '"' in self.all:
            self.fail("a quote is not closed", self.all.index('"'))

    def __bool__(self) -> bool:
        """Whether tokens are left."""
        return self.at < len(self.all)

    def take(self, what: str) -> str:
        """Return the next token; ``what`` describes it in the error if the file ends."""
        if not self:
            self.fail(f"expected {what}, but the file ends", len(self.all))
        self.at += 1
        return self.all[self.at - 1]

    def expect(self, symbol: str) -> None:
        """Skip a symbol, which must be the next token."""
        if (token := self.take(f'"{symbol}"')) != symbol:
            self.fail(f'expected "{symbol}", got "{token}"', self.at - 1)

    def until(self, symbol: str) -> list[str]:
        """Return the tokens up to a symbol, and skip it."""
        start = self.at
        try:
            end = self.all.index(symbol, start)
        except ValueError:
            self.fail(f'a "{symbol}" is missing after this point', start)
        self.at = end + 1
        return self.all[start:end]

    def fail(self, what: object, at: int) -> NoReturn:
        """Raise an error about a token, with its line."""
        # Lines are counted only in case of an error, because counting them is slow.
        matches = (match for match in self._pattern.finditer(self._text) if match[1])
        match = next(islice(matches, at, None), None)
        offset = len(self._text.rstrip()) if match is None else match.start()
        raise FileError.at(self._path, self._text.count("\n", 0, offset) + 1, what) from None

    @contextmanager
    def errors_at(self, at: int) -> Iterator[None]:
        """Add the line of a token to errors."""
        try:
            yield
        except FileError:
            raise
        except ForebearError as error:
            self.fail(error.message, at)

    def numbers(self, child: str, count: int) -> NDArray[np.float64]:
        """Read ``count`` probabilities of a variable, up to a semicolon."""
        start = self.at
        with self.errors_at(start):
            numbers = parse_numbers((word for word in self.until(";") if word != ","), child)
        if len(numbers) != count:
            expected = counted(count, "probability", "probabilities")
            self.fail(f"expected {expected}, got {len(numbers):,}", start)
        return np.array(numbers)


def parse_numbers(words: Iterable[str], child: str) -> list[float]:
    """Read the probabilities of a variable."""
    try:
        return [float(word) for word in words]
    except ValueError as error:
        raise ForebearError(f"the probabilities of {child} must be numbers: {error}") from None


class NetworkBuilder:
    """Builds a fitted network from variables and families in any order.

    ``text`` is the file, which may have a note with the original names.
    """

    def __init__(self, text: str = "") -> None:
        self._text = text
        self.states: dict[str, tuple[str, ...]] = {}
        self._families: dict[str, tuple[list[str], ArrayLike]] = {}

    def declare(self, name: str, states: Iterable[str]) -> None:
        """Add a variable."""
        if name in self.states:
            raise ForebearError(f"variable {name} is declared twice")
        self.states[name] = tuple(states)

    def read_family(
        self, tokens: Tokens, name_of: Callable[[str], str]
    ) -> tuple[str, list[str], list[int]]:
        """Read ``( child | parents ) {``; return the family and the shape of its table."""
        start = tokens.at - 1
        tokens.expect("(")
        family = [name_of(token) for token in tokens.until(")") if token not in ("|", ",")]
        if not family:
            tokens.fail("a probability block names no variable", start)
        child, *parents = family
        with tokens.errors_at(start):
            shape = self.shape_of(child, parents)
        tokens.expect("{")
        return child, parents, shape

    def shape_of(self, child: str, parents: Sequence[str]) -> list[int]:
        """Check a family of declared variables, and return the shape of its table."""
        members = (*parents, child)
        for name in members:
            if name not in self.states:
                raise ForebearError(f"variable {name} is not declared")
        if child in self._families:
            raise ForebearError(f"the probabilities of {child} are given twice")
        if len(set(members)) < len(members):
            raise ForebearError(f"a variable is named twice in the family of {child}")
        shape = [len(self.states[name]) for name in members]
        check_table(child, shape)
        return shape

    def add_cells(self, child: str, parents: Sequence[str], cells: Sequence[float]) -> None:
        """Add a family by its probabilities in one list.

        The states of the child vary fastest and those of the first parent slowest.
        """
        shape = self.shape_of(child, parents)
        if len(cells) != (needed := math.prod(shape)):
            shown = counted(needed, "probability", "probabilities")
            raise ForebearError(f"{child} requires {shown}, got {len(cells):,}")
        self.add_table(child, parents, np.reshape(cells, shape))

    def add_rows(
        self, tokens: Tokens, start: int, child: str, parents: Sequence[str], table: ArrayLike
    ) -> None:
        """Add a family by its table, in which rows that the file lacks are NaN."""
        if lacking := int(np.isnan(np.asarray(table)[..., 0]).sum()):
            tokens.fail(f"the probabilities of {child} lack {counted(lacking, 'row')}", start)
        self.add_table(child, parents, table)

    def add_table(self, child: str, parents: Sequence[str], table: ArrayLike) -> None:
        """Add a family by its table: one axis per parent as listed, then the child."""
        self.shape_of(child, parents)
        self._families[child] = (list(parents), table)

    def build(self) -> FittedNetwork:
        """Return the network."""
        index = {name: v for v, name in enumerate(self.states)}
        parents, tables = [], []
        for name in self.states:
            if name not in self._families:
                raise ForebearError(f"variable {name} has no probabilities")
            family, table = self._families[name]
            listed = [index[parent] for parent in family]
            parents.append(tuple(listed))
            tables.append(np.transpose(table, [*np.argsort(listed, kind="stable"), len(listed)]))
        network = Network(tuple(self.states), tuple(parents))
        fitted = FittedNetwork(network, tuple(self.states.values()), tuple(tables))
        return with_original_names(fitted, self._text)
