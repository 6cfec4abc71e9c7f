"""FieldReader: code the fields of delimited text, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from forebear._core import FieldBatch, FieldCoder
from forebear._util.errors import FileError, Message, Parameter
from forebear._util.text import counted
from forebear.data.formats.text_stream import TextStream
from forebear.data.formats.texttypes import TextRules, typed_column
from forebear.data.read_options import MAX_STATES
from forebear.data.row_parts import Part, RowParts
from forebear.data.table_batches import CheckTime

BLANKS = " \t\x0b\x0c"
"""What bytes.split() splits at."""

# A character for private use, which no table should have. It marks a field that is text although it
# looks like a missing value.
_MARK = "\uf8e1"

# Prefixes of lines that other programs skip; R, Weka and LaTeX write the second.
_LIKE_COMMENTS = (b"#", b"%", b"//")

_QUOTE_ERRORS = {
    "expected": "a quoted field is followed by more text",
    "unexpected_end": "unexpected end of data",
}

# Random keys are made from line numbers, so those of different files must differ.
_MOST_LINES = 1 << 40


class FieldFormat(NamedTuple):
    """How lines are divided into fields."""

    separators: str
    runs: bool = False
    """Whether several separators in a row count as one."""
    quotes: bool = True
    comments: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    """Texts that are marked if they are in quotes."""

    def coder(self, used: Sequence[bool], *, skip_blank: bool = True) -> FieldCoder:
        """Make a coder for the columns in use; a blank line is a row if it is not skipped."""
        return FieldCoder(
            separators=self.separators,
            runs=self.runs,
            quotes=self.quotes,
            skip_blank=skip_blank,
            comments=list(self.comments),
            tokens=list(self.tokens),
            mark=_MARK,
            used=list(used),
        )


class FieldReader:
    """Codes the rows of one or several files of the same columns.

    Parameters
    ----------
    form
        How lines are divided into fields.
    used
        Which columns are coded.
    sample_size
        The rows to keep, as in ``RowParts``.
    measured
        Whether columns may be measurements, whose texts get several codes and have no first lines.
    """

    def __init__(
        self,
        form: FieldFormat,
        used: Sequence[bool],
        sample_size: int | None,
        *,
        measured: bool = False,
    ) -> None:
        self.n_fields = len(used)
        # A blank line is a row of a table with one column.
        self.coder = form.coder(used, skip_blank=len(used) > 1 or form.runs or not form.quotes)
        self.parts = RowParts(sum(used), sample_size)
        self._measured = measured
        self._taken: dict[int, list[str]] = {}
        self._n_files = 0

    def read(self, text: TextStream, check_time: CheckTime) -> None:
        """Code the rest of a file."""
        base = self._n_files * _MOST_LINES
        self._n_files += 1
        while True:
            keep = np.empty(0, np.uint8)
            n_lines = 0 if self.parts.sample_size is None else text.rest.count(b"\n") + 1
            keys = self.parts.keys(base + text.line, n_lines)
            if keys is not None:
                keep = self.parts.may_be_kept(keys).view(np.uint8)
            batch = self.coder.add(text.rest, text.line, text.ended, keep)
            if batch.error:
                raise _field_error(batch, text, self.n_fields)
            if keys is not None:
                keys = keys[self.coder.lines() - text.line]
            self.parts.add(Part(*self.coder.codes(batch.rows), keys))
            if self._measured:
                self._take_texts()
            text.consume(batch.consumed, batch.lines)
            if text.ended:
                return
            text.read_more()
            check_time(text.share)

    def texts(self, column: int) -> pl.Series:
        """Return the text of every code."""
        joined = [*self._taken.get(column, ()), self.coder.texts(column)]
        # A zero byte follows every text, and occurs in none.
        pieces = pl.Series([piece[:-1] for piece in joined if piece], dtype=pl.String)
        return pieces.str.split("\0").explode()

    def _take_texts(self) -> None:
        """Store the texts of columns in which they hardly repeat, and stop looking them up.

        With more texts than a variable has states, such columns hold measurements. Looking the
        texts up would take half of the time and four times their memory.
        """
        sizes = self.coder.sizes()
        for column in np.flatnonzero(sizes > MAX_STATES).tolist():
            if column in self._taken or 2 * sizes[column] > self.parts.n_rows:
                self._taken.setdefault(column, []).append(self.coder.texts(column))
                self.coder.forget(column)


def _field_error(batch: FieldBatch, text: TextStream, n_fields: int) -> FileError:
    if batch.error in _QUOTE_ERRORS:
        what = f"the quotes do not match: {_QUOTE_ERRORS[batch.error]}"
        return FileError.at(text.source, batch.error_line, what)
    line = text.rest[batch.error_offset :]
    return ragged(text.source, batch.error_line, batch.found, n_fields, line)


def ragged(source: str, line: int, found: int, expected: int, text: bytes) -> FileError:
    """Return the error about a line with too few or too many fields."""
    what = f"expected {counted(expected, 'field')}, got {found:,}"
    start = text.lstrip()
    mark = next((m.decode() for m in _LIKE_COMMENTS if start.startswith(m)), None)
    if mark is None:
        return FileError.at(source, line, what)
    advice = Message(what, ": pass ", Parameter("comment", mark), " to leave out such lines")
    return FileError.at(source, line, advice)


class Record(NamedTuple):
    """The first record of a text, with the lines before it that are left out."""

    fields: list[str]
    text: bytes
    n_lines: int
    line: int
    """The number of its last line in the file."""


def first_record(text: TextStream, form: FieldFormat) -> Record | None:
    """Return the first record without consuming it; None if there is none."""
    while True:
        # A coder without columns reports the number of fields of the first record.
        batch = form.coder([]).add(text.rest, text.line, text.ended, np.empty(0, np.uint8))
        if batch.error == "ragged":
            break
        if batch.error:
            raise _field_error(batch, text, 0)
        if not text.read_more():
            return None
    coder = form._replace(tokens=()).coder([True] * batch.found)
    record = text.rest[: batch.consumed]
    coder.add(record, text.line, True, np.empty(0, np.uint8))
    fields = [coder.texts(column).removesuffix("\0") for column in range(batch.found)]
    return Record(fields, record, batch.lines, batch.error_line)


def need_record(text: TextStream, form: FieldFormat) -> Record:
    """Return the first record without consuming it; reject a file without any."""
    record = first_record(text, form)
    if record is None:
        raise FileError(f"{text.source}: the file is empty")
    return record


def typed_values(reader: FieldReader, rules: TextRules) -> list[pl.Series]:
    """Return the value of every distinct text, by column."""
    typed = []
    for column in range(reader.parts.n_columns):
        texts = reader.texts(column)
        # If every field is in quotes, the quotes have no meaning.
        if not reader.coder.any_unquoted:
            texts = texts.str.strip_prefix(_MARK)
        values = typed_column(texts, rules)
        typed.append(values.str.strip_prefix(_MARK) if values.dtype == pl.String else values)
    return typed
