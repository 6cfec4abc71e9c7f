"""Table formats of other structure learners: ``.dat`` and ``.data``.

A ``.dat`` file, as GOBNILP and BLIP use it, has a line of names, a line with
the number of states of every column, then the rows. Fields are separated by
blanks, tabs or commas; lines that start with # are comments. A ``.data`` file
has only rows of 0s and 1s, separated by commas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from forebear._util.errors import DataError, FileError
from forebear._util.text import counted, listing
from forebear.data.distinct import natural_key, state_name
from forebear.data.encoding import check_names
from forebear.data.formats.delimited import read_body, read_fields, tabbed
from forebear.data.formats.lines import Lines
from forebear.data.formats.texttypes import TextRules
from forebear.data.frames import enum_series
from forebear.data.read_options import MAX_STATES, MISSING_TOKENS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.data.dataset import Dataset

_BINARY = ("0", "1")


def read_dat(lines: Lines) -> pl.DataFrame:
    """Read a ``.dat`` file; every column is an Enum with the declared number of states.

    If the values are integers from 0 (or from 1), the states are these integers
    up to the declared number. Otherwise they are the values that occur, then
    "unseen_1", ... up to that number.
    """
    kept = [i for i, text in enumerate(lines.texts) if not text.lstrip().startswith(b"#")]
    texts = [lines.texts[i].replace(b",", b" ") for i in kept]
    lines = tabbed(Lines(lines.source, texts, [lines.numbers[i] for i in kept]))
    if len(lines.texts) < 3:
        raise FileError(
            f"{lines.source}: a .dat file has a line of names, a line with the numbers of "
            f"states, then rows; this one has {counted(len(lines.texts), 'line')}"
        )
    names = [name.decode() for name in lines.texts[0].split(b"\t")]
    try:
        check_names(names)
    except DataError as error:
        raise FileError.at(lines.source, lines.numbers[0], error.message) from error
    arities = _read_arities(lines, len(names))
    body = lines.after(lines.numbers[1])
    columns = read_body(body, "\t", len(names), TextRules(MISSING_TOKENS, False)).get_columns()
    return pl.DataFrame(
        [
            _declared(column.alias(name), arity, body)
            for name, arity, column in zip(names, arities, columns, strict=True)
        ]
    )


def read_data(lines: Lines) -> pl.DataFrame:
    """Read rows of 0s and 1s; every column has both states and is named by position."""
    lines = lines.without_blank()
    lines.check_field_counts(b",", lines.texts[0].count(b",") + 1)
    frame = read_fields(lines, ",", infer_schema_length=0)
    frame.columns = [str(i) for i in range(frame.width)]
    good = frame.select(pl.all_horizontal(pl.all().is_in(_BINARY).fill_null(False))).to_series()
    if not good.all():
        bad = lines.numbers[int(np.argmin(good.to_numpy()))]
        what = "a .data file has only 0 and 1, separated by commas"
        raise FileError.at(lines.source, bad, what)
    return frame.cast(pl.Enum(_BINARY))


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


def _read_arities(lines: Lines, n_columns: int) -> list[int]:
    fields = lines.texts[1].split(b"\t")
    line = lines.numbers[1]
    if len(fields) != n_columns:
        raise lines.ragged(line, len(fields), n_columns)
    for field in fields:
        # The length first: Python does not parse integers with thousands of digits.
        if not field.isdigit() or len(field) > 9 or not 1 <= int(field) <= MAX_STATES:
            shown = field.decode()[:40]
            what = f"expected the numbers of states of the columns, got {shown!r}"
            raise FileError.at(lines.source, line, what)
    return [int(field) for field in fields]


def _declared(column: pl.Series, arity: int, lines: Lines) -> pl.Series:
    """Convert a column to an Enum of ``arity`` states."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
    if column.dtype.is_integer() and column.null_count() < len(column):
        low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
        for start in (0, 1):
            if start <= low and high < start + arity:
                places = column.fill_null(start - 1) if column.null_count() else column
                states = range(start, start + arity)
                return enum_series(column.name, places.to_numpy() - start, states)
    values = column.drop_nulls().unique().to_list()
    if len(values) > arity:
        raise _too_many(column, arity, lines)
    names = {value: state_name(value) for value in values}
    seen = sorted(names.values(), key=natural_key)
    unseen = [f"unseen_{i}" for i in range(1, arity - len(seen) + 1)]
    texts: Sequence[str | None] = [
        None if value is None else names[value] for value in column.to_list()
    ]
    return pl.Series(column.name, texts, dtype=pl.Enum([*seen, *unseen]))


def _too_many(column: pl.Series, arity: int, lines: Lines) -> FileError:
    """Return the error about the first line with a value beyond the declared number of states."""
    values = column.to_list()
    firsts = (column.is_first_distinct() & column.is_not_null()).arg_true().to_list()
    line, value = lines.numbers[firsts[arity]], values[firsts[arity]]
    declared = counted(arity, "state is", "states are")
    what = f"column {column.name!r} has one value more, {state_name(value)!r}: only {declared}"
    return FileError.at(lines.source, line, f"{what} declared")
