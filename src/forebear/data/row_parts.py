"""RowParts: the codes of the rows of a table, part by part, or of a random sample of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from mmap import mmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_LARGEST = np.iinfo(np.uint64).max
# Bytes from which an array has its own pages; smaller ones would waste part of theirs.
_OWN_PAGES = 1 << 16


def large_array(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return an array that is not initialized, whose memory the system gets back when it is freed.

    Memory of the heap is given back only from its end, which is rarely free.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size < _OWN_PAGES:
        return np.empty(shape, dtype)
    try:
        return np.frombuffer(mmap(-1, size), dtype).reshape(shape)
    except OSError as error:
        raise MemoryError(str(error)) from error


class Part(NamedTuple):
    """The codes of some rows.

    Columns whose codes have one byte are in a matrix, one after another, because a wide table would
    otherwise be many small arrays.
    """

    narrow: NDArray[np.uint8]
    wide: Mapping[int, NDArray[Any]]
    keys: NDArray[np.uint64] | None

    @classmethod
    def of(cls, columns: Sequence[NDArray[Any]], keys: NDArray[np.uint64] | None) -> Part:
        """Make a part of the codes of all columns."""
        n_rows = len(columns[0])
        bytes_ = [codes for codes in columns if codes.dtype == np.uint8]
        narrow = large_array((len(bytes_), n_rows), np.uint8)
        for row, codes in zip(narrow, bytes_, strict=True):
            row[:] = codes
        wide = {i: codes for i, codes in enumerate(columns) if codes.dtype != np.uint8}
        return cls(narrow, wide, keys)

    def where(self, chosen: NDArray[np.bool_]) -> Part:
        """Return some of the rows."""
        wide = {column: codes[chosen] for column, codes in self.wide.items()}
        return Part(self.narrow[:, chosen], wide, None if self.keys is None else self.keys[chosen])


class RowParts:
    """The rows read so far.

    Parameters
    ----------
    n_columns
        The number of columns.
    sample_size
        Keep a random sample of at most this many rows: those with the smallest random keys. It does
        not depend on the size of the parts. Default None: keep all rows.
    """

    def __init__(self, n_columns: int, sample_size: int | None) -> None:
        self.n_columns = n_columns
        self.sample_size = sample_size
        self.n_rows = 0
        self._largest = np.uint64(_LARGEST)
        self._parts: deque[Part] = deque()

    def keys(self, first: int, count: int) -> NDArray[np.uint64] | None:
        """Return the random keys of consecutive rows or lines; None without a sample.

        They are the outputs of SplitMix64 (Steele, Lea and Flood, 2014), which are all different.
        """
        if self.sample_size is None:
            return None
        state = np.arange(first + 1, first + count + 1, dtype=np.uint64)
        state *= np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return state ^ (state >> np.uint64(31))

    def may_be_kept(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which rows are in the sample unless later ones replace them."""
        kept: NDArray[np.bool_] = keys <= self._largest
        return kept

    def add(self, part: Part, *, first: bool = False) -> None:
        """Add rows after those read so far, or before all of them."""
        n_rows = part.narrow.shape[1]
        if n_rows:
            (self._parts.appendleft if first else self._parts.append)(part)
            self.n_rows += n_rows
        # At twice the size, so that every row is copied only a few times.
        if self.sample_size is not None and self.n_rows > 2 * self.sample_size:
            self._reduce(self.sample_size)

    def columns(self) -> list[NDArray[Any]]:
        """Return the codes of every column, and release the parts."""
        if self.sample_size is not None and self.n_rows > self.sample_size:
            self._reduce(self.sample_size)
        types: list[Any] = [np.uint8] * self.n_columns
        for part in self._parts:
            for column, codes in part.wide.items():
                types[column] = np.promote_types(types[column], codes.dtype)
        columns = [large_array((self.n_rows,), kind) for kind in types]
        end = self.n_rows
        while self._parts:
            part = self._parts.pop()
            start = end - part.narrow.shape[1]
            narrow = iter(part.narrow)
            for index, codes in enumerate(columns):
                wide = part.wide.get(index)
                codes[start:end] = next(narrow) if wide is None else wide
            end = start
        return columns

    def _reduce(self, size: int) -> None:
        keys = np.concatenate([part.keys for part in self._parts if part.keys is not None])
        self._largest = np.partition(keys, size - 1)[size - 1]
        reduced = (p.where(p.keys <= self._largest) for p in self._parts if p.keys is not None)
        self._parts = deque(reduced)
        self.n_rows = size
