"""Read Parquet, Arrow and Excel files.

A damaged file can crash the process inside Polars, which no ``except`` can
catch (https://github.com/pola-rs/polars/issues/15342). A file is therefore
first read in a separate process, unless its structure is sound.
"""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from forebear._util.errors import FileError, ForebearError, ForebearWarning, Parameter
from forebear._util.text import listing
from forebear.data.formats.parquet_structure import is_sound_parquet
from forebear.data.frames import BATCH_ROWS, polars_from_frame
from forebear.data.table_batches import Batches

Select = Callable[[list[str]], list[str]]

PARQUET = ".parquet"
ARROW = (".arrow", ".feather", ".ipc")
EXCEL = (".xlsx",)

# Arrow files start with a magic word; streams do not.
_ARROW_FILE = b"ARROW1"

# Some damaged files make Polars panic, which is not an Exception.
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)

# What the separate process runs: it reads the given file, or its standard input.
_TRIAL = """
import sys, polars
source = sys.argv[1] if len(sys.argv) > 1 else sys.stdin.buffer.read()
for batch in {}:
    pass
"""
_READERS = {
    "Parquet": "polars.scan_parquet(source, glob=False).collect_batches()",
    "Arrow": "polars.scan_ipc(source, glob=False).collect_batches()",
    "Arrow stream": "[polars.read_ipc_stream(source)]",
}


def binary_batches(file: Path | bytes, extension: str, source: str, select: Select) -> Batches:
    """Open a Parquet or Arrow file, or the bytes of one, to be read in batches of rows.

    Parameters
    ----------
    file
        The path, or the bytes of a file that was compressed.
    extension
        The extension of the file.
    source
        What the file is called in errors.
    select
        Chooses the columns to read, by their names.

    Returns
    -------
    Batches
        The rows, after an empty frame with all columns.
    """
    kind, start = "Parquet" if extension == PARQUET else "Arrow", _first_bytes(file, source)
    if not start:
        raise FileError(f"{source}: the file is empty")
    if kind == "Arrow" and start != _ARROW_FILE:
        kind = "Arrow stream"
    if kind != "Parquet" or not is_sound_parquet(file):
        _try_elsewhere(file, kind, source)
    frames = _read_batches(file, kind, source, select)
    n_rows = None
    if kind == "Parquet":
        with suppress(*_UNREADABLE):
            n_rows = int(pl.scan_parquet(file, glob=False).select(pl.len()).collect().item())
    return Batches(source, frames, n_rows)


def _read_batches(
    file: Path | bytes, kind: str, source: str, select: Select
) -> Iterator[pl.DataFrame]:
    try:
        frame = _open(file, kind)
        schema = frame.collect_schema()
        yield pl.DataFrame(schema=schema)
        names = select(schema.names())
        declaring = [name for name in names if schema[name] == pl.Categorical]
        if declaring and _can_read_dictionaries(declaring, source):
            batches = _arrow_batches(file, kind, names)
        else:
            batches = iter(frame.select(names).collect_batches(maintain_order=True))
        for batch in batches:
            if batch.columns != names:
                raise ValueError("the names of its columns do not agree")
            yield batch
    except _UNREADABLE as error:
        if isinstance(error, ForebearError):
            raise
        raise _unreadable(source, kind.partition(" ")[0], str(error)) from error


def _first_bytes(file: Path | bytes, source: str) -> bytes:
    if isinstance(file, bytes):
        return file[: len(_ARROW_FILE)]
    try:
        with file.open("rb") as opened:
            return opened.read(len(_ARROW_FILE))
    except OSError as error:
        raise FileError.unreadable(source, error) from error


def _open(file: Path | bytes, kind: str) -> pl.LazyFrame:
    if kind == "Parquet":
        return pl.scan_parquet(file, glob=False)
    return pl.scan_ipc(file, glob=False) if kind == "Arrow" else pl.read_ipc_stream(file).lazy()


def read_excel(data: bytes, source: str, sheet: str | None) -> pl.DataFrame:
    """Read a sheet of an Excel workbook."""
    if importlib.util.find_spec("fastexcel") is None:
        raise FileError(
            f"{source}: reading a workbook requires the package fastexcel: run "
            "pip install fastexcel, or save the sheet as CSV"
        )
    import fastexcel

    try:
        names: list[str] = fastexcel.read_excel(data).sheet_names
    except Exception as error:  # fastexcel has exceptions of its own
        raise _unreadable(source, "an Excel workbook", str(error)) from error
    if sheet is not None and sheet not in names:
        raise FileError(f"{source}: there is no sheet {sheet!r}: it has {listing(names)}")
    if sheet is None and len(names) > 1:
        warnings.warn(
            ForebearWarning(
                f"{source} has {len(names)} sheets ({listing(names)}), and the first is read: "
                "select another with ",
                Parameter("sheet"),
            ),
            stacklevel=2,
        )
    try:
        return pl.read_excel(io.BytesIO(data), sheet_name=sheet or names[0], engine="calamine")
    except Exception as error:
        raise _unreadable(source, "an Excel workbook", str(error)) from error


def _unreadable(source: str, kind: str, why: str) -> FileError:
    return FileError(f"{source}: this file cannot be read as {kind}: {why.partition(chr(10))[0]}")


def _try_elsewhere(file: Path | bytes, kind: str, source: str) -> None:
    """Read the file in another process; reject it if that process crashes."""
    if not sys.executable:
        return  # Python is part of another program, which cannot be started again.
    program = [sys.executable, "-c", _TRIAL.format(_READERS[kind])]
    program += [str(file.absolute())] if isinstance(file, Path) else []
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths}
    content = file if isinstance(file, bytes) else b""
    try:
        done = subprocess.run(program, input=content, capture_output=True, env=environment)
    except OSError as error:
        why = error.strerror or str(error)
        raise FileError(f"{source}: no process could be started to read it: {why}") from error
    if done.returncode < 0:  # by a signal, as with an abort or a bad access
        why = "the file is damaged: it ends the program that reads it"
        raise _unreadable(source, kind.partition(" ")[0], why)


def _can_read_dictionaries(names: list[str], source: str) -> bool:
    """Return whether declared states are kept, which Polars drops if no row has them."""
    if importlib.util.find_spec("pyarrow") is not None:
        return True
    warnings.warn(
        ForebearWarning(
            f"{source}: {listing(names)} may declare states that no row has; to keep them, run "
            "pip install pyarrow, or name them in ",
            Parameter("states"),
        ),
        stacklevel=2,
    )
    return False


def _arrow_batches(file: Path | bytes, kind: str, names: list[str]) -> Iterator[pl.DataFrame]:
    """Read a file with dictionaries by pyarrow."""
    import pyarrow as pa

    source = pa.BufferReader(file) if isinstance(file, bytes) else pa.OSFile(str(file))
    batches: Any
    if kind == "Parquet":
        import pyarrow.parquet as pq

        batches = pq.ParquetFile(source).iter_batches(BATCH_ROWS, columns=names)
    elif kind == "Arrow":
        opened = pa.ipc.open_file(source)
        batches = map(opened.get_batch, range(opened.num_record_batches))
    else:
        batches = pa.ipc.open_stream(source)
    for batch in batches:
        yield polars_from_frame(pa.Table.from_batches([batch]).select(names))
