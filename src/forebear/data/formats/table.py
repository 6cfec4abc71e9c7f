"""Read table files; the extension determines the format.

=========================  ====================================================
``.csv``, ``.tsv``         a header (optional: see ``read_delimited``) and rows;
                           .csv also with semicolons, if every line has as many
                           or the first has no commas
``.txt``                   the same, with blanks between fields; with tabs, if every
                           line has as many
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

import glob
import io
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from forebear._util.errors import DataError, FileError, Parameter, is_address
from forebear._util.file_kinds import advice_on, describe_file
from forebear._util.fork_check import check_not_forked
from forebear._util.text_files import unpack
from forebear.data.examples import resolve_example
from forebear.data.formats.binary import ARROW, EXCEL, PARQUET, binary_batches, read_excel
from forebear.data.formats.dat import read_dat, read_data
from forebear.data.formats.delimited import SEPARATORS, read_delimited
from forebear.data.formats.text_stream import TextStream
from forebear.data.frames import frame_batches, is_frame, polars_from_array, polars_from_records
from forebear.data.interventions import with_interventions
from forebear.data.raw_table import RawTable
from forebear.data.read_options import FILE_OPTIONS, ReadOptions
from forebear.data.table_batches import Batches, CheckTime, no_limit, table_of_batches

STANDARD_INPUT = "-"

BINARY = (PARQUET, *ARROW, *EXCEL)
EXTENSIONS = (*SEPARATORS, *BINARY, ".dat", ".data")
WRITTEN = tuple(extension for extension in EXTENSIONS if extension not in EXCEL)
_TEXT_ONLY = ("header", "encoding", "decimal_comma", "comment")


def load_table(
    data: Any,
    options: ReadOptions,
    names: Sequence[str] | None = None,
    check_time: CheckTime = no_limit,
) -> RawTable:
    """Read the columns of a path, of several paths, of a data frame or of an array.

    Parameters
    ----------
    data
        A path, which may name an example, a folder or a pattern, a list of paths, a file object, a
        data frame, a two-dimensional array, a list of dictionaries or a dictionary of lists.
    options
        How to read it. Options about files are rejected for other sources.
    names
        The names of the columns of an array.
    check_time
        Is called between the batches of a file or a lazy frame; ends reading by an exception.

    Returns
    -------
    RawTable
        The columns to use.
    """
    return with_interventions(_load(data, options, names, check_time), options)


def _load(
    data: Any, options: ReadOptions, names: Sequence[str] | None, check_time: CheckTime
) -> RawTable:
    if isinstance(data, (str, Path)):
        return read_table(resolve_example(data), options, check_time)
    if isinstance(data, (list, tuple)) and all(isinstance(path, (str, Path)) for path in data):
        return _read_files([Path(path) for path in data], options, check_time)
    if callable(getattr(data, "read", None)):
        return _read_file_object(data, options, check_time)
    if isinstance(data, np.ndarray):
        batches = Batches("the array", iter([polars_from_array(data, names)]))
    elif isinstance(data, Mapping | list | tuple):
        batches = Batches("the table", iter([polars_from_records(data)]))
    elif is_frame(data):
        batches = frame_batches(data, options.select)
    else:
        raise DataError(
            "a table is expected (a path, a list of paths, a file object, a data frame, a 2-D "
            "array, a list of dictionaries, a dictionary of lists or a Dataset), "
            f"got {type(data).__name__}"
        )
    options.check_no_file()
    return table_of_batches([batches], 1, options, check_time)


def read_table(
    path: Path | str, options: ReadOptions | None = None, check_time: CheckTime = no_limit
) -> RawTable:
    """Read the columns of a file, a folder or a pattern; "-" is CSV on standard input."""
    how = options or ReadOptions()
    if str(path) == STANDARD_INPUT:
        text = TextStream(sys.stdin.buffer, "standard input", how.encoding)
        return _read_texts(iter([text]), ".csv", how, check_time)
    if is_address(path):
        raise FileError.unreadable(path, FileNotFoundError())
    return _read_files(find_files(path), how, check_time)


def find_files(path: Path | str) -> list[Path]:
    """Return the files that a path names: itself, those of a folder, or those of a pattern."""
    one = Path(path)
    if one.is_dir():
        files = sorted(file for file in one.iterdir() if _may_be_table(file))
        if not files:
            raise FileError(f"{path}: the folder has no tables: {_one_of(EXTENSIONS)}")
        return files
    if glob.has_magic(str(path)) and not one.exists():
        # Not Path.glob, which needs a folder that has no pattern.
        files = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
        if not files:
            raise FileError(f"{path}: no file matches this pattern")
        return files
    return [one]


def _may_be_table(file: Path) -> bool:
    """Return whether a file in a folder is a table; hidden files are not."""
    hidden = file.name.startswith((".", "_"))
    return not hidden and file.is_file() and _split(file)[0] in EXTENSIONS


def _read_files(paths: Sequence[Path], options: ReadOptions, check_time: CheckTime) -> RawTable:
    """Read files of one format as one table."""
    check_not_forked()
    if not paths:
        raise FileError("the list of files or rows is empty")
    extension = split_extension(paths[0])[0]
    for path in paths:
        if split_extension(path)[0] != extension:
            raise FileError(
                f"{path}: the file is not {extension} like {paths[0]}: "
                "all files of a table must have the same format"
            )
    _check_options(extension, options)
    if extension in BINARY:
        files = (_open_binary(path, extension, options) for path in paths)
        return table_of_batches(files, len(paths), options, check_time)
    with closing(_open_texts(paths, options)) as texts:
        return _read_texts(texts, extension, options, check_time)


def _open_binary(path: Path, extension: str, options: ReadOptions) -> Batches:
    zipped, source = split_extension(path)[1], str(path)
    if not zipped and extension not in EXCEL:
        return binary_batches(path, extension, source, options.select)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    return _unpacked_batches(content, zipped, extension, source, options)


def _unpacked_batches(
    content: bytes, zipped: bool, extension: str, source: str, options: ReadOptions
) -> Batches:
    content = unpack(content, source) if zipped else content
    if extension in EXCEL:
        return Batches(source, iter([read_excel(content, source, options.sheet)]))
    return binary_batches(content, extension, source, options.select)


def _read_file_object(file: Any, options: ReadOptions, check_time: CheckTime) -> RawTable:
    """Read a file that is open; the extension of its name, if it has one, determines the format."""
    check_not_forked()
    name = str(getattr(file, "name", ""))
    extension, zipped = split_extension(name) if Path(name).suffix else (".csv", False)
    _check_options(extension, options)
    source = name or "the file object"
    try:
        text_mode = isinstance(file.read(0), str)
        if text_mode and options.encoding is None:
            file = io.BytesIO(file.read().encode())
    except (OSError, ValueError) as error:  # it is closed, or its encoding is another one
        raise FileError(f"{source}: cannot be read: {error}") from error
    if text_mode and options.encoding is not None:
        raise FileError(
            Parameter("encoding"),
            f" has no effect on {source}, which is open as text: open it in binary mode",
        )
    if extension in BINARY:
        batches = _unpacked_batches(file.read(), zipped, extension, source, options)
        return table_of_batches([batches], 1, options, check_time)
    text = TextStream(file, source, options.encoding, zipped=zipped)
    return _read_texts(iter([text]), extension, options, check_time)


def _open_texts(paths: Sequence[Path], options: ReadOptions) -> Generator[TextStream, None, None]:
    for i, path in enumerate(paths):
        try:
            file = path.open("rb")
        except OSError as error:
            raise FileError.unreadable(path, error) from error
        with file:
            zipped = split_extension(path)[1]
            text = TextStream(file, str(path), options.encoding, zipped=zipped)
            text.place = (i, len(paths))
            yield text


def _read_texts(
    texts: Iterator[TextStream], extension: str, options: ReadOptions, check_time: CheckTime
) -> RawTable:
    if extension == ".dat":
        return read_dat(texts, options, check_time)
    if extension == ".data":
        return read_data(texts, options, check_time)
    return read_delimited(texts, extension, options, check_time)


def split_extension(path: Path | str, *, written: bool = False) -> tuple[str, bool]:
    """Return the extension that names the format, and whether ``.gz`` follows it.

    A file to be written need not exist, and its present content does not matter.
    """
    extension, zipped = _split(path)
    if extension not in (WRITTEN if written else EXTENSIONS):
        raise FileError(f"{path}: {_one_of(WRITTEN) if written else _not_a_table(path)}")
    return extension, zipped


def _split(path: Path | str) -> tuple[str, bool]:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    return next(iter((suffixes[:-1] if zipped else suffixes)[-1:]), ""), zipped


def usable_options(data: Any, options: ReadOptions) -> ReadOptions:
    """Leave out the options about files that a table does not have, for those of another table."""
    one = data[0] if isinstance(data, list | tuple) and data else data
    unused: Sequence[str] = FILE_OPTIONS
    if isinstance(one, str | Path):
        is_stream = str(one) == STANDARD_INPUT
        file = ".csv" if is_stream else find_files(resolve_example(one))[0]
        unused = _unused_options(_split(file)[0], options)
    none: dict[str, Any] = dict.fromkeys(unused)
    return replace(options, **none)


def _unused_options(extension: str, options: ReadOptions) -> list[str]:
    binary = extension == PARQUET or extension in ARROW or extension in EXCEL
    unused = [name for name in _TEXT_ONLY if binary and getattr(options, name) is not None]
    return unused + ["sheet"] * (options.sheet is not None and extension not in EXCEL)


def _check_options(extension: str, options: ReadOptions) -> None:
    """Reject options that have no effect on this kind of file."""
    if unused := _unused_options(extension, options):
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
