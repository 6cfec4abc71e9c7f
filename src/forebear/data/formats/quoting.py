"""Quotes around fields: what they contain, and what they mean for missing values such as "NA"."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

import polars as pl

from forebear._util.errors import FileError
from forebear.data.formats.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

# Characters for private use, which no table should have. One marks a field that is text although it
# looks like a missing value; the others stand for what would end a field.
_TEXT, _SEPARATOR, _LINE_END, _QUOTE = "\uf8e1", "\uf8e2", "\uf8e3", "\uf8e4"


def protect_quoted(lines: Lines, separator: str) -> Lines:
    """Replace separators, line ends and quotes inside quoted fields, so that text can be split.

    A record over several lines becomes one line, with the number of its last line.
    """
    apart = re.escape(separator)
    quoted = re.compile(rf'(^|{apart}) *"((?:[^"]|"")*+)"(?=$|{apart})', re.MULTILINE)
    unmatched = re.compile(rf'(?:^|{apart}) *"(?![^"]*"(?:$|{apart}))')

    def protect(field: re.Match[str]) -> str:
        inner = field[2].replace('""', _QUOTE).replace(separator, _SEPARATOR)
        return field[1] + '"' + inner.replace("\n", _LINE_END) + '"'

    texts = quoted.sub(protect, b"\n".join(lines.texts).decode()).split("\n")
    # A line of a converted .txt file may be a whole record already.
    pairs = zip(lines.texts, lines.numbers, strict=True)
    before = [number for text, number in pairs for _ in text.split(b"\n")]
    numbers = [before[end - 1] for end in accumulate(t.count(_LINE_END) + 1 for t in texts)]
    for number, text in zip(numbers, texts, strict=True):
        if unmatched.search(text):
            raise FileError.at(lines.source, number, "the quotes do not match")
    return Lines(lines.source, [text.encode() for text in texts], numbers)


def without_quotes(column: pl.Series, separator: str, missing: Sequence[str]) -> pl.Series | None:
    """Remove quotes, and mark quoted fields that are text although they look like missing values.

    They are text where other fields of their column have no quotes: there the quotes mean
    something. A program that quotes everything means nothing by them. Returns None if a quoted
    field does not end with a quote, so that it has to be protected before.
    """
    text = column.str.strip_chars_start(" ")
    quoted = text.str.starts_with('"')
    if not (quoted == text.str.contains('^"[^"]*"$')).all():
        return None
    if not quoted.any():
        return column
    plain = text.str.strip_chars('"').zip_with(quoted, text)
    if (~quoted & (text != "")).any():
        plain = (_TEXT + plain).zip_with(quoted & plain.is_in(list(missing)), plain)
    if plain.str.contains(f"[{_SEPARATOR}{_LINE_END}{_QUOTE}]").any():
        for mark, content in ((_SEPARATOR, separator), (_LINE_END, "\n"), (_QUOTE, '"')):
            plain = plain.str.replace_all(mark, content, literal=True)
    return plain.alias(column.name)


def without_marks(column: pl.Series) -> pl.Series:
    """Remove the marks of text."""
    return column.str.strip_prefix(_TEXT) if column.dtype == pl.String else column


def quoted_field(text: str, separator: str, missing: Sequence[str]) -> str:
    """Write a field: in quotes if it could be misread without."""
    if text in missing or set(text) & {separator, '"', "\n", "\r"} or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text or '""'
