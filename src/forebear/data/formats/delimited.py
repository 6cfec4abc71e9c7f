"""Reading of delimited text: CSV and similar formats, with or without a header."""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from forebear._util.errors import DataError, FileError
from forebear._util.text import counted
from forebear.data.encoding import NUMBER, check_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# A field with one of these is a missing value; so is an empty field.
MISSING_MARKS = ("NA", "N/A", "NaN", "nan", "null", "NULL", "?", "*")

# How Polars, pandas and R write booleans.
BOOLEANS = ("false", "true", "False", "True", "FALSE", "TRUE")

# Rows from which the types are guessed; a wrong guess only costs a second pass.
_ROWS_TO_GUESS = 100


@dataclass(frozen=True)
class Lines:
    """The lines of a text file, with their numbers in the file."""

    source: str
    texts: list[bytes]
    numbers: Sequence[int]

    @classmethod
    def of(cls, data: bytes, source: str) -> Lines:
        """Split UTF-8 text with any line ending; leave out blank lines at both ends."""
        data = data.removeprefix(b"\xef\xbb\xbf")
        _check_utf8(data, source)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not data.strip():
            raise FileError(f"{source}: the file is empty")
        texts = data.split(b"\n")
        kept = [i for i, text in enumerate(texts) if not _is_blank(text)]
        first, last = kept[0], kept[-1]
        return cls(source, texts[first : last + 1], range(first + 1, last + 2))

    def without_blank(self) -> Lines:
        """Leave out blank lines."""
        kept = [i for i, text in enumerate(self.texts) if not _is_blank(text)]
        if len(kept) == len(self.texts):
            return self
        return Lines(self.source, [self.texts[i] for i in kept], [self.numbers[i] for i in kept])

    def after(self, number: int) -> Lines:
        """Return the lines after this one in the file."""
        start = bisect_right(self.numbers, number)
        return Lines(self.source, self.texts[start:], self.numbers[start:])

    def records(self, separator: str) -> Iterator[tuple[int, list[str]]]:
        """Parse every record; yield it with the number of its last line in the file."""
        decoded = (f"{text.decode()}\n" for text in self.texts)
        reader = csv.reader(decoded, delimiter=separator, skipinitialspace=True, strict=True)
        try:
            for record in reader:
                yield self.numbers[reader.line_num - 1], record
        except csv.Error as error:
            line = self.numbers[reader.line_num - 1]
            raise FileError.at(self.source, line, f"the quotes do not match: {error}") from error


def read_delimited(lines: Lines, separator: str, header: bool | None) -> pl.DataFrame:
    """Read lines of fields between separators.

    With ``header=None``, the first row is data if every field of it fits its
    column: a number (or a mark of a missing value) if the column has only
    numbers, otherwise a text that occurs again in the column. A first row that
    numbers the columns (0, 1, 2, ... or 1, 2, 3, ...) is a header nevertheless,
    unless each number occurs in its own column. Without a header, the columns
    are called "0", "1", ... by position.
    """
    last, first = next(lines.records(separator))
    if len(first) > 1:
        lines = lines.without_blank()
        last, first = next(lines.records(separator))
    if header is False:
        return _named(read_body(lines, separator, len(first)), None, lines)
    body = lines.after(last)
    if not body.texts:
        raise FileError(f"{lines.source}: the only line is the header, so there are no rows")
    frame = read_body(body, separator, len(first))
    if header is None and first_row_is_data(first, frame):
        return _named(_with_first_row(first, frame), None, lines)
    return _named(frame, first, lines)


def read_body(lines: Lines, separator: str, n_fields: int) -> pl.DataFrame:
    """Read rows of data with ``n_fields`` fields each, and find the types of the columns."""
    if n_fields == 1:
        # In a table with one column, a blank line is a row with a missing value.
        fields = [record[0] if record else "" for record in _checked(lines, separator, 1)]
        frame = pl.DataFrame({"0": pl.Series(fields, dtype=pl.String)})
        return pl.DataFrame([_typed(column) for column in frame.get_columns()])
    quoted = any(b'"' in text for text in lines.texts)
    if quoted:
        # Polars and Python differ about quotes inside fields, so Python parses and rewrites them.
        data = _as_text(_checked(lines, separator, n_fields), separator)
    else:
        _check_field_counts(lines, separator.encode(), n_fields)
        data = b"\n".join(lines.texts)
    frame = _parse(data, separator, quoted)
    return pl.DataFrame([_typed(column) for column in frame.get_columns()])


