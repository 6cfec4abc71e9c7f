"""Write table files; the extension determines the format, as in ``data/formats/table.py``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl

from forebear._util.errors import DataError, FileError
from forebear._util.fork_check import check_not_forked
from forebear._util.text_files import write_bytes
from forebear.data.dataset import as_dataset
from forebear.data.formats.dat import dat_bytes, data_bytes
from forebear.data.formats.delimited import SEPARATORS, quoted_field
from forebear.data.formats.table import split_extension
from forebear.data.frames import codes_of_enum, enum_series
from forebear.data.read_options import MISSING_TOKENS
from forebear.data.row_weights import reject_real_weights


def write_table(data: Any, path: Path | str) -> None:
    """Write a table in the format of the extension; a failure leaves the old file as it was.

    Parameters
    ----------
    data
        A Dataset, or anything else that ``as_dataset`` takes. A row with a weight is written that
        many times.
    path
        The file to write. Its extension names the format, also with ``.gz`` after it.

    Raises
    ------
    FileError
        If the extension is unknown or the file cannot be written.
    DataError
        If the format cannot hold this table.
    """
    check_not_forked()
    extension, _ = split_extension(path, written=True)
    dataset = as_dataset(data)
    reject_real_weights(dataset, "a table file has whole rows")
    if dataset.intervened is not None:
        raise DataError(
            "a table file has no place for interventions: write the frame that "
            'to_frame(intervened="column") returns'
        )
    dataset = dataset.expanded()
    if extension == ".dat":
        content = dat_bytes(dataset)
    elif extension == ".data":
        content = data_bytes(dataset)
    else:
        content = _frame_bytes(dataset.to_frame(), extension)
    write_bytes(content, path)


def write_frame(frame: pl.DataFrame, path: Path | str) -> None:
    """Write states and numbers, which a Dataset does not hold, as ``write_table`` does.

    Parameters
    ----------
    frame
        Columns of states (Enum) and of numbers.
    path
        The file to write: any table but ``.dat`` and ``.data``, which hold states only.

    Raises
    ------
    FileError
        If the extension is unknown or the file cannot be written.
    """
    check_not_forked()
    write_bytes(_frame_bytes(frame, check_frame_path(path)), path)


def check_frame_path(path: Path | str) -> str:
    """Reject a file that ``write_frame`` cannot write; return its extension."""
    extension, _ = split_extension(path, written=True)
    if extension in (".dat", ".data"):
        raise FileError(f"{path}: {extension} files cannot hold numbers: use .csv or .parquet")
    return extension


def _frame_bytes(frame: pl.DataFrame, extension: str) -> bytes:
    if extension in SEPARATORS:
        return _text(frame, SEPARATORS[extension]).encode()
    out = io.BytesIO()
    if extension == ".parquet":
        frame.write_parquet(out)
    else:
        frame.write_ipc(out)
    return out.getvalue()


def _text(frame: pl.DataFrame, separator: str) -> str:
    """Write delimited text. A state such as NA is in quotes, or it would be a missing value."""

    def spell(text: str) -> str:
        return quoted_field(text, separator, MISSING_TOKENS)

    columns = [
        enum_series(str(i), codes_of_enum(column), map(spell, column.dtype.categories))
        if isinstance(column.dtype, pl.Enum)
        else column.alias(str(i))
        for i, column in enumerate(frame.get_columns())
    ]
    head = separator.join(spell(name) for name in frame.columns)
    body = pl.DataFrame(columns).write_csv(
        separator=separator,
        include_header=False,
        quote_style="never",
        # An empty line would not be read as a row.
        null_value="NA" if frame.width == 1 else "",
    )
    return f"{head}\n{body}"
