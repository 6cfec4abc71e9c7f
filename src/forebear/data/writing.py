"""Writing of table files; the extension names the format, as in ``data/formats/table.py``."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING, Any

import polars as pl

from forebear._util.atomic import atomic_path
from forebear.data.dataset import as_dataset
from forebear.data.formats.dat import dat_bytes, data_bytes
from forebear.data.formats.quoting import quoted_field
from forebear.data.formats.table import SEPARATORS, split_extension
from forebear.data.frames import enum_series
from forebear.data.reading import MISSING_TOKENS

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.data.dataset import Dataset


def write_table(data: Any, path: Path | str) -> None:
    """Write a table in the format of the extension; a failure leaves the old file as it was.

    Parameters
    ----------
    data
        A Dataset, or anything else that ``as_dataset`` takes.
    path
        The file to write. Its extension names the format, also with ``.gz`` after it.

    Raises
    ------
    FileError
        If the extension is unknown or the file cannot be written.
    DataError
        If the format cannot hold this table.
    """
    extension, zipped = split_extension(path, written=True)
    content = _format(as_dataset(data), extension)
    with atomic_path(path) as temporary:
        # Without a time stamp, the same dataset gives the same bytes.
        temporary.write_bytes(gzip.compress(content, mtime=0) if zipped else content)


def _format(dataset: Dataset, extension: str) -> bytes:
    """Write a dataset as the bytes of a file."""
    if extension == ".dat":
        return dat_bytes(dataset)
    if extension == ".data":
        return data_bytes(dataset)
    if extension in SEPARATORS:
        return _text(dataset, SEPARATORS[extension]).encode()
    frame = dataset.to_frame()
    out = io.BytesIO()
    if extension == ".parquet":
        frame.write_parquet(out)
    else:
        frame.write_ipc(out)
    return out.getvalue()


def _text(dataset: Dataset, separator: str) -> str:
    """Write delimited text. A state such as NA is in quotes, or it would be a missing value."""

    def spell(text: str) -> str:
        return quoted_field(text, separator, MISSING_TOKENS)

    columns = [
        enum_series(str(i), codes, [spell(state) for state in states])
        for i, (codes, states) in enumerate(zip(dataset.codes, dataset.states, strict=True))
    ]
    head = separator.join(spell(name) for name in dataset.names)
    body = pl.DataFrame(columns).write_csv(
        separator=separator, include_header=False, quote_style="never"
    )
    return f"{head}\n{body}"
