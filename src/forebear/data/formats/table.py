"""Reading of table files; the extension names the format.

=========================  ====================================================
``.csv``, ``.tsv``         a header (optional: see ``read_delimited``) and rows;
                           .csv also with semicolons, if its first line has
                           semicolons and no commas
``.txt``                   the same, with blanks between fields
``.parquet``               Apache Parquet
``.arrow .feather .ipc``   Arrow IPC, as a file or a stream
``.dat``                   GOBNILP and BLIP: names, numbers of states, rows
``.data``                  rows of 0s and 1s, separated by commas
=========================  ====================================================

Each may be compressed, with ``.gz`` after the extension. In text, an empty
field and NA, N/A, NaN, nan, null, NULL, ? and * are missing values, numbers are
read as numbers (01 is 1), and true, True, TRUE and their opposites as booleans.
Parquet and Arrow keep declared states in Enum columns; ``.dat`` keeps their
number; CSV keeps only the states that occur.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import polars as pl

from forebear._util.errors import FileError
from forebear._util.filekinds import advice_on, describe_file
from forebear._util.packed import unpack
from forebear.data.formats.dat import read_dat, read_data
from forebear.data.formats.delimited import Lines, read_delimited, tabbed

STANDARD_INPUT = "-"

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": " "}
_ARROW = (".arrow", ".feather", ".ipc")
# Some damaged files make Polars panic, which is not an Exception.
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
EXTENSIONS = (*SEPARATORS, ".parquet", *_ARROW, ".dat", ".data")

_ONE_OF = (
    f"the extension of a table must be one of {', '.join(EXTENSIONS)}, each also with .gz after it"
)


def read_table(path: Path | str, *, header: bool | None = None) -> pl.DataFrame:
    """Read a raw table, with declared states as Enum columns; "-" is CSV on standard input."""
    if str(path) == STANDARD_INPUT:
        return _parse(sys.stdin.buffer.read(), ".csv", "standard input", header)
    extension, zipped = split_extension(path)
    data = _read_bytes(Path(path))
    return _parse(unpack(data, path) if zipped else data, extension, str(path), header)


def split_extension(path: Path | str, *, written: bool = False) -> tuple[str, bool]:
    """Return the extension that names the format, and whether ``.gz`` follows it.

    A file to be written need not be there: what it is now does not matter.
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    extension = (suffixes[:-1] if zipped else suffixes)[-1:]
    if not extension or extension[0] not in EXTENSIONS:
        raise FileError(f"{path}: {_ONE_OF if written else _not_a_table(path)}")
    return extension[0], zipped


def _parse(data: bytes, extension: str, source: str, header: bool | None) -> pl.DataFrame:
    if extension == ".parquet" or extension in _ARROW:
        return _parse_binary(data, extension, source)
    lines = Lines.of(data, source)
    if extension == ".dat":
        return read_dat(lines)
    if extension == ".data":
        return read_data(lines)
    if extension == ".txt":
        return read_delimited(tabbed(lines), "\t", header)
    separator = SEPARATORS[extension]
    if extension == ".csv" and b"," not in lines.texts[0]:
        # Spreadsheets write semicolons where the comma is the decimal point.
        separator = next((s for s in ";\t|" if s.encode() in lines.texts[0]), separator)
    return read_delimited(lines, separator, header)


def _parse_binary(data: bytes, extension: str, source: str) -> pl.DataFrame:
    if not data:
        raise FileError(f"{source}: the file is empty")
    try:
        if extension == ".parquet":
            return pl.read_parquet(io.BytesIO(data))
        # Arrow files start with a magic word; streams do not.
        is_file = data.startswith(b"ARROW1")
        return (pl.read_ipc if is_file else pl.read_ipc_stream)(io.BytesIO(data))
    except _UNREADABLE as error:
        kind = "Parquet" if extension == ".parquet" else "Arrow"
        why = str(error).partition("\n")[0]
        raise FileError(f"{source}: this file cannot be read as {kind}: {why}") from error


def _not_a_table(path: Path | str) -> str:
    """Say why a file is not a table, and what to do."""
    if advice := advice_on(path):
        return advice
    if (found := describe_file(path)) and "table" not in found:
        return f"a table is expected, but this is {found}"
    return _ONE_OF


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise FileError(f"{path}: there is no such file") from error
    except IsADirectoryError as error:
        raise FileError(f"{path}: this is a directory, not a table") from error
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