def first_row_is_data(first: Sequence[str], frame: pl.DataFrame) -> bool:
    """Tell whether the first row of a file is data, by the rule of ``read_delimited``."""
    fields = [field.strip() for field in first]
    columns = frame.get_columns()
    if not all(_fits(*pair) for pair in zip(fields, columns, strict=True)):
        return False
    if _number_the_columns(fields):
        # A text that fits occurs in its column; for numbers this is checked here.
        pairs = zip(fields, columns, strict=True)
        return all(not c.dtype.is_numeric() or (c == int(field)).any() for field, c in pairs)
    return True


def _number_the_columns(fields: list[str]) -> bool:
    n_fields = len(fields)
    counts = (range(n_fields), range(1, n_fields + 1))
    return n_fields > 1 and fields in [list(map(str, count)) for count in counts]


def _fits(field: str, column: pl.Series) -> bool:
    if field == "" or field in MISSING_MARKS:
        return True
    if column.dtype.is_numeric():
        return NUMBER.fullmatch(field) is not None
    if column.dtype == pl.Boolean:
        return field in BOOLEANS
    return bool((column == field).any())


def _with_first_row(first: Sequence[str], frame: pl.DataFrame) -> pl.DataFrame:
    """Add the first row of the file to the frame of the other rows."""
    fields = zip(first, frame.get_columns(), strict=True)
    row = pl.DataFrame([_first_field(field.strip(), column) for field, column in fields])
    return pl.concat([row, frame], how="vertical_relaxed", rechunk=True)


def _first_field(field: str, column: pl.Series) -> pl.Series:
    """Convert a field of the first row to the type of its column, or to float if it must be."""
    name, dtype = column.name, column.dtype
    if field == "" or field in MISSING_MARKS:
        return pl.Series(name, [None], dtype=dtype)
    if dtype == pl.Boolean:
        return pl.Series(name, [field.lower() == "true"])
    if dtype == pl.String:
        return pl.Series(name, [field])
    whole = dtype.is_integer() and field.lstrip("+-").isdigit() and abs(float(field)) < 2**63
    return pl.Series(name, [int(field) if whole else float(field)])


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


def _is_blank(text: bytes) -> bool:
    """Tell whether a line is blank; a line of tabs is not, since it may separate missing values."""
    return not text or not text.strip(b" ")


def _check_utf8(data: bytes, source: str) -> None:
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = "the text is not UTF-8: save the file in the encoding UTF-8"
        raise FileError.at(source, line, what) from error


def _check_field_counts(lines: Lines, separator: bytes, expected: int) -> None:
    """Check the number of separators of every line of a file without quotes."""
    wanted = expected - 1
    for line, text in zip(lines.numbers, lines.texts, strict=True):
        if text.count(separator) != wanted:
            raise ragged(lines.source, line, text.count(separator) + 1, expected)


def _checked(lines: Lines, separator: str, expected: int) -> Iterator[list[str]]:
    """Yield every record, after a check of its number of fields."""
    for line, record in lines.records(separator):
        if len(record) != expected and (record or expected > 1):
            raise ragged(lines.source, line, len(record), expected)
        yield record


def ragged(source: str, line: int, found: int, expected: int) -> FileError:
    """Make the error about a line with too few or too many fields."""
    return FileError.at(source, line, f"expected {counted(expected, 'field')}, got {found:,}")


def _parse(data: bytes, separator: str, quoted: bool) -> pl.DataFrame:
    """Let Polars guess the types from the first rows; read all as text if it guessed wrong."""

    def read(rows_to_guess: int) -> pl.DataFrame:
        return pl.read_csv(
            io.BytesIO(data),
            has_header=False,
            separator=separator,
            quote_char='"' if quoted else None,
            null_values=list(MISSING_MARKS),
            infer_schema_length=rows_to_guess,
        )

    try:
        return read(_ROWS_TO_GUESS)
    except pl.exceptions.PolarsError:
        return read(0)


def _typed(column: pl.Series) -> pl.Series:
    """Strip blanks from text, and convert it to booleans or numbers if all of it allows."""
    if column.dtype != pl.String:
        return column
    text = column.str.strip_chars()
    text = text.set(text.is_in(["", *MISSING_MARKS]), None)
    if text.null_count() == len(text):
        return text.cast(pl.Int64)
    if text.is_in(BOOLEANS).sum() == len(text) - text.null_count():
        return text.str.to_lowercase() == "true"
    for dtype in (pl.Int64, pl.Float64):
        numbers = text.cast(dtype, strict=False)
        if numbers.null_count() == text.null_count():
            return numbers
    return text


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
