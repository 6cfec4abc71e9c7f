"""Reading and writing of text files and CSV rows, plain or gzipped."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError
from forebear._util.file_kinds import GZIP, describe_content
from forebear._util.machine import memory_bytes
from forebear._util.text import show_bytes

_QUOTED = re.compile(r'[,"\r\n]')


def read_text(path: Path | str, what: str) -> str:
    """Read a file of UTF-8 text, gzipped or not; ``what`` describes it in errors."""
    try:
        content = Path(path).read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = unpack(content, path)
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        kind = describe_content(path)
        why = "its text is not UTF-8" if kind in (None, GZIP) else f"this is {kind}"
        raise FileError(f"{path}: not {what}: {why}") from None
    except OSError as error:
        raise FileError.unreadable(path, error) from None


def write_text(text: str, path: Path | str) -> None:
    """Write text as UTF-8, as ``write_bytes`` does."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        broken = ascii(text[error.start])
        raise FileError(
            f"{path}: a name contains {broken}, an incomplete character that cannot be written "
            "as UTF-8: rename it"
        ) from None
    write_bytes(content, path)


def write_bytes(content: bytes, path: Path | str) -> None:
    """Write a file completely or not at all, gzipped if its name ends in ``.gz``."""
    if str(path).lower().endswith(".gz"):
        # Without a timestamp, the same content gives the same bytes.
        content = gzip.compress(content, mtime=0)
    with atomic_path(path) as draft:
        draft.write_bytes(content)


def read_rows(path: Path | str) -> Iterator[tuple[int, list[str]]]:
    """Read the rows of a CSV file, each with the number of its last line."""
    # The CSV reader handles line ends: a quoted name may contain one.
    reader = csv.reader(io.StringIO(read_text(path, "a CSV file"), newline=""), strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise FileError.at(path, reader.line_num, f"this is not valid CSV: {error}") from None


def write_rows(rows: Iterable[Sequence[object]], path: Path | str) -> None:
    """Write a CSV file; fields with commas, quotes or line ends are quoted."""
    write_text("".join(",".join(map(_field, row)) + "\n" for row in rows), path)


def _field(value: object) -> str:
    # csv.writer does not quote a carriage return, at which its own reader ends the row.
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def unpack(content: bytes, path: Path | str) -> bytes:
    """Decompress gzip data; reject it if the content does not fit in memory."""
    most = memory_bytes() // 4  # the content is parsed afterwards
    out = io.BytesIO()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            while piece := file.read(1 << 20):
                out.write(piece)
                if out.tell() > most:
                    raise MemoryError
        return out.getvalue()
    except MemoryError as error:
        size = show_bytes(out.tell())
        raise FileError(
            f"{path}: the decompressed content does not fit in memory: it has more than {size}"
        ) from error
    except (EOFError, zlib.error, OSError) as error:
        raise FileError(f"{path}: the gzip data is damaged or incomplete") from error
