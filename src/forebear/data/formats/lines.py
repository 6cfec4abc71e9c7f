"""Lines of a text file: decoding, line ends, comments, and the records in them."""

from __future__ import annotations

import csv
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebear._util.errors import FileError, Message, Parameter
from forebear._util.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMENT = b"#"
"""What lines before the header start with that are left out unasked."""

# How lines start that other programs leave out; R, Weka and LaTeX write the second.
_LIKE_COMMENTS = (b"#", b"%", b"//")

_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


@dataclass(frozen=True)
class Lines:
    """The lines of a text file, with their numbers in the file."""

    source: str
    texts: list[bytes]
    numbers: Sequence[int]

    @classmethod
    def of(cls, data: bytes, source: str, encoding: str | None = None) -> Lines:
        """Split text with any line ending into UTF-8; leave out blank lines at both ends."""
        data = _as_utf8(data, source, encoding)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not data or data.isspace():
            raise FileError(f"{source}: the file is empty")
        texts = data.split(b"\n")
        # From both ends: a table has many lines.
        first = next(i for i, text in enumerate(texts) if not _is_blank(text))
        last = next(i for i in reversed(range(len(texts))) if not _is_blank(texts[i]))
        return cls(source, texts[first : last + 1], range(first + 1, last + 2))

    def without_blank(self) -> Lines:
        """Leave out blank lines."""
        return self._where([bool(text.strip(b" ")) for text in self.texts])

    def without_comments(self, mark: str) -> Lines:
        """Leave out the lines that start with this mark."""
        start = mark.encode()
        left = self._where([not text.lstrip().startswith(start) for text in self.texts])
        if not any(not _is_blank(text) for text in left.texts):
            raise FileError(
                f"{self.source}: every line starts with {mark!r}, so nothing is left: change ",
                Parameter("comment"),
            )
        return left

    def without_title(self, separators: bytes) -> Lines:
        """Leave out comments before the header; a header may itself start with ``#``.

        A line is the header if it has as many separators as the line after the comments.
        """
        end = 0
        while end < len(self.texts) and self.texts[end].lstrip().startswith(COMMENT):
            end += 1
        if not 0 < end < len(self.texts):
            return self
        for separator in separators:
            found = self.texts[end].count(separator)
            if found and self.texts[end - 1].count(separator) == found:
                end -= 1
                break
        return Lines(self.source, self.texts[end:], self.numbers[end:])

    def after(self, number: int) -> Lines:
        """Return the lines after this one in the file."""
        start = bisect_right(self.numbers, number)
        return Lines(self.source, self.texts[start:], self.numbers[start:])

    def records(self, separator: str) -> Iterator[tuple[int, list[str]]]:
        """Parse every record; yield it with the number of its last line in the file."""
        decoded = (f"{text.decode()}\n" for text in self.texts)
        reader = csv.reader(decoded, delimiter=separator, skipinitialspace=True, strict=True)
        start = 0
        try:
            for record in reader:
                start = reader.line_num
                yield self.numbers[start - 1], record
        except csv.Error as error:
            what = f"the quotes do not match: {error}"
            raise FileError.at(self.source, self.numbers[start], what) from error

    def check_field_counts(self, separator: bytes, expected: int) -> None:
        """Check the number of separators of every line of a file without quotes."""
        for line, text in zip(self.numbers, self.texts, strict=True):
            if text.count(separator) + 1 != expected:
                raise self.ragged(line, text.count(separator) + 1, expected)

    def ragged(self, line: int, found: int, expected: int) -> FileError:
        """Return the error about a line with too few or too many fields."""
        what = f"expected {counted(expected, 'field')}, got {found:,}"
        text = self.texts[bisect_right(self.numbers, line) - 1].lstrip()
        mark = next((m.decode() for m in _LIKE_COMMENTS if text.startswith(m)), None)
        if mark is None:
            return FileError.at(self.source, line, what)
        advice = Message(what, ": pass ", Parameter("comment", mark), " to leave out such lines")
        return FileError.at(self.source, line, advice)

    def _where(self, keep: list[bool]) -> Lines:
        if all(keep):
            return self
        kept = [i for i, keeps in enumerate(keep) if keeps]
        return Lines(self.source, [self.texts[i] for i in kept], [self.numbers[i] for i in kept])


def _is_blank(text: bytes) -> bool:
    """Return whether a line is blank; tabs are not, since they may separate missing values."""
    return not text or not text.strip(b" ")


def _as_utf8(data: bytes, source: str, encoding: str | None) -> bytes:
    """Convert text to UTF-8 without a mark at its start."""
    if encoding is None:
        encoding = next((e for mark, e in _MARKS.items() if data.startswith(mark)), None)
        if encoding is None and len(data) > 3 and not any(data[1:40:2]) and data[0]:
            encoding = "utf-16-le"  # every second byte is 0
    if encoding is None and data.isascii():
        return data
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if encoding is None:
            what = Message(
                "the text is not UTF-8: pass ",
                Parameter("encoding", "cp1252"),
                " if it comes from Windows or Excel in Western Europe or America, or the name of "
                "another encoding",
            )
        else:
            what = Message(f"the text is not {encoding}: change ", Parameter("encoding"))
        raise FileError.at(source, line, what) from error
    return text.removeprefix("\ufeff").encode()
