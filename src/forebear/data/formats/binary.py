"""Read Parquet, Arrow and Excel files.

A damaged file can crash the process inside Polars, which no ``except`` can
catch (https://github.com/pola-rs/polars/issues/15342). A file is therefore
first read in a separate process.
"""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
import warnings
from typing import Any

import polars as pl

from forebear._util.errors import FileError, ForebearWarning, Parameter
from forebear._util.text import listing
from forebear.data.frames import polars_from_frame

PARQUET = ".parquet"
ARROW = (".arrow", ".feather", ".ipc")
EXCEL = (".xlsx",)

# Arrow files start with a magic word; streams do not.
_ARROW_FILE = b"ARROW1"

# Some damaged files make Polars panic, which is not an Exception.
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)

# What the process of its own runs: it reads the bytes on its standard input.
_TRIAL = "import io, sys, polars; polars.{}(io.BytesIO(sys.stdin.buffer.read()))"


def read_binary(data: bytes, extension: str, source: str) -> pl.DataFrame:
    """Read the bytes of a Parquet or Arrow file."""
    if not data:
        raise FileError(f"{source}: the file is empty")
    kind, reader = ("Parquet", pl.read_parquet) if extension == PARQUET else ("Arrow", pl.read_ipc)
    if kind == "Arrow" and not data.startswith(_ARROW_FILE):
        reader = pl.read_ipc_stream
    _try_elsewhere(data, reader.__name__, kind, source)
    try:
        frame = reader(io.BytesIO(data))
    except _UNREADABLE as error:
        raise _unreadable(source, kind, str(error)) from error
    return _with_declared(frame, data, kind, source)


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


def _try_elsewhere(data: bytes, reader: str, kind: str, source: str) -> None:
    """Read the file in another process; reject it if that process crashes."""
    if not sys.executable:
        return  # Python is part of another program, which cannot be started again.
    program = [sys.executable, "-c", _TRIAL.format(reader)]
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths}
    try:
        ended = subprocess.run(program, input=data, capture_output=True, env=environment).returncode
    except OSError as error:
        why = error.strerror or str(error)
        raise FileError(f"{source}: no process could be started to read it: {why}") from error
    if ended < 0:  # by a signal, as with an abort or a bad access
        raise _unreadable(source, kind, "the file is damaged: it ends the program that reads it")


def _with_declared(frame: pl.DataFrame, data: bytes, kind: str, source: str) -> pl.DataFrame:
    """Keep the states that dictionaries declare, which Polars forgets if no row has them."""
    names = [name for name, dtype in frame.schema.items() if dtype == pl.Categorical]
    if not names:
        return frame
    if importlib.util.find_spec("pyarrow") is None:
        warnings.warn(
            ForebearWarning(
                f"{source}: {listing(names)} may declare states that no row has; to keep them, run "
                "pip install pyarrow, or name them in ",
                Parameter("states"),
            ),
            stacklevel=2,
        )
        return frame
    table = _arrow_table(data, kind, names)
    return frame.with_columns(polars_from_frame(table).get_columns())


def _arrow_table(data: bytes, kind: str, names: list[str]) -> Any:
    import pyarrow as pa

    if kind == "Parquet":
        import pyarrow.parquet as pq

        return pq.read_table(pa.BufferReader(data), columns=names)
    open_ = pa.ipc.open_file if data.startswith(_ARROW_FILE) else pa.ipc.open_stream
    return open_(pa.BufferReader(data)).read_all().select(names)
