"""TextStream: the text of a file, block by block, as UTF-8 with plain line ends."""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from collections.abc import Iterator
from typing import IO, Any

from forebear._util.errors import FileError, Message, Parameter
from forebear._util.machine import memory_bytes
from forebear._util.text import show_bytes

BLOCK = 1 << 22
"""Bytes that are read at once. A table of 418 MB takes 10 % longer with a quarter or four times of
it, and more memory with more."""

_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8"}


class TextStream:
    """Text that is consumed line by line.

    Attributes
    ----------
    source
        What the file is called in errors.
    rest
        The text that is read and not consumed.
    line
        The number of its first line in the file.
    ended
        Whether the file has no more text.
    place
        The index of the file among those of a table, and their number.
    """

    def __init__(
        self, file: IO[bytes], source: str, encoding: str | None, *, zipped: bool = False
    ) -> None:
        self.source = source
        self.rest = b""
        self.line = 1
        self.ended = False
        self.place = (0, 1)
        self._file: Any = file
        self._input: Any = gzip.GzipFile(fileobj=file) if zipped else file
        self._encoding = encoding
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_utf8 = False
        self._held = b""  # a carriage return, which a line feed may follow

    @property
    def share(self) -> float | None:
        """The share of all files that is read; None if the size is unknown."""
        index, n_files = self.place
        try:
            size = os.fstat(self._file.fileno()).st_size
            return float(index + self._file.tell() / size) / n_files if size else None
        except (OSError, ValueError):  # standard input, or bytes in memory
            return None

    @property
    def _last_line(self) -> int:
        return self.line + self.rest.count(b"\n")

    def read_more(self) -> bool:
        """Read another block; return False at the end of the file.

        Blocks grow with the text that is not consumed: a record may be large, and is then read
        from its start again.
        """
        if self.ended:
            return False
        if len(self.rest) > BLOCK and len(self.rest) > memory_bytes() // 4:
            size = show_bytes(len(self.rest))
            what = f"a record does not fit in memory: it has more than {size}"
            raise FileError.at(self.source, self.line, what)
        block = self._read(max(BLOCK, len(self.rest)))
        self.ended = not block
        text = self._held + self._decoded(block)
        self._held = b""
        if b"\r" in text:
            if text.endswith(b"\r") and not self.ended:
                text, self._held = text[:-1], b"\r"
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self.rest += text
        return True

    def lines(self) -> Iterator[bytes]:
        """Yield the lines that are not consumed, and read more as needed."""
        start = 0
        while True:
            end = self.rest.find(b"\n", start)
            if end >= 0:
                yield self.rest[start:end]
                start = end + 1
            elif not self.read_more():
                if start < len(self.rest):
                    yield self.rest[start:]
                return

    def consume(self, n_bytes: int, n_lines: int) -> None:
        """Drop the start of the text."""
        self.rest = self.rest[n_bytes:]
        self.line += n_lines

    def consume_lines(self, lines: list[bytes]) -> None:
        """Drop these lines, which are the first ones."""
        self.consume(sum(len(line) + 1 for line in lines), len(lines))

    def skip_blank(self) -> None:
        """Drop blank lines at the start; tabs are not blank, since they may separate fields."""
        while not (stripped := self.rest.lstrip(b" \n")):
            self.consume(len(self.rest), self.rest.count(b"\n"))
            if not self.read_more():
                return
        blank = self.rest[: len(self.rest) - len(stripped)]
        self.consume(blank.rfind(b"\n") + 1, blank.count(b"\n"))

    def _read(self, size: int) -> bytes:
        try:
            block: bytes = self._input.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileError(f"{self.source}: the gzip data is damaged or incomplete") from error
        except OSError as error:
            raise FileError.unreadable(self.source, error) from error
        return block

    def _decoded(self, block: bytes) -> bytes:
        """Convert text to UTF-8 without a mark at its start."""
        first = self._decoder is None
        if self._decoder is None:
            encoding = self._encoding or _encoding_of(block) or "utf-8"
            self._decoder = codecs.getincrementaldecoder(encoding)()
            self._is_utf8 = encoding == "utf-8"
        if self._is_utf8 and block.isascii() and not self._decoder.getstate()[0]:
            text = block
        else:
            try:
                decoded = self._decoder.decode(block, not block)
            except UnicodeError as error:
                raise self._undecodable(error) from error
            text = (decoded.removeprefix("\ufeff") if first else decoded).encode()
        if (zero := text.find(b"\0")) >= 0:
            line = self._last_line + text.count(b"\n", 0, zero)
            what = Message(
                "there is a zero byte: remove it, or pass ",
                Parameter("encoding", "utf-16"),
                " if that is the encoding",
            )
            raise FileError.at(self.source, line, what)
        return text

    def _undecodable(self, error: UnicodeError) -> FileError:
        line = self._last_line
        if isinstance(error, UnicodeDecodeError):
            line += error.object.count(b"\n", 0, error.start)
        if self._encoding is not None:
            what = Message(f"the text is not {self._encoding}: change ", Parameter("encoding"))
        else:
            what = Message(
                "the text is not UTF-8: pass ",
                Parameter("encoding", "cp1252"),
                " if it comes from Windows or Excel in Western Europe or America, or the name of "
                "another encoding",
            )
        return FileError.at(self.source, line, what)


def _encoding_of(start: bytes) -> str | None:
    """Recognize UTF-16 by its mark, or by zeros in every second byte."""
    marked = next((e for mark, e in _MARKS.items() if start.startswith(mark)), None)
    if marked is None and len(start) > 3 and not any(start[1:40:2]) and start[0]:
        return "utf-16-le"
    return marked
