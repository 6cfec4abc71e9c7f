"""Reading of delimited text: CSV and similar formats, with or without a header."""

from __future__ import annotations

import io
import warnings
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from forebear._util.errors import DataError, FileError, ForebearWarning, Parameter
from forebear._util.text import listing
from forebear.data.encoding import check_names
from forebear.data.formats.lines import Lines
from forebear.data.formats.quoting import (
    protect_quoted,
    quoted_field,
    without_marks,
    without_quotes,
)
from forebear.data.formats.texttypes import WHOLE, typed_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forebear.data.formats.texttypes import TextRules


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
        _doubt(first, row, frame)
        return _named(pl.concat([row, frame], how="vertical_relaxed", rechunk=True), None, lines)
    return _named(frame, first, lines)


def read_body(lines: Lines, separator: str, n_fields: int, rules: TextRules) -> pl.DataFrame:
    """Read rows of data with ``n_fields`` fields each, and find the types of the columns."""
    if n_fields == 1:
        # In a table with one column, a blank line is a row with a missing value.
        fields = [record[0] if record else "" for record in _checked(lines, separator, 1)]
        columns = [pl.Series("0", fields, dtype=pl.String)]
    elif any(b'"' in text for text in lines.texts):
        columns = _read_quoted(lines, separator, n_fields, rules.missing)
        return pl.DataFrame([without_marks(typed_column(column, rules)) for column in columns])
    else:
        lines.check_field_counts(separator.encode(), n_fields)
        columns = _parse(lines, separator, rules).get_columns()
    return pl.DataFrame([typed_column(column, rules) for column in columns])


def _read_quoted(
    lines: Lines, separator: str, n_fields: int, missing: Sequence[str]
) -> list[pl.Series]:
    """Read quoted fields. Most contain nothing that would have to be protected first."""
    apart = separator.encode()
    if all(text.count(apart) + 1 == n_fields and b"\n" not in text for text in lines.texts):
        columns = _split_quoted(lines, separator, missing)
        if len(columns) == n_fields:
            return columns
    lines = protect_quoted(lines, separator)
    lines.check_field_counts(apart, n_fields)
    return _split_quoted(lines, separator, missing)


def _split_quoted(lines: Lines, separator: str, missing: Sequence[str]) -> list[pl.Series]:
    """Split lines at every separator; leave out columns whose fields contain some."""
    # All is text at first, also missing values: in quotes they may be text in the end.
    split = _read(lines, separator, infer_schema_length=0).get_columns()
    found = (without_quotes(column, separator, missing) for column in split)
    return [column for column in found if column is not None]


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
    if column.dtype.is_numeric():
        return one.dtype.is_numeric()
    if column.dtype.is_temporal():
        return one.dtype.is_temporal()
    return one.dtype == column.dtype


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


def _doubt(first: Sequence[str], row: pl.DataFrame, frame: pl.DataFrame) -> None:
    """Warn if the first row is taken as data, but looks like names that are numbers."""
    # With fewer rows, a first row beyond all others is likely enough by chance to say nothing.
    if frame.width < 2 or frame.height < 10 or len(set(first)) < len(first):
        return
    for number, column in zip(row.row(0), frame.get_columns(), strict=True):
        low, high = (column.min(), column.max()) if column.dtype.is_numeric() else (None, None)
        if number is None or low is None or float(low) <= number <= float(high):  # type: ignore[arg-type]
            return
    warnings.warn(
        ForebearWarning(
            f"the first line ({listing(list(first))}) is taken as data, although its numbers are "
            "unlike those below: if they are names, pass ",
            Parameter("header", True),
        ),
        stacklevel=2,
    )


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


def _checked(lines: Lines, separator: str, expected: int) -> Iterator[list[str]]:
    """Yield every record, after a check of its number of fields."""
    for line, record in lines.records(separator):
        if len(record) != expected and (record or expected > 1):
            raise lines.ragged(line, len(record), expected)
        yield record


def _parse(lines: Lines, separator: str, rules: TextRules) -> pl.DataFrame:
    """Let Polars guess the types from the first rows; read all as text if it guessed wrong."""
    if not rules.decimal_comma:  # with it, 1.234 is a thousand and more
        try:
            return _read(lines, separator, null_values=list(rules.missing))
        except pl.exceptions.PolarsError:
            pass
    return _read(lines, separator, infer_schema_length=0)


def _read(lines: Lines, separator: str, **settings: Any) -> pl.DataFrame:
    """Read fields without quotes."""
    return pl.read_csv(
        io.BytesIO(b"\n".join(lines.texts)),
        has_header=False,
        separator=separator,
        quote_char=None,
        **settings,
    )


def tabbed(lines: Lines) -> Lines:
    """Convert lines of fields between blanks to lines with one tab between fields."""
    if not any(b'"' in text for text in lines.texts):
        texts = [b"\t".join(text.split()) for text in lines.texts]
        return replace(lines, texts=texts).without_blank()
    spaced = [text.replace(b"\t", b" ").strip() for text in lines.texts]
    records = dict(replace(lines, texts=spaced).without_blank().records(" "))
    texts = ["\t".join(quoted_field(f, "\t", ()) for f in own).encode() for own in records.values()]
    return Lines(lines.source, texts, list(records))
