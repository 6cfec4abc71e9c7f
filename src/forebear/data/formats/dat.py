"""Table formats of other structure learners: ``.dat`` and ``.data``.

A ``.dat`` file, as GOBNILP and BLIP use it, has a line of names, a line with
the number of states of every column, then the rows. Fields are separated by
blanks, tabs or commas; lines that start with # are comments. A ``.data`` file
has only rows of 0s and 1s, separated by commas.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from forebear._util.errors import DataError, FileError
from forebear._util.text import counted, listing
from forebear.data.distinct import natural_key, state_name
from forebear.data.encoding import check_names
from forebear.data.formats.delimited import skip_comments
from forebear.data.formats.field_reader import (
    BLANKS,
    FieldFormat,
    FieldReader,
    Record,
    first_record,
    need_record,
    ragged,
    typed_values,
)
from forebear.data.formats.text_stream import TextStream
from forebear.data.formats.texttypes import TextRules, typed_column
from forebear.data.raw_table import Column, RawTable
from forebear.data.read_options import MAX_STATES, MISSING_TOKENS, ReadOptions
from forebear.data.table_batches import CheckTime

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset

_RULES = TextRules(MISSING_TOKENS, False)
_BINARY = ("0", "1")


class _DatHead(NamedTuple):
    """The first two lines of a ``.dat`` file."""

    names: list[str]
    arities: list[int]


def read_dat(texts: Iterable[TextStream], options: ReadOptions, check_time: CheckTime) -> RawTable:
    """Read ``.dat`` files; every column is an Enum with the declared number of states.

    If the values are integers from 0 (or from 1), the states are these integers
    up to the declared number. Otherwise they are the values that occur, then
    "unseen_1", ... up to that number.
    """
    comments = ("#",) if options.comment is None else ("#", options.comment)
    form = FieldFormat(f"{BLANKS},", runs=True, comments=comments)
    reader, head, source = None, _DatHead([], []), ""
    for text in texts:
        skip_comments(text, options.comment)
        own = _read_head(text, form)
        if reader is None:
            chosen, head, source = set(options.select(own.names)), own, text.source
            reader = FieldReader(form, [name in chosen for name in own.names], options.rows)
        elif own != head:
            raise FileError(f"{text.source}: the first two lines differ from those of {source}")
        n_before = reader.parts.n_rows
        reader.read(text, check_time)
        if reader.parts.n_rows == n_before:
            raise _too_short(text.source, 2)
        used = [pair for pair in zip(*head, strict=True) if pair[0] in chosen]
        for column, (name, arity) in enumerate(used):
            _check_arity(reader, column, name, arity, text.source)
    if reader is None:
        raise FileError("there is no file to read")
    values = typed_values(reader, _RULES)
    rows = reader.parts.columns()
    columns = [
        Column.of(name, _declared(own, arity), codes)
        for (name, arity), own, codes in zip(used, values, rows, strict=True)
    ]
    return RawTable(columns, len(rows[0]))


def read_data(texts: Iterable[TextStream], options: ReadOptions, check_time: CheckTime) -> RawTable:
    """Read rows of 0s and 1s; every column has both states and is named by position."""
    form = FieldFormat(",", quotes=False, comments=(options.comment,) if options.comment else ())
    reader, names = None, []
    for text in texts:
        skip_comments(text, options.comment)
        if reader is None:
            names = [str(i) for i in range(len(need_record(text, form).fields))]
            chosen = set(options.select(names))
            reader = FieldReader(form, [name in chosen for name in names], options.rows)
        reader.read(text, check_time)
        _check_binary(reader, text.source)
    if reader is None:
        raise FileError("there is no file to read")
    rows = reader.parts.columns()
    columns = [
        Column.of(name, reader.texts(column).cast(pl.Enum(_BINARY)), rows[column])
        for column, name in enumerate(name for name in names if name in chosen)
    ]
    return RawTable(columns, len(rows[0]))


def _check_binary(reader: FieldReader, source: str) -> None:
    """Reject values other than 0 and 1, by the first line that has one."""
    lines = [
        int(line)
        for column in range(reader.parts.n_columns)
        for text, line in zip(reader.texts(column), reader.coder.first_lines(column), strict=True)
        if text not in _BINARY
    ]
    if lines:
        what = "a .data file has only 0 and 1, separated by commas"
        raise FileError.at(source, min(lines), what)


def dat_bytes(dataset: Dataset) -> bytes:
    """Write a dataset in GOBNILP's form: states are numbers, and their names are lost."""
    _check_complete(dataset, ".dat")
    odd = [name for name in dataset.names if set(name) & set(" \t\n\r,") or name[:1] in ("", "#")]
    if odd:
        raise DataError(
            "names in a .dat file must not be empty, contain blanks or commas, or start with #: "
            f"rename {listing([repr(name) for name in odd])}"
        )
    heads = " ".join(dataset.names), " ".join(map(str, dataset.arities.tolist()))
    rows = pl.DataFrame(dataset.codes.T).write_csv(include_header=False, separator=" ")
    return "\n".join([*heads, rows]).encode()


