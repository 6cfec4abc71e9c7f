"""Text files, plain or gzipped: how the network formats are read and written."""

from __future__ import annotations

import csv
import gzip
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from forebear._util.errors import FileError
from forebear._util.files import atomic_path
from forebear._util.packed import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_QUOTED = re.compile(r'[,"\r\n]')


def read_text(path: Path | str, what: str) -> str:
    """Read a file of UTF-8 text, gzipped or not; ``what`` it should be is told in errors."""
    try:
        content = Path(path).read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = unpack(content, path)
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"{path}: not {what}: it is not UTF-8 text") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from None


def write_text(text: str, path: Path | str) -> None:
    """Write a file whole or not at all, gzipped when its name ends in ``.gz``."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        broken = ascii(text[error.start])
        raise FileError(
            f"{path}: a name has {broken} in it, half a character that no text file can hold"
        ) from None
    if str(path).lower().endswith(".gz"):
        # Without a time the same network gives the same bytes.
        content = gzip.compress(content, mtime=0)
    with atomic_path(path) as draft:
        draft.write_bytes(content)


def read_rows(path: Path | str) -> Iterator[tuple[int, list[str]]]:
    """Read the rows of a CSV file, each with the number of the line that it ends on."""
    # Line ends are left to the CSV reader: a quoted name may hold one.
    reader = csv.reader(io.StringIO(read_text(path, "a CSV file"), newline=""), strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise FileError.at(path, reader.line_num, f"not a row of CSV: {error}") from None


def write_rows(rows: Iterable[Sequence[object]], path: Path | str) -> None:
    """Write a CSV file; what has commas, quotes or line ends in it is quoted."""
    write_text("".join(",".join(map(_field, row)) + "\n" for row in rows), path)


def _field(value: object) -> str:
    # Not csv.writer: it leaves a carriage return bare, and its own reader then ends the row.
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
