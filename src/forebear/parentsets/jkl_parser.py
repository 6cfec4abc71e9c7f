"""Parses the text of a .jkl file into flat arrays."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NONE = np.uint32(np.iinfo(np.uint32).max)  # in unused places of a row of parents


class JklError(ValueError):
    """A defect of a .jkl file, and the number of its line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True)
class JklSets:
    """The parent sets of a file: as in ``ParentSets``, but one row of ``parents`` per set."""

    names: tuple[str, ...]
    without_sets: list[str]
    """Variables without any set: they get the empty set with score 0."""
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[np.uint32]
    """Sorted; unused places have the largest number."""


class _Codes(dict[bytes, int]):
    """Numbers words in the order of their first occurrence."""

    def __missing__(self, word: bytes) -> int:
        self[word] = code = len(self)
        return code


def _whole_number(word: bytes) -> int | None:
    """Return the number; None if it is none, or has more digits than any count in a file."""
    return int(word) if word.isdigit() and len(word) < 20 else None


def _finite_number(word: bytes) -> float | None:
    """Return a number with a decimal point or comma; None if it is none."""
    try:
        value = float(word.replace(b",", b".", 1))
    except ValueError:
        return None
    return value if math.isfinite(value) and b"_" not in word else None


def _shown(word: bytes) -> str:
    """Return a word for a message: without control characters, and cut if it is long."""
    text = word[:40].decode("utf-8", "backslashreplace") + ("..." if len(word) > 40 else "")
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


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
    """Parses a text in one pass.

    A parent may be named before its own block, so parents are codes until all names are known.
    """

    def __init__(self, text: bytes) -> None:
        self._lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        self._used = [  # the lines that are neither blank nor comments
            number
            for number, line in enumerate(self._lines)
            if (stripped := line.lstrip()) and stripped[0] != ord("#")
        ]
        self._headers: dict[bytes, int] = {}  # by name: the line where its block begins
        self._counts: list[int] = []  # by block: its sets
        self._set_lines: list[int] = []
        self._scores: list[float] = []
        self._sizes: list[int] = []
        self._codes = _Codes()
        self._parents: list[int] = []  # the codes of the parents of all sets

    def parse(self, check_size: Callable[[int, int], None]) -> JklSets:
        """Return the sets, best first; ties by size, then in lexicographic order.

        ``check_size`` is called with the number of sets and that of parents at most, before the
        memory for them is taken.
        """
        self._read_blocks(self._read_size())
        n, most = len(self._counts), max(self._sizes, default=0)
        check_size(len(self._sizes), most)
        names = list(self._headers)
        by_number = all(_is_index(name, n) for name in names)
        variables = np.array([int(name) for name in names] if by_number else range(n))
        child = np.repeat(variables, self._counts)
        parents = self._lay_out(dict(zip(names, variables.tolist(), strict=True)), most)
        shown = [names[block].decode() for block in np.argsort(variables)]
        self._check_sets(child, parents, shown)
        return self._rank(child, parents, shown)

    def _fail(self, what: str, line: int | None = None) -> NoReturn:
        """Raise the defect of a line, or of the end of the file."""
        end = len(self._lines) - (len(self._lines) > 1 and not self._lines[-1])
        raise JklError(end if line is None else line + 1, what)

    def _read_size(self) -> int:
        if not self._used:
            self._fail("the file is empty, expected the number of variables")
        line = self._used[0]
        words = self._lines[line].split()
        n = _whole_number(words[0])
        if n is None and any(b"\0" in line for line in self._lines[:100]):
            self._fail("this is not a text file", line)
        if n is None or len(words) > 1:
            got = f"got '{_shown(words[0])}'"
            self._fail(f"expected the number of variables alone on the line, {got}", line)
        if n == 0:
            self._fail("the number of variables must be at least 1, got 0", line)
        return n

    def _read_blocks(self, n: int) -> None:
        at = 1
        for done in range(n):
            if at == len(self._used):
                self._fail(f"the file ends after {done} of {n} variables")
            name, count = self._read_header(self._used[at])
            own = self._used[at + 1 : at + 1 + count]
            for place, line in enumerate(own, start=1):
                if defect := self._read_set(self._lines[line].split()):
                    self._fail(f"variable {name}, set {place} of {count}: {defect}", line)
            if len(own) < count:
                self._fail(f"the file ends after {len(own)} of {count} sets of variable {name}")
            self._set_lines += own
            at += 1 + count
        if at < len(self._used):
            self._fail(f"extra line after the last of the {n} variables", self._used[at])

    def _read_header(self, line: int) -> tuple[str, int]:
        """Read the line ``name count`` of a block."""
        words = self._lines[line].split()
        if len(words) != 2:
            self._fail("expected the name of a variable and its number of sets", line)
        name, shown, count = words[0], _shown(words[0]), _whole_number(words[1])
        if not _is_printable(name):
            self._fail(f"name '{shown}' is not printable UTF-8 text", line)
        if count is None:
            what = f"number of sets '{_shown(words[1])}' is not a whole number"
            self._fail(f"variable {shown}: {what}", line)
        if name in self._headers:
            first = self._headers[name] + 1
            self._fail(f"variable {shown} comes twice, first on line {first}", line)
        self._headers[name] = line
        self._counts.append(count)
        return shown, count

    def _read_set(self, words: list[bytes]) -> str | None:
        """Read ``score count parent...``; return what is wrong with it."""
        score = _finite_number(words[0])
        if score is None:
            return f"score '{_shown(words[0])}' is not a finite number"
        size = _whole_number(words[1]) if len(words) > 1 else None
        if size is None:
            shown = _shown(b"".join(words[1:2]))
            return f"number of parents '{shown}' is not a whole number"
        if size != len(words) - 2:
            return f"declares {size} parents, but lists {len(words) - 2}"
        self._scores.append(score)
        self._sizes.append(size)
        self._parents += map(self._codes.__getitem__, words[2:])
        return None

    def _fail_at_set(self, row: int, what: str) -> NoReturn:
        block = int(np.searchsorted(np.cumsum(self._counts), row, side="right"))
        name = _shown(list(self._headers)[block])
        self._fail(f"variable {name} {what}", self._set_lines[row])

    def _lay_out(self, variables: dict[bytes, int], most: int) -> NDArray[np.uint32]:
        """Return a sorted row of parents per set, instead of codes one after another."""
        resolved = np.array([self._resolve(word, variables) for word in self._codes], np.uint32)
        sizes = np.array(self._sizes, np.int64)
        rows = np.full((len(sizes), most), _NONE)
        rows[np.arange(most) < sizes[:, None]] = resolved[np.array(self._parents, np.int64)]
        rows.sort(axis=1)
        return rows

    def _resolve(self, word: bytes, variables: dict[bytes, int]) -> int:
        """Return the variable that a word means: by name, or by number from 0."""
        if (named := variables.get(word)) is not None:
            return named
        value = _whole_number(word)
        if value is not None and value < len(variables):
            return value
        why = "which is not a variable of this file"
        if value is not None:
            why = f"but there are only {len(variables)} variables"
        lists = [word in self._lines[line].split()[2:] for line in self._set_lines]
        return self._fail_at_set(lists.index(True), f"lists parent {_shown(word)}, {why}")

    def _check_sets(
        self, child: NDArray[np.int64], parents: NDArray[np.uint32], names: list[str]
    ) -> None:
        """Reject sets with their own variable, with a parent twice, and sets that come twice."""
        for row in np.flatnonzero((parents == child[:, None]).any(axis=1)).tolist():
            self._fail_at_set(row, "lists itself as a parent")
        twice = (parents[:, 1:] == parents[:, :-1]) & (parents[:, 1:] != _NONE)
        for row in np.flatnonzero(twice.any(axis=1)).tolist():
            name = _shown(names[parents[row, np.argmax(twice[row])]].encode())
            self._fail_at_set(row, f"lists parent {name} twice")
        order = np.lexsort((*parents.T, child))
        first, second = order[:-1], order[1:]
        same = (child[first] == child[second]) & (parents[first] == parents[second]).all(axis=1)
        if same.any():
            row = int(second[same].min())
            line = self._set_lines[first[second == row][0]] + 1
            self._fail_at_set(row, f"lists the same set twice, first on line {line}")

    def _rank(
        self, child: NDArray[np.int64], parents: NDArray[np.uint32], names: list[str]
    ) -> JklSets:
        """Add empty sets where they are missing, and sort all sets of a variable."""
        sizes, n = np.array(self._sizes, np.int64), len(names)
        counts = np.bincount(child, minlength=n)
        added = np.flatnonzero(np.bincount(child[sizes == 0], minlength=n) == 0)
        # Beside other sets, an empty set that is not listed is not allowed.
        scores = np.append(self._scores, np.where(counts[added] == 0, 0.0, -np.inf))
        child = np.append(child, added)
        sizes = np.append(sizes, np.zeros_like(added))
        parents = np.concatenate([parents, np.full((len(added), parents.shape[1]), _NONE)])
        order = np.lexsort((*parents.T[::-1], sizes, -scores, child))
        return JklSets(
            names=tuple(names),
            without_sets=[names[v] for v in np.flatnonzero(counts == 0)],
            offsets=np.searchsorted(child[order], np.arange(n + 1)),
            scores=scores[order],
            parents=parents[order],
        )