def data_bytes(dataset: Dataset) -> bytes:
    """Write a dataset of 0s and 1s; names are lost."""
    _check_complete(dataset, ".data")
    odd = [n for n, states in zip(dataset.names, dataset.states, strict=True) if states != _BINARY]
    if odd:
        raise DataError(
            "a .data file has only variables with the states 0 and 1, "
            f"but some have other states ({listing(odd)}): write .csv or .parquet instead"
        )
    return pl.DataFrame(dataset.codes.T).write_csv(include_header=False).encode()


def _check_complete(dataset: Dataset, extension: str) -> None:
    if dataset.has_missing:
        raise DataError(
            f"a {extension} file cannot hold missing values: write .csv or .parquet instead"
        )


def _read_head(text: TextStream, form: FieldFormat) -> _DatHead:
    """Consume the names and the numbers of states."""
    records: list[Record] = []
    while len(records) < 2:
        if (record := first_record(text, form)) is None:
            raise _too_short(text.source, len(records))
        text.consume(len(record.text), record.n_lines)
        records.append(record)
    names, fields, line = records[0].fields, records[1].fields, records[1].line
    try:
        check_names(names)
    except DataError as error:
        raise FileError.at(text.source, records[0].line, error.message) from error
    if len(fields) != len(names):
        raise ragged(text.source, line, len(fields), len(names), b"")
    for field in fields:
        # The length first: Python does not parse integers with thousands of digits.
        digits = field.isascii() and field.isdigit() and len(field) < 10
        if not digits or not 1 <= int(field) <= MAX_STATES:
            what = f"expected the numbers of states of the columns, got {field[:40]!r}"
            raise FileError.at(text.source, line, what)
    return _DatHead(names, [int(field) for field in fields])


def _too_short(source: str, n_lines: int) -> FileError:
    return FileError(
        f"{source}: a .dat file has a line of names, a line with the numbers of "
        f"states, then rows; this one has {counted(n_lines, 'line')}"
    )


def _check_arity(reader: FieldReader, column: int, name: str, arity: int, source: str) -> None:
    """Reject more values than declared, by the first line that has one more."""
    texts = reader.texts(column)
    if len(texts) <= arity:
        return
    values = typed_column(texts, _RULES)
    firsts = (values.is_first_distinct() & values.is_not_null()).arg_true().to_list()
    if len(firsts) <= arity or _first_number(values, arity) is not None:
        return
    line = int(reader.coder.first_lines(column)[firsts[arity]])
    declared = counted(arity, "state is", "states are")
    more = f"column {name!r} has one value more, {state_name(values[firsts[arity]])!r}"
    raise FileError.at(source, line, f"{more}: only {declared} declared")


def _first_number(values: pl.Series, arity: int) -> int | None:
    """Return 0 or 1 if the values are integers from there within the declared number."""
    if not values.dtype.is_integer() or values.null_count() == len(values):
        return None
    low, high = int(values.min()), int(values.max())  # type: ignore[arg-type]
    return next((first for first in (0, 1) if first <= low and high < first + arity), None)


def _declared(values: pl.Series, arity: int) -> pl.Series:
    """Convert values to an Enum of ``arity`` states."""
    if values.dtype.is_float():
        values = values.fill_nan(None)
    texts = [None if value is None else state_name(value) for value in values.to_list()]
    first = _first_number(values, arity)
    if first is not None:
        states = [str(first + i) for i in range(arity)]
    else:
        seen = sorted({text for text in texts if text is not None}, key=natural_key)
        states = [*seen, *(f"unseen_{i}" for i in range(1, arity - len(seen) + 1))]
    return pl.Series(texts, dtype=pl.Enum(states))
