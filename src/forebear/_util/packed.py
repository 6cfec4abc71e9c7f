"""Gzip undone, as far as there is memory for what is packed."""

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
"""What is unpacked will be taken apart: it may have a quarter of the memory."""


def unpack(content: bytes, path: Path | str) -> bytes:
    """Undo gzip. A small file that holds more than there is memory for is refused."""
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
        raise FileError(f"{path}: no memory for what is packed in it, {held} and more") from error
    except (EOFError, zlib.error, OSError) as error:
        raise FileError(f"{path}: the gzip data is damaged or cut short") from error
