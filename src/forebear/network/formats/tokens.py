"""Tokens: the words and symbols of a file in BIF or in Hugin's language, one after another."""

from __future__ import annotations

import re
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NoReturn

from forebear._util.errors import FileError, ForebearError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def token_pattern(skipped: str, symbols: str, word: str) -> re.Pattern[str]:
    """Return a pattern whose group is a token: a symbol, a quoted name or a word.

    Blanks, and comments that ``skipped`` matches, are not captured. The alternatives must differ
    in their first characters, so that scanning takes linear time.
    """
    quoted = r'" [^"\\]*+ (?: \\. [^"\\]*+ )*+ "'
    whole = rf"(?: \s+ | {skipped} ) | ( [{symbols}] | {quoted} | {word} | . )"
    return re.compile(whole, re.VERBOSE | re.DOTALL)


class Tokens:
    """The tokens of one file, and the place that has been reached."""

    def __init__(self, path: Path | str, text: str, pattern: re.Pattern[str]) -> None:
        self.path = path
        self._text, self._pattern = text, pattern
        self.all: list[str] = [token for token in pattern.findall(text) if token]
        self.at = 0
        if '"' in self.all:
            self.fail("a quote is not closed", self.all.index('"'))

    def __bool__(self) -> bool:
        """Whether tokens are left."""
        return self.at < len(self.all)

    def take(self, what: str) -> str:
        """Return the next token; ``what`` is said to be missing if the file ends."""
        if not self:
            self.fail(f"expected {what}, but the file ends", len(self.all))
        self.at += 1
        return self.all[self.at - 1]

    def expect(self, symbol: str) -> None:
        """Go past a symbol."""
        if (token := self.take(f'"{symbol}"')) != symbol:
            self.fail(f'expected "{symbol}", got "{token}"', self.at - 1)

    def until(self, symbol: str) -> list[str]:
        """Return the tokens up to a symbol, and go past it."""
        start = self.at
        try:
            end = self.all.index(symbol, start)
        except ValueError:
            self.fail(f'a "{symbol}" is missing after this point', start)
        self.at = end + 1
        return self.all[start:end]

    def fail(self, what: object, at: int) -> NoReturn:
        """Raise an error about a token, with its line."""
        # Lines are counted only for errors: counting them for every token would be slow.
        matches = (match for match in self._pattern.finditer(self._text) if match[1])
        match = next(islice(matches, at, None), None)
        offset = len(self._text.rstrip()) if match is None else match.start()
        raise FileError.at(self.path, self._text.count("\n", 0, offset) + 1, what) from None

    @contextmanager
    def errors_at(self, at: int) -> Iterator[None]:
        """Add the line of a token to errors."""
        try:
            yield
        except FileError:
            raise
        except ForebearError as error:
            self.fail(error.message, at)
