"""The structure of Parquet files: whether all sizes and counts in a file agree.

A damaged size makes Polars request more memory than there is, which ends the process. Reading a
file in another process first takes as long as reading it. Comparing the sizes of all pages with
those in the footer takes milliseconds. See https://parquet.apache.org/docs/file-format and the
compact protocol of Apache Thrift.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

_MAGIC = b"PAR1"
_MOST_PAGES = 100_000
"""Larger files are not checked: the headers of so many pages take seconds."""
_DEEPEST = 12
"""Structures of Parquet are nested less deeply."""

# The numbers of the fields that are compared, by structure.
_FOOTER = {"rows": 3, "groups": 4}
_GROUP = {"columns": 1, "rows": 3}
_COLUMN = {"meta": 3}
_META = {"values": 5, "uncompressed": 6, "compressed": 7, "data_page": 9, "dictionary_page": 11}
_PAGE = {"uncompressed": 2, "compressed": 3, "data": 5, "dictionary": 7, "data_2": 8}
_HEADER = {"values": 1}  # of both kinds of data pages, and of dictionaries


def is_sound_parquet(file: Path | bytes) -> bool:
    """Return whether the sizes and counts of a file agree; False also for nested columns."""
    try:
        if isinstance(file, bytes):
            return _is_sound(file)
        with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as m:
            return _is_sound(m)
    except (LookupError, ValueError, TypeError, AttributeError, OSError, struct.error):
        return False


def _is_sound(data: Any) -> bool:
    size = struct.unpack("<I", data[-8:-4])[0]
    end = len(data) - 8 - size
    if data[:4] != _MAGIC or data[-4:] != _MAGIC or end < 4:
        return False
    footer = _named(_Thrift(data, end).read_struct(), _FOOTER)
    n_rows, pages_left = 0, _MOST_PAGES
    for fields in footer["groups"]:
        group = _named(fields, _GROUP)
        n_rows += group["rows"]
        for column in group["columns"]:
            meta = _named(_named(column, _COLUMN)["meta"], _META)
            n_pages = _count_pages(data, meta, group["rows"], end)
            pages_left -= n_pages
            if not n_pages or pages_left < 0:
                return False
    return bool(n_rows == footer["rows"])


def _named(fields: dict[int, Any], numbers: dict[str, int]) -> dict[str, Any]:
    """Return fields by name; None if they are absent."""
    return {name: fields.get(number) for name, number in numbers.items()}


def _count_pages(data: Any, meta: dict[str, Any], n_rows: int, end: int) -> int:
    """Return the number of pages of a column in a row group; 0 if they do not agree with it."""
    start = min(meta["data_page"], meta["dictionary_page"] or meta["data_page"])
    at, stop = start, start + meta["compressed"]
    if not (4 <= start < stop <= end and meta["values"] == n_rows):
        return 0
    n_pages = n_values = uncompressed = 0
    while at < stop:
        reader = _Thrift(data, at)
        page = _named(reader.read_struct(), _PAGE)
        sizes = page["uncompressed"], page["compressed"]
        if min(sizes) < 0:
            return 0
        uncompressed += sizes[0] + reader.at - at
        at = reader.at + sizes[1]
        header = page["data"] or page["data_2"]
        if header is not None:
            n_values += _named(header, _HEADER)["values"]
        elif not 0 <= _named(page["dictionary"], _HEADER)["values"] <= sizes[0]:
            return 0
        n_pages += 1
    agree = at == stop and n_values == n_rows and uncompressed == meta["uncompressed"]
    return n_pages if agree else 0


class _Thrift:
    """Reads the compact protocol of Thrift."""

    def __init__(self, data: Any, at: int) -> None:
        self.data, self.at = data, at

    def read_struct(self, depth: int = 0) -> dict[int, Any]:
        """Return the fields of a structure by their numbers."""
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            kind = head & 15
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._zigzag()
        if kind == 7:
            self.at += 8
            return None
        if kind == 8:
            size = self._varint()
            self.at += size
            return None
        if kind in (9, 10):
            head = self._byte()
            size = self._varint() if head >> 4 == 15 else head >> 4
            if size > len(self.data) - self.at:
                raise ValueError("a list is longer than the file")
            return [
                self.read_struct(depth + 1) if head & 15 == 12 else self._value(head & 15, depth)
                for _ in range(size)
            ]
        if kind == 12:
            return self.read_struct(depth + 1)
        raise ValueError("unknown type")

    def _byte(self) -> int:
        self.at += 1
        return int(self.data[self.at - 1])

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number is too long")
        return value | byte << shift

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
