"""Reading and writing tables, by extension; each also with ``.gz`` after it.

=========================  ====================================================
``.csv``, ``.tsv``         a header (or not: see ``read_delimited``) and rows;
                           .csv also with semicolons where its first line has
                           those and no commas
``.txt``                   the same, fields between blanks
``.parquet``               Apache Parquet
``.arrow .feather .ipc``   Arrow IPC, as a file or a stream
``.dat``                   GOBNILP's and BLIP's form: names, arities, rows
``.data``                  rows of 0s and 1s between commas
=========================  ====================================================

In text an empty field and NA, N/A, NaN, nan, null, NULL, ? and * are missing
values, numbers are read as numbers (01 is 1), and true, True, TRUE and their
opposites as booleans. Parquet and Arrow keep declared
states in Enum columns; ``.dat`` keeps their number; CSV keeps only what is seen.
"""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from forebear._util.errors import FileError
from forebear._util.files import atomic_path
from forebear._util.packed import unpack
from forebear.data.formats.dat import dat_bytes, data_bytes, read_dat, read_data
from forebear.data.formats.delimited import Lines, read_delimited, tabbed

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset

STANDARD_INPUT = "-"

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": " "}
_ARROW = (".arrow", ".feather", ".ipc")
# Polars panics, outside Exception, over some damaged files.
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
EXTENSIONS = (*_SEPARATORS, ".parquet", *_ARROW, ".dat", ".data")


def read_table(path: Path | str, *, header: bool | None = None) -> pl.DataFrame:
    """Read a table as it is, declared states as Enum columns; "-" is CSV on standard input."""
    if str(path) == STANDARD_INPUT:
        return _parse(sys.stdin.buffer.read(), ".csv", "standard input", header)
    extension, zipped = split_extension(path)
    data = _read_bytes(Path(path))
    return _parse(unpack(data, path) if zipped else data, extension, str(path), header)


def write_table(dataset: Dataset, path: Path | str) -> None:
    """Write a dataset whole or not at all, in the form that the extension names."""
    extension, zipped = split_extension(path)
    data = _format(dataset, extension)
    with atomic_path(path) as temporary:
        # No time in the file: the same dataset gives the same bytes.
        temporary.write_bytes(gzip.compress(data, mtime=0) if zipped else data)


def split_extension(path: Path | str) -> tuple[str, bool]:
    """The extension that names the format, and whether ``.gz`` follows it."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    extension = (suffixes[:-1] if zipped else suffixes)[-1:]
    if not extension or extension[0] not in EXTENSIONS:
        raise FileError(
            f"{path}: the extension must be one of {', '.join(EXTENSIONS)}, "
            "or one of these with .gz after it"
        )
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
    separator = _SEPARATORS[extension]
    if extension == ".csv" and b"," not in lines.texts[0]:
        # Semicolons are what spreadsheets write where the comma is the decimal point.
        separator = next((s for s in ";\t|" if s.encode() in lines.texts[0]), separator)
    return read_delimited(lines, separator, header)


def _parse_binary(data: bytes, extension: str, source: str) -> pl.DataFrame:
    if not data:
        raise FileError(f"{source}: the file is empty")
    try:
        if extension == ".parquet":
            return pl.read_parquet(io.BytesIO(data))
        # The file form starts with a magic word, the stream form does not.
        is_file = data.startswith(b"ARROW1")
        return (pl.read_ipc if is_file else pl.read_ipc_stream)(io.BytesIO(data))
    except _UNREADABLE as error:
        kind = "a Parquet" if extension == ".parquet" else "an Arrow"
        why = str(error).partition("\n")[0]
        raise FileError(f"{source}: this is not {kind} file that can be read: {why}") from error


def _format(dataset: Dataset, extension: str) -> bytes:
    if extension == ".dat":
        return dat_bytes(dataset)
    if extension == ".data":
        return data_bytes(dataset)
    frame = dataset.to_frame()
    if extension in _SEPARATORS:
        return frame.write_csv(separator=_SEPARATORS[extension]).encode()
    out = io.BytesIO()
    if extension == ".parquet":
        frame.write_parquet(out)
    else:
        frame.write_ipc(out)
    return out.getvalue()


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise FileError(f"{path}: there is no such file") from error
    except IsADirectoryError as error:
        raise FileError(f"{path}: this is a directory, not a table") from error
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
