"""Decompression of gzip files, limited by the memory of this machine."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING

from forebear._util.errors import FileError
from forebear._util.machine import memory_bytes
from forebear._util.text import show_bytes

if TYPE_CHECKING:
    from pathlib import Path

_PIECE = 1 << 20
_SHARE = 4
"""The content may take a quarter of the memory, because it is parsed afterwards."""


def unpack(content: bytes, path: Path | str) -> bytes:
    """Decompress gzip data; refuse a file whose content does not fit in memory."""
    most = memory_bytes() // _SHARE
    out = io.BytesIO()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            while piece := file.read(_PIECE):
                out.write(piece)
                if out.tell() > most:
                    raise MemoryError
        return out.getvalue()
    except MemoryError as error:
        held = show_bytes(out.tell())
        raise FileError(
            f"{path}: the decompressed content does not fit in memory: it has more than {held}"
        ) from error
    except (EOFError, zlib.error, OSError) as error:
        raise FileError(f"{path}: the gzip data is damaged or incomplete") from error
