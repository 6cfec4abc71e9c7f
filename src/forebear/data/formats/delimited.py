"""Reading of delimited text: CSV and similar formats, with or without a header."""

from __future__ import annotations

import csv
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
from forebear.data.formats.quoting import has_quoted, mark_quoted, without_marks, without_quotes
from forebear.data.formats.texttypes import WHOLE, typed_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from forebear.data.formats.texttypes import TextRules

# Rows from which the types are guessed; a wrong guess only costs a second pass.
_ROWS_TO_GUESS = 100

# With fewer rows, a first row beyond all others is likely enough by chance to say nothing.
_ROWS_TO_DOUBT = 10


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
        records = [record or [""] for record in _checked(lines, separator, 1)]
        frame = pl.DataFrame({"0": pl.Series([record[0] for record in records], dtype=pl.String)})
        return pl.DataFrame(typed_columns(frame.get_columns(), rules))
    data = b"\n".join(lines.texts)
    if b'"' in data:
        found = _split_quoted(data, lines, separator, n_fields, rules)
        columns = typed_columns(found or _read_quoted(lines, separator, n_fields, rules), rules)
        return pl.DataFrame([without_marks(column) for column in columns])
    lines.check_field_counts(separator.encode(), n_fields)
    columns = _parse(data, separator, rules).get_columns()
    return pl.DataFrame(typed_columns(columns, rules))


def _split_quoted(
    data: bytes, lines: Lines, separator: str, n_fields: int, rules: TextRules
) -> list[pl.Series] | None:
    """Read quoted fields; None if some contain separators, line ends or quotes.

    Splitting at every separator is many times quicker than ``_read_quoted``.
    """
    if any(text.count(separator.encode()) != n_fields - 1 for text in lines.texts):
        return None
    # All is text at first, also missing values: in quotes they may be text in the end.
    split = _read(data, separator)
    return without_quotes(split.get_columns(), rules.missing)


def _read_quoted(lines: Lines, separator: str, n_fields: int, rules: TextRules) -> list[pl.Series]:
    """Read quoted fields of any content.

    Polars and Python differ about quotes inside fields, so Python parses and rewrites them.
    """
    checked: Iterable[list[str]] = _checked(lines, separator, n_fields)
    if has_quoted(lines, rules.missing):
        checked = list(checked)
        mark_quoted(checked, lines, separator, rules.missing)
    return _parse(_as_text(checked, separator), separator, rules, quoted=True).get_columns()


def _row_of_data(
    first: Sequence[str], frame: pl.DataFrame, rules: TextRules
) -> pl.DataFrame | None:
    """Return the first row of a file as data; None if it is a header."""
    fields = [field.strip() for field in first]
    columns = frame.get_columns()
    texts = [pl.Series(c.name, [f]) for c, f in zip(columns, fields, strict=True)]
    typed = typed_columns(texts, rules)
    row = []
    for field, one, column in zip(fields, typed, columns, strict=True):
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
    """Tell whether all texts are whole numbers: those beyond 64 bits are read as text."""
    return all(c.cast(pl.String).str.contains(WHOLE).fill_null(True).all() for c in columns)


def _same_type(one: pl.Series, column: pl.Series) -> bool:
    if column.dtype.is_numeric():
        return one.dtype.is_numeric()
    if column.dtype.is_temporal():
        return one.dtype.is_temporal()
    return one.dtype == column.dtype


def _are_consecutive(fields: list[str]) -> bool:
    """Tell whether the fields are whole numbers at equal distances, such as years.

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
    if frame.width < 2 or frame.height < _ROWS_TO_DOUBT or len(set(first)) < len(first):
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


def _parse(data: bytes, separator: str, rules: TextRules, *, quoted: bool = False) -> pl.DataFrame:
    """Let Polars guess the types from the first rows; read all as text if it guessed wrong."""
    settings: dict[str, Any] = {"quote_char": '"' if quoted else None, "missing": rules.missing}
    if rules.decimal_comma:
        return _read(data, separator, **settings)  # 1.234 is a thousand and more: no guesses
    guessing = {**settings, "rows_to_guess": _ROWS_TO_GUESS}
    try:
        first = _read(data, separator, **guessing, n_rows=_ROWS_TO_GUESS)
        if all(dtype == pl.String for dtype in first.dtypes):
            # In text, missing values are found later, and in less time.
            return _read(data, separator, quote_char=settings["quote_char"])
        return _read(data, separator, **guessing)
    except pl.exceptions.PolarsError:
        return _read(data, separator, **settings)


def _read(
    data: bytes,
    separator: str,
    *,
    quote_char: str | None = None,
    missing: Sequence[str] = (),
    rows_to_guess: int = 0,
    n_rows: int | None = None,
) -> pl.DataFrame:
    return pl.read_csv(
        io.BytesIO(data),
        has_header=False,
        separator=separator,
        quote_char=quote_char,
        null_values=list(missing),
        infer_schema_length=rows_to_guess,
        n_rows=n_rows,
    )


def _as_text(records: Iterable[Sequence[str]], separator: str) -> bytes:
    """Write records as text, with quotes where they are needed."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(records)
    return out.getvalue().encode()


def tabbed(lines: Lines) -> Lines:
    """Convert lines of fields between blanks to lines with one tab between fields."""
    if not any(b'"' in text for text in lines.texts):
        texts = [_tabbed_plain(text) for text in lines.texts]
        return replace(lines, texts=texts).without_blank()
    spaced = [text.replace(b"\t", b" ").strip() for text in lines.texts]
    records = list(replace(lines, texts=spaced).without_blank().records(" "))
    texts = [_as_text([record], "\t").removesuffix(b"\n") for _, record in records]
    return Lines(lines.source, texts, [number for number, _ in records])


def _tabbed_plain(text: bytes) -> bytes:
    """Convert one line without quotes; most have single blanks, which are quick to replace."""
    if b"  " in text or b"\t" in text:
        return b"\t".join(text.split())
    return text.strip().replace(b" ", b"\t")
