"""Read delimited text: CSV and similar formats, with or without a header."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

import numpy as np
import polars as pl

from forebear._util.errors import DataError, FileError, Parameter
from forebear.data.encoding import check_names
from forebear.data.formats.field_reader import (
    BLANKS,
    FieldFormat,
    FieldReader,
    need_record,
    typed_values,
)
from forebear.data.formats.text_stream import TextStream
from forebear.data.formats.texttypes import WHOLE, TextRules, typed_column
from forebear.data.normalization import mask_tokens
from forebear.data.raw_table import Column, RawTable
from forebear.data.read_options import MISSING_TOKENS, ReadOptions
from forebear.data.row_parts import Part
from forebear.data.table_batches import CheckTime

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": " "}

# Prefixes of lines before the header that are skipped by default.
_COMMENT = b"#"


def skip_comments(text: TextStream, comment: str | None) -> None:
    """Consume blank lines and comments at the start; reject a file without anything else."""
    text.skip_blank()
    while not text.rest or text.rest.isspace():
        if not text.read_more():
            raise FileError(f"{text.source}: the file is empty")
    if comment is None:
        return
    mark = comment.encode()
    skipped = []
    for line in text.lines():
        if line.strip(b" ") and not line.lstrip().startswith(mark):
            break
        skipped.append(line)
    else:
        raise FileError(
            f"{text.source}: every line starts with {comment!r}, so nothing is left: change ",
            Parameter("comment"),
        )
    text.consume_lines(skipped)


def skip_title(text: TextStream, separators: bytes) -> None:
    """Consume comments before the header; a header may itself start with ``#``.

    A line is the header if it has as many separators as the line after the comments.
    """
    title: list[bytes] = []
    for line in text.lines():
        if not line.strip(b" ") or line.lstrip().startswith(_COMMENT):
            title.append(line)
        else:
            pairs = [(title[-1].count(s), line.count(s)) for s in separators] if title else []
            if any(own == after > 0 for own, after in pairs):
                title.pop()
            text.consume_lines(title)
            return


def find_separator(text: TextStream, extension: str, comment: str | None, most: int = 20) -> str:
    """Determine the separator of a .csv or .txt file from its first lines, without comments.

    Where the comma is the decimal point, spreadsheets separate fields by semicolons, so both marks
    occur. Semicolons are the separator if all of these lines have the same number of them. So are
    single tabs in a .txt file; otherwise, its fields are separated by blanks.
    """
    mark = None if comment is None else comment.encode()
    used = (line for line in text.lines() if mark is None or not line.lstrip().startswith(mark))
    lines = list(islice(used, most))
    often = b"\t" if extension == ".txt" else b";"
    counts = {line.count(often) for line in lines if line.strip()}
    if len(counts) == 1 and max(counts) and b"\t\t" not in lines[0] and len(lines) > 1:
        return often.decode()
    if extension == ".txt":
        return BLANKS
    return "," if b"," in lines[0] else next((s for s in ";\t|" if s.encode() in lines[0]), ",")


def read_delimited(
    texts: Iterable[TextStream], extension: str, options: ReadOptions, check_time: CheckTime
) -> RawTable:
    """Read files of fields between separators, all with the same columns.

    With ``header=None``, the first row of the first file is data if every field of it fits its
    column: a number (or a missing value) if the column has only numbers, otherwise a text that
    occurs again in the column. A first row of consecutive whole numbers (0, 1, 2, ... or 2020,
    2021, 2022) is a header nevertheless, unless each number occurs in its own column. So is one
    with all columns that the options name. Without a header, the columns are called "0", "1", ...
    by position.
    """
    table: DelimitedTable | None = None
    for text in texts:
        skip_comments(text, options.comment)
        if options.comment is None:
            skip_title(text, b",;\t|" if extension == ".csv" else b"\t ")
        text.skip_blank()
        if table is None:
            table = DelimitedTable(text, _format_of(text, extension, options), options)
            table.reader.read(text, check_time)
            table.decide_header()
        else:
            table.check_header(text)
            table.reader.read(text, check_time)
    if table is None:
        raise FileError("there is no file to read")
    return table.finish()


def _format_of(text: TextStream, extension: str, options: ReadOptions) -> FieldFormat:
    comments = () if options.comment is None else (options.comment,)
    separator = SEPARATORS[extension]
    if extension != ".tsv":
        separator = find_separator(text, extension, options.comment)
    if separator == BLANKS:
        return FieldFormat(BLANKS, runs=True, comments=comments)
    return FieldFormat(separator, comments=comments, tokens=tuple(_rules(options).missing))


def _rules(options: ReadOptions) -> TextRules:
    """Return how fields are interpreted before the names of the columns are known."""
    default = options.default_tokens
    tokens: Sequence[str] = MISSING_TOKENS if default is None else default
    return TextRules(() if options.tokens_by_column else tokens, options.decimal_comma)


class DelimitedTable:
    """A table while its files are read."""

    def __init__(self, text: TextStream, form: FieldFormat, options: ReadOptions) -> None:
        self.form, self.options, self.source = form, options, text.source
        self.line, record = text.line, need_record(text, form)
        self.first, self.first_text = record.fields, record.text
        self.labels = [name.strip() or f"column_{i}" for i, name in enumerate(self.first, 1)]
        named = options.named_columns
        self.header = options.header
        if self.header is None and named <= set(self.labels) and named - set(self._positions):
            self.header = True
        used = [True] * len(self.first)
        if self.header is not None:
            chosen = set(options.select(self._names))
            used = [name in chosen for name in self._names]
        if self.header is not False:
            text.consume(len(record.text), record.n_lines)
        self.reader = FieldReader(form, used, options.rows, measured=True)
        self.used = used
        self._values: list[pl.Series] | None = None

    @property
    def _positions(self) -> list[str]:
        return [str(i) for i in range(len(self.first))]

    @property
    def _names(self) -> list[str]:
        names = self.labels if self.header else self._positions
        try:
            check_names(names)
        except DataError as error:
            raise FileError.at(self.source, self.line, error.message) from error
        return names

    def decide_header(self) -> None:
        """Decide by the rows of the first file whether its first line is a row, too."""
        parts, coder = self.reader.parts, self.reader.coder
        if self.header is not False and not parts.n_rows:
            raise FileError(f"{self.source}: the only line is the header, so there are no rows")
        if self.header is not None:
            return
        self._values = self._typed()
        self.header = not _is_row_of_data(self.first, self._values, _rules(self.options))
        if not self.header:
            self._values = None
            batch = coder.add(self.first_text, self.line, True, np.empty(0, np.uint8))
            keys = parts.keys(self.line, 1)
            parts.add(Part(*coder.codes(batch.rows), keys), first=True)

    def check_header(self, text: TextStream) -> None:
        """Consume the header of another file; reject one with other columns."""
        self._values = None
        if not self.header:
            return
        record = need_record(text, self.form)
        fields = record.fields
        text.consume(len(record.text), record.n_lines)
        for place, (name, own) in enumerate(zip(self.first, fields, strict=False), start=1):
            if name != own:
                raise FileError(
                    f"{text.source}: column {place} is {own!r}, but {name!r} in {self.source}: "
                    "all files must have the same columns in the same order"
                )
        if len(fields) != len(self.first):
            n_common = min(len(fields), len(self.first))
            has = "also has" if len(fields) > n_common else "lacks"
            name = max(fields, self.first, key=len)[n_common]
            raise FileError(f"{text.source}: the file {has} column {name!r}, unlike {self.source}")

    def finish(self) -> RawTable:
        """Find the types of the columns."""
        rules, own = _rules(self.options), self.options.tokens_by_column
        values = self._typed() if self._values is None else self._values
        names = [name for name, used in zip(self._names, self.used, strict=True) if used]
        chosen = set(self.options.select(self._names))
        n_rows = self.reader.parts.n_rows
        columns = []
        for name, typed, rows in zip(names, values, self.reader.parts.columns(), strict=True):
            if name not in chosen:
                continue
            if own:
                tokens = own.get(name, self.options.default_tokens or MISSING_TOKENS)
                typed = typed_column(mask_tokens(typed, tokens), rules)
            columns.append(Column.of(name, typed, rows).without_unused())
        return RawTable(columns, len(columns[0].rows) if columns else n_rows)

    def _typed(self) -> list[pl.Series]:
        return typed_values(self.reader, _rules(self.options))


def _is_row_of_data(first: Sequence[str], columns: list[pl.Series], rules: TextRules) -> bool:
    """Return whether the first row of a file is data rather than a header."""
    fields = [field.strip() for field in first]
    for field, column in zip(fields, columns, strict=True):
        one = typed_column(pl.Series([field]), rules)
        if one.null_count():
            continue
        if column.dtype == pl.String:
            if not ((column == field).any() or _are_whole(one, column)):
                return False
        elif not (_same_type(one, column) or (column.dtype.is_integer() and _are_whole(one))):
            return False
    # A text that fits occurs in its column; for numbers this is checked here.
    pairs = zip(fields, columns, strict=True)
    return not _are_consecutive(fields) or all(
        not column.dtype.is_numeric() or (column == int(field)).any() for field, column in pairs
    )


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


def quoted_field(text: str, separator: str, missing: Sequence[str]) -> str:
    """Write a field: in quotes if it could be misread without."""
    if text in missing or set(text) & {separator, '"', "\n", "\r"} or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text or '""'
