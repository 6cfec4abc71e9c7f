"""Read table files; the extension determines the format.

=========================  ====================================================
``.csv``, ``.tsv``         a header (optional: see ``read_delimited``) and rows;
                           .csv also with semicolons, if every line has as many
                           or the first has no commas
``.txt``                   the same, with blanks between fields
``.parquet``               Apache Parquet
``.arrow .feather .ipc``   Arrow IPC, as a file or a stream
``.xlsx``                  Excel workbooks, with the package fastexcel
``.dat``                   GOBNILP and BLIP: names, numbers of states, rows
``.data``                  rows of 0s and 1s, separated by commas
=========================  ====================================================

Each may be compressed, with ``.gz`` after the extension. In text, an empty
field and NA, N/A, NaN, nan, null, NULL, ? and * are missing values, numbers are
read as numbers (01 is 1), true, True, TRUE and their opposites as booleans, and
2024-12-31 and 31.12.2024 as dates. Parquet and Arrow keep declared states in Enum columns and
dictionaries; ``.dat`` keeps their number; CSV keeps only the states that occur.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from forebear._util.errors import DataError, FileError, Parameter, is_address
from forebear._util.file_kinds import advice_on, describe_file
from forebear._util.fork_check import check_not_forked
from forebear._util.text_files import unpack
from forebear.data.encoding import mask_tokens
from forebear.data.examples import resolve_example
from forebear.data.formats.binary import ARROW, EXCEL, PARQUET, read_binary, read_excel
from forebear.data.formats.dat import read_dat, read_data
from forebear.data.formats.delimited import read_delimited, tabbed
from forebear.data.formats.lines import Lines
from forebear.data.formats.texttypes import TextRules, typed_column
from forebear.data.frames import is_frame, polars_from_array, polars_from_frame
from forebear.data.read_options import MISSING_TOKENS, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

STANDARD_INPUT = "-"

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": " "}
EXTENSIONS = (*SEPARATORS, PARQUET, *ARROW, *EXCEL, ".dat", ".data")
WRITTEN = tuple(extension for extension in EXTENSIONS if extension not in EXCEL)
_TEXT_ONLY = ("header", "encoding", "decimal_comma", "comment")


def load_table(data: Any, options: ReadOptions, names: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the raw table of a path, a data frame or an array.

    Parameters
    ----------
    data
        A path, which may name an example, a data frame or a two-dimensional array.
    options
        How to read it. Options about files are rejected for other sources.
    names
        The names of the columns of an array.

    Returns
    -------
    polars.DataFrame
        The table, with declared states as Enum columns.
    """
    if isinstance(data, (str, Path)):
        return read_table(resolve_example(data), options)
    if not (isinstance(data, np.ndarray) or is_frame(data)):
        raise DataError(
            "a table is expected (a path, a data frame, a 2-D array or a Dataset), "
            f"got {type(data).__name__}"
        )
    options.check_no_file()
    return (
        polars_from_array(data, names) if isinstance(data, np.ndarray) else polars_from_frame(data)
    )


def read_table(path: Path | str, options: ReadOptions | None = None) -> pl.DataFrame:
    """Read a raw table, with declared states as Enum columns; "-" is CSV on standard input."""
    check_not_forked()
    how = options or ReadOptions()
    if str(path) == STANDARD_INPUT:
        return _parse(sys.stdin.buffer.read(), ".csv", "standard input", how)
    if is_address(path):
        raise FileError.unreadable(path, FileNotFoundError())
    extension, zipped = split_extension(path)
    _check_options(extension, how)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    return _parse(unpack(data, path) if zipped else data, extension, str(path), how)


def split_extension(path: Path | str, *, written: bool = False) -> tuple[str, bool]:
    """Return the extension that names the format, and whether ``.gz`` follows it.

    A file to be written need not be there: what it is now does not matter.
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    extension = (suffixes[:-1] if zipped else suffixes)[-1:]
    if not extension or extension[0] not in (WRITTEN if written else EXTENSIONS):
        raise FileError(f"{path}: {_one_of(WRITTEN) if written else _not_a_table(path)}")
    return extension[0], zipped


def _parse(data: bytes, extension: str, source: str, options: ReadOptions) -> pl.DataFrame:
    if extension == PARQUET or extension in ARROW:
        return read_binary(data, extension, source)
    if extension in EXCEL:
        return read_excel(data, source, options.sheet)
    lines = Lines.of(data, source, options.encoding)
    if options.comment is not None:
        lines = lines.without_comments(options.comment)
    if extension == ".dat":
        return read_dat(lines)
    if extension == ".data":
        return read_data(lines)
    return _parse_delimited(lines, extension, options)


def _parse_delimited(lines: Lines, extension: str, options: ReadOptions) -> pl.DataFrame:
    if options.comment is None:
        lines = lines.without_title(b",;\t|" if extension == ".csv" else b"\t ")
    separator = "\t" if extension == ".txt" else SEPARATORS[extension]
    if extension == ".csv":
        separator = _separator(lines)
    default = options.default_tokens
    missing: Sequence[str] = MISSING_TOKENS if default is None else default
    rules = TextRules(missing, options.decimal_comma)
    if extension == ".txt":
        lines = tabbed(lines)
    if not options.tokens_by_column:
        return read_delimited(lines, separator, options.header, rules)
    # Tokens of single columns: these must not be converted before their tokens are gone.
    frame = read_delimited(lines, separator, options.header, rules._replace(missing=()))
    return _with_own_tokens(frame, rules, options)


def _separator(lines: Lines, most: int = 20) -> str:
    """Find what separates the fields of a .csv file.

    Spreadsheets write semicolons where the comma is the decimal point, so that
    both occur: semicolons separate if each of the first lines has as many.
    """
    first = lines.texts[0]
    semicolons = {text.count(b";") for text in lines.texts[:most] if text.strip()}
    if len(semicolons) == 1 and b";" in first and len(lines.texts) > 1:
        return ";"
    return "," if b"," in first else next((s for s in ";\t|" if s.encode() in first), ",")


def _with_own_tokens(frame: pl.DataFrame, rules: TextRules, options: ReadOptions) -> pl.DataFrame:
    own = options.tokens_by_column
    masked = [
        mask_tokens(column, own.get(column.name, rules.missing)) for column in frame.get_columns()
    ]
    return pl.DataFrame([typed_column(column, rules._replace(missing=())) for column in masked])


def _check_options(extension: str, options: ReadOptions) -> None:
    """Reject options that have no effect on this kind of file."""
    binary = extension == PARQUET or extension in ARROW or extension in EXCEL
    unused = [name for name in _TEXT_ONLY if binary and getattr(options, name) is not None]
    unused += ["sheet"] * (options.sheet is not None and extension not in EXCEL)
    if unused:
        what = "workbooks (.xlsx)" if unused[0] == "sheet" else "text files"
        raise FileError(Parameter(unused[0]), f" is for {what}, not for {extension}")


def _one_of(extensions: Sequence[str]) -> str:
    listed = ", ".join(extensions)
    return f"the extension of a table must be one of {listed}, each also with .gz after it"


def _not_a_table(path: Path | str) -> str:
    """Explain why a file is not a table, and what to do."""
    if advice := advice_on(path):
        return advice
    if (found := describe_file(path)) and "table" not in found:
        return f"a table is expected, but this is {found}"
    return _one_of(EXTENSIONS)
