"""Parses the text of a .jkl file into ranked parent sets."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from forebear.parentsets.ranked_sets import RankedArrays, rank

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class JklError(ValueError):
    """A defect of a .jkl file, and the number of its line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


class JklSets(NamedTuple):
    """The parent sets of a file."""

    names: tuple[str, ...]
    without_sets: list[str]
    """Variables without any set: they get the empty set with score 0."""
    arrays: RankedArrays


class _Codes(dict[bytes, int]):
    """Numbers words in the order of their first occurrence."""

    def __missing__(self, word: bytes) -> int:
        self[word] = code = len(self)
        return code


def _whole_number(word: bytes) -> int | None:
    """Return a whole number; None for other words, and for numbers with too many digits."""
    return int(word) if word.isdigit() and len(word) < 20 else None


def _number(word: bytes) -> float:
    """Return a number with a decimal point or comma; NaN for other words."""
    try:
        return math.nan if b"_" in word else float(word.replace(b",", b".", 1))
    except ValueError:
        return math.nan


def _shown(word: bytes) -> str:
    """Return a word for a message: shortened, and without control characters."""
    text = word[:40].decode("utf-8", "backslashreplace") + ("..." if len(word) > 40 else "")
    return _CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", text)


def _is_printable(word: bytes) -> bool:
    try:
        return not _CONTROL.search(word.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _is_index(word: bytes, n: int) -> bool:
    """Return whether a word is one of 0 to n - 1, without leading zeros."""
    value = _whole_number(word)
    return value is not None and value < n and str(value).encode() == word


class JklParser:
    """Parses a text in one pass, one block of sets at a time.

    A parent may be named before its own block, so parents are codes until all names are known.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text.removeprefix(b"\xef\xbb\xbf")
        self._headers: dict[bytes, int] = {}  # by name: the line where its block begins
        self._scores: list[NDArray[np.float64]] = []  # by block
        self._sizes: list[NDArray[np.int32]] = []  # by block
        self._parents: list[NDArray[np.int32]] = []  # by block: the codes of its parents
        self._codes = _Codes()

    def parse(self, check_size: Callable[[int, int], None]) -> JklSets:
        """Return the ranked sets.

        ``check_size`` is called with the number of sets and the size of the largest, before the
        memory for them is allocated.
        """
        lines = self._lines()
        self._read_blocks(lines, self._read_size(lines))
        n, sizes = len(self._headers), np.concatenate(self._sizes)
        most = int(sizes.max(initial=0))
        check_size(len(sizes), most)
        words = list(self._headers)
        by_number = all(_is_index(word, n) for word in words)
        variables = np.array([int(word) for word in words] if by_number else range(n))
        names = tuple(words[block].decode() for block in np.argsort(variables))
        child = np.repeat(variables, [len(own) for own in self._sizes])
        parents = self._parent_rows(dict(zip(words, variables.tolist(), strict=True)), sizes, most)
        self._check_sets(child, parents, names)
        without = np.setdiff1d(variables, child)
        empty = np.full((len(without), most), np.iinfo(parents.dtype).max, parents.dtype)
        arrays = rank(
            n,
            np.append(child, without),
            np.concatenate([*self._scores, np.zeros(len(without))]),
            np.ascontiguousarray(np.concatenate([parents, empty]).T),
        )
        return JklSets(names, [names[v] for v in without], arrays)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are neither blank nor comments, with their numbers."""
        for number, line in enumerate(io.BytesIO(self._text), start=1):
            if (stripped := line.lstrip()) and stripped[0] != ord("#"):
                yield number, line

    def _fail_at_end(self, what: str) -> NoReturn:
        """Raise the defect of a file that is too short, with the number of its last line."""
        raise JklError(self._text.count(b"\n") + (not self._text.endswith(b"\n")), what)

    def _read_size(self, lines: Iterator[tuple[int, bytes]]) -> int:
        line, text = next(lines, (0, b""))
        if not text:
            self._fail_at_end("the file is empty, expected the number of variables")
        words = text.split()
        n = _whole_number(words[0])
        if n is None and b"\0" in self._text[: 1 << 12]:
            raise JklError(line, "this is not a text file")
        if n is None or len(words) > 1:
            got = f"got '{_shown(words[0])}'"
            raise JklError(line, f"expected the number of variables alone on the line, {got}")
        if n == 0:
            raise JklError(line, "the number of variables must be at least 1, got 0")
        return n

    def _read_blocks(self, lines: Iterator[tuple[int, bytes]], n: int) -> None:
        for block in range(n):
            header = next(lines, None)
            if header is None:
                self._fail_at_end(f"the file ends after {block} of {n} variables")
            name, count = self._read_header(*header)
            # No file has more lines than bytes.
            own = list(islice(lines, min(count, len(self._text))))
            self._read_sets(name, count, own)
            if len(own) < count:
                self._fail_at_end(
                    f"the file ends after {len(own)} of {count} sets of variable {name}"
                )
        if extra := next(lines, None):
            raise JklError(extra[0], f"extra line after the last of the {n} variables")

    def _read_header(self, line: int, text: bytes) -> tuple[str, int]:
        """Read the line ``name count`` of a block."""
        words = text.split()
        if len(words) != 2:
            raise JklError(line, "expected the name of a variable and its number of sets")
        name, shown, count = words[0], _shown(words[0]), _whole_number(words[1])
        if not _is_printable(name):
            raise JklError(line, f"name '{shown}' is not printable UTF-8 text")
        if count is None:
            what = f"number of sets '{_shown(words[1])}' is not a whole number"
            raise JklError(line, f"variable {shown}: {what}")
        if name in self._headers:
            first = self._headers[name]
            raise JklError(line, f"variable {shown} comes twice, first on line {first}")
        self._headers[name] = line
        return shown, count

    def _read_sets(self, name: str, count: int, lines: list[tuple[int, bytes]]) -> None:
        """Read the lines ``score count parent...`` of a block."""
        rows = [text.split() for _, text in lines]
        scores = np.array([_number(words[0]) for words in rows], np.float64)
        declared = [_whole_number(words[1]) if len(words) > 1 else None for words in rows]
        sizes = [len(words) - 2 for words in rows]
        if declared != sizes or not np.isfinite(scores).all():
            for place, (words, score) in enumerate(zip(rows, scores, strict=True)):
                if defect := _defect_of(words, score):
                    what = f"variable {name}, set {place + 1} of {count}: {defect}"
                    raise JklError(lines[place][0], what)
        codes = map(self._codes.__getitem__, chain.from_iterable(words[2:] for words in rows))
        self._scores.append(scores)
        self._sizes.append(np.array(sizes, np.int32))
        self._parents.append(np.fromiter(codes, np.int32, sum(sizes)))

    def _fail_at_set(self, row: int, what: str) -> NoReturn:
        """Raise a defect of a set; ``row`` is its place among the sets of all blocks."""
        name = _shown(list(self._headers)[self._block_of(row)])
        raise JklError(self._line_of_set(row), f"variable {name} {what}")

    def _block_of(self, row: int) -> int:
        ends = np.cumsum([len(own) for own in self._sizes])
        return int(np.searchsorted(ends, row, side="right"))

    def _line_of_set(self, row: int) -> int:
        # It comes after the first line, the headers up to its own, and the earlier sets.
        return next(islice(self._lines(), 2 + self._block_of(row) + row, None))[0]

    def _parent_rows(
        self, variables: dict[bytes, int], sizes: NDArray[np.int32], most: int
    ) -> NDArray[Any]:
        """Return the parents of every set in ascending order, one row per set."""
        codes = np.concatenate(self._parents)
        dtype = np.uint16 if len(variables) < np.iinfo(np.uint16).max else np.uint32
        resolved = np.zeros(len(self._codes), dtype)
        for word, code in self._codes.items():
            value = variables.get(word, _whole_number(word))
            if value is None or value >= len(variables):
                why = "which is not a variable of this file"
                if value is not None:
                    why = f"but there are only {len(variables)} variables"
                row = int(np.searchsorted(np.cumsum(sizes), np.argmax(codes == code), "right"))
                self._fail_at_set(row, f"lists parent {_shown(word)}, {why}")
            resolved[code] = value
        rows = np.full((len(sizes), most), np.iinfo(dtype).max, dtype)
        rows[np.arange(most) < sizes[:, None]] = resolved[codes]
        rows.sort(axis=1)
        return rows

    def _check_sets(
        self, child: NDArray[np.int64], parents: NDArray[Any], names: tuple[str, ...]
    ) -> None:
        """Reject sets with their own variable, with a parent twice, and sets that come twice."""
        for row in np.flatnonzero((parents == child[:, None]).any(axis=1)).tolist():
            self._fail_at_set(row, "lists itself as a parent")
        none = np.iinfo(parents.dtype).max
        twice = (parents[:, 1:] == parents[:, :-1]) & (parents[:, 1:] != none)
        for row in np.flatnonzero(twice.any(axis=1)).tolist():
            name = _shown(names[parents[row, np.argmax(twice[row])]].encode())
            self._fail_at_set(row, f"lists parent {name} twice")
        order = np.lexsort((*parents.T, child))
        first, second = order[:-1], order[1:]
        same = (child[first] == child[second]) & (parents[first] == parents[second]).all(axis=1)
        if same.any():
            row = int(second[same].min())
            line = self._line_of_set(int(first[second == row][0]))
            self._fail_at_set(row, f"lists the same set twice, first on line {line}")


def _defect_of(words: list[bytes], score: float) -> str | None:
    """Return what is wrong with the line of a set."""
    if not math.isfinite(score):
        return f"score '{_shown(words[0])}' is not a finite number"
    size = _whole_number(words[1]) if len(words) > 1 else None
    if size is None:
        return f"number of parents '{_shown(b''.join(words[1:2]))}' is not a whole number"
    if size != len(words) - 2:
        return f"declares {size} parents, but lists {len(words) - 2}"
    return None
