"""Quotes around fields that would be missing values without them, such as "NA"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from forebear.data.blocks import Cells, blocks_of, code_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forebear.data.formats.lines import Lines

# Marks a field that is text; a character for private use, which no table should have.
_TEXT = "\uf8e1"


def has_quoted(lines: Lines, missing: Sequence[str]) -> bool:
    """Tell whether some field may be a missing value in quotes."""
    if not missing:
        return False
    quoted = re.compile(b'"(?:' + b"|".join(re.escape(one.encode()) for one in missing) + b')"')
    return any(quoted.search(text) for text in lines.texts)


def mark_quoted(
    records: Sequence[list[str]], lines: Lines, separator: str, missing: Sequence[str]
) -> None:
    """Mark the quoted fields that are text although they look like missing values.

    They are text where other fields of their column have no quotes: there the
    quotes say something. A program that quotes everything says nothing with them.
    """
    flags = list(_flags(lines, separator))
    if [len(record) for record in records] != [len(row) for row in flags]:
        return  # Quotes inside fields, of which the two readers think differently.
    width = len(records[0])
    bare = {
        i
        for record, row in zip(records, flags, strict=True)
        for i in range(width)
        if record[i] and not row[i]
    }
    tokens = set(missing)
    for record, row in zip(records, flags, strict=True):
        for i in bare:
            if row[i] and record[i] in tokens:
                record[i] = _TEXT + record[i]


def without_quotes(columns: Sequence[pl.Series], missing: Sequence[str]) -> list[pl.Series] | None:
    """Take quotes away, and mark as ``mark_quoted`` does, in columns of split text.

    Return None if some quote is not at the end of a field, so that the field may contain
    separators, line ends or quotes.
    """
    found: list[pl.Series] = []
    for block in blocks_of(columns):
        raw, codes = code_texts(block)
        text = raw.str.strip_chars_start(" ")
        quoted = text.str.starts_with('"')
        if not (text.str.contains('"', literal=True) == text.str.contains('^"[^"]*"$')).all():
            return None
        plain = text.str.replace_all('"', "", literal=True)
        marked = (_TEXT + plain).zip_with(quoted & plain.is_in(list(missing)), plain)
        cells = Cells.of(codes, len(raw))
        has_quotes = cells.any(quoted.to_numpy())
        has_bare = cells.any((~quoted & (text != "")).to_numpy())
        for i, column in enumerate(block):
            texts = (marked if has_bare[i] else plain).extend_constant(None, 1)
            found.append(texts.gather(codes[i]).alias(column.name) if has_quotes[i] else column)
    return found


def without_marks(column: pl.Series) -> pl.Series:
    """Take the marks away again."""
    return column.str.strip_prefix(_TEXT) if column.dtype == pl.String else column


def quoted_field(text: str, separator: str, missing: Sequence[str]) -> str:
    """Write a field: in quotes if it could be misread without."""
    if text in missing or set(text) & {separator, '"', "\n", "\r"} or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text or '""'


def _flags(lines: Lines, separator: str) -> Iterator[list[bool]]:
    """Tell of every field of every record whether it is in quotes."""
    text = b"\n".join(lines.texts).decode()
    apart = re.escape(separator)
    field = re.compile(rf'[ ]*("(?:[^"]|"")*"[ ]*|[^{apart}\n]*)({apart}|\n|\Z)')
    row: list[bool] = []
    at = 0
    while match := field.match(text, at):
        row.append(match[1].startswith('"'))
        at = match.end()
        if match[2] != separator:
            yield row
            row = []
            if match[2] == "":
                return
