"""Read delimited text: CSV and similar formats, with or without a header."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from forebear._util.errors import DataError, FileError
from forebear.data.encoding import check_names
from forebear.data.formats.lines import Lines
from forebear.data.formats.texttypes import WHOLE, typed_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.data.formats.texttypes import TextRules

# A character for private use, which no table should have. It marks a field that is text although it
# looks like a missing value.
_MARK = "\uf8e1"


def read_delimited(
    lines: Lines, separator: str, header: bool | None, rules: TextRules
) -> pl.DataFrame:
    """Read lines of fields between separators.

    With ``header=None``, the first row is data if every field of it fits its
    column: a number (or a missing value) if the column has only numbers,
    otherwise a text that occurs again in the column. A first row of consecutive
    whole numbers (0, 1, 2, ... or 2020, 2021, 2022) is a header nevertheless,
    unless each number occurs in its own column. Without a header, the columns
    are called "0", "1", ... by position.
    """
    last, first = next(lines.records(separator))
    if len(first) > 1:
        lines = lines.without_blank()
        last, first = next(lines.records(separator))
    if header is False:
        return _named(read_body(lines, separator, len(first), rules), None, lines)
    body = lines.after(last)
    if not body.texts:
        raise FileError(f"{lines.source}: the only line is the header, so there are no rows")
    frame = read_body(body, separator, len(first), rules)
    if header is None and (row := _row_of_data(first, frame, rules)) is not None:
        return _named(pl.concat([row, frame], how="vertical_relaxed", rechunk=True), None, lines)
    return _named(frame, first, lines)


def read_body(lines: Lines, separator: str, n_fields: int, rules: TextRules) -> pl.DataFrame:
    """Read rows of data with ``n_fields`` fields each, and find the types of the columns."""
    if any(b'"' in text for text in lines.texts):
        columns = _read_quoted(_mark_texts(lines, rules.missing), separator, n_fields)
        return pl.DataFrame([_without_marks(typed_column(column, rules)) for column in columns])
    lines.check_field_counts(separator.encode(), n_fields)
    columns = _parse(lines, separator, rules).get_columns()
    return pl.DataFrame([typed_column(column, rules) for column in columns])


def _mark_texts(lines: Lines, missing: Sequence[str]) -> Lines:
    """Mark missing values in quotes as text, unless all fields are quoted."""
    tokens = re.compile(b'"(%s)"' % "|".join(map(re.escape, missing)).encode())
    if not missing or not any(map(tokens.search, lines.texts)):
        return lines
    quoted, texts = re.compile(rb'"[^"]*"'), lines.texts
    if any(text.count(b'"') % 2 for text in texts):  # some fields have several lines
        texts = [b"\n".join(texts)]
    if not any(re.search(rb"[^,;\t| \n]", quoted.sub(b"", text)) for text in texts):
        return lines
    marked = b'"%s\\1"' % _MARK.encode()
    return replace(lines, texts=[tokens.sub(marked, text) for text in lines.texts])


def _without_marks(column: pl.Series) -> pl.Series:
    return column.str.replace_all(_MARK, "") if column.dtype == pl.String else column


def _read_quoted(lines: Lines, separator: str, n_fields: int) -> list[pl.Series]:
    """Read quoted fields: by Polars if every line is a record and quotes surround whole fields."""
    texts = pl.Series(lines.texts, dtype=pl.Binary).cast(pl.String)
    apart = re.escape(separator)
    field = f'(?:"(?:[^"]|"")*"|[^"{apart}]*)'
    separators = texts.str.replace_all('"[^"]*"', "").str.count_matches(separator, literal=True)
    if (separators + 1 == n_fields).all() and texts.str.contains(
        f"^{field}({apart}{field})*$"
    ).all():
        return read_fields(lines, separator, infer_schema_length=0, quote_char='"').get_columns()
    return _read_records(lines, separator, n_fields)


def _read_records(lines: Lines, separator: str, n_fields: int) -> list[pl.Series]:
    """Read records that may have several lines, and quotes anywhere."""
    records, frames = lines.records(separator), []
    while batch := list(islice(records, 100_000)):
        for line, record in batch:
            if len(record) != n_fields and (record or n_fields > 1):
                raise lines.ragged(line, len(record), n_fields)
        fields = zip(*(record or [""] for _, record in batch), strict=True)
        frames.append(pl.DataFrame([pl.Series(str(i), own) for i, own in enumerate(fields)]))
    return pl.concat(frames).get_columns()


def _row_of_data(
    first: Sequence[str], frame: pl.DataFrame, rules: TextRules
) -> pl.DataFrame | None:
    """Return the first row of a file as data; None if it is a header."""
    fields = [field.strip() for field in first]
    columns = frame.get_columns()
    row = []
    for field, column in zip(fields, columns, strict=True):
        one = typed_column(pl.Series(column.name, [field]), rules)
        if one.null_count():
            row.append(pl.Series(column.name, [None], dtype=column.dtype))
        elif column.dtype == pl.String:
            if not ((column == field).any() or _are_whole(one, column)):
                return None
            row.append(pl.Series(column.name, [field]))
        elif _same_type(one, column) or (column.dtype.is_integer() and _are_whole(one)):
            row.append(one)
        else:
            return None
    if _are_consecutive(fields):
        # A text that fits occurs in its column; for numbers this is checked here.
        pairs = zip(fields, columns, strict=True)
        if not all(not c.dtype.is_numeric() or (c == int(field)).any() for field, c in pairs):
            return None
    return pl.DataFrame(row)


def _are_whole(*columns: pl.Series) -> bool:
    """Return whether all texts are whole numbers: those beyond 64 bits are read as text."""
    return all(c.cast(pl.String).str.contains(WHOLE).fill_null(True).all() for c in columns)


def _same_type(one: pl.Series, column: pl.Series) -> bool:
    pair = one.dtype, column.dtype
    return (
        one.dtype == column.dtype
        or all(dtype.is_numeric() for dtype in pair)
        or all(dtype.is_temporal() for dtype in pair)
    )


def _are_consecutive(fields: list[str]) -> bool:
    """Return whether the fields are whole numbers at equal distances, such as years.

    Two such numbers are common by chance, except where they number the columns.
    """
    if len(fields) < 2 or not all(f.isascii() and f.isdigit() and len(f) < 10 for f in fields):
        return False
    numbers = [int(field) for field in fields]
    steps = {after - before for before, after in pairwise(numbers)}
    one_by_one = steps == {1} and numbers[0] <= 1
    return one_by_one or (len(fields) > 2 and len(steps) == 1 and steps != {0})


def _named(frame: pl.DataFrame, names: Sequence[str] | None, lines: Lines) -> pl.DataFrame:
    """Name the columns; those that the header leaves blank are named by position."""
    if names is None:
        labels = [str(i) for i in range(frame.width)]
    else:
        labels = [name.strip() or f"column_{i}" for i, name in enumerate(names, start=1)]
    try:
        check_names(labels)
    except DataError as error:
        raise FileError.at(lines.source, lines.numbers[0], error.message) from error
    frame.columns = labels
    return frame


def _parse(lines: Lines, separator: str, rules: TextRules) -> pl.DataFrame:
    """Let Polars guess the types from the first rows; read all as text if it guessed wrong."""
    if not rules.decimal_comma:  # with it, 1.234 is a thousand and more
        try:
            return read_fields(lines, separator, null_values=list(rules.missing))
        except pl.exceptions.PolarsError:
            pass
    return read_fields(lines, separator, infer_schema_length=0)


def read_fields(lines: Lines, separator: str, **settings: Any) -> pl.DataFrame:
    """Read fields with Polars; quotes are interpreted only if a setting requests it."""
    settings.setdefault("quote_char", None)
    content = io.BytesIO(b"\n".join(lines.texts))
    return pl.read_csv(content, has_header=False, separator=separator, **settings)


def tabbed(lines: Lines) -> Lines:
    """Convert lines of fields between blanks to lines with one tab between fields."""
    if not any(b'"' in text for text in lines.texts):
        texts = [b"\t".join(text.split()) for text in lines.texts]
        return replace(lines, texts=texts).without_blank()
    spaced = [text.replace(b"\t", b" ").strip() for text in lines.texts]
    records = dict(replace(lines, texts=spaced).without_blank().records(" "))
    texts = ["\t".join(quoted_field(f, "\t", ()) for f in own).encode() for own in records.values()]
    return Lines(lines.source, texts, list(records))


def quoted_field(text: str, separator: str, missing: Sequence[str]) -> str:
    """Write a field: in quotes if it could be misread without."""
    if text in missing or set(text) & {separator, '"', "\n", "\r"} or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text or '""'
