"""The .jkl format for parent sets, which GOBNILP, MINOBS and BLIP read and write.

The first line holds the number of variables. Every variable then has a line
``name k`` and k lines ``score count parent...``.
"""

from __future__ import annotations

import gzip
import re
import warnings
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError, ForebearError, ForebearWarning, Parameter
from forebear._util.filekinds import BINARY, EMPTY, GZIP, describe_content
from forebear._util.machine import memory_bytes
from forebear._util.text import counted, listing, show_bytes
from forebear._util.textfiles import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forebear.parentsets.collection import ParentSets

_UNWRITABLE = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")
_SETS_PER_PIECE = 1 << 18  # about 8 MB of text, to limit the memory for writing


def read_jkl(path: Path | str) -> dict[str, Any]:
    """Read the fields of ``ParentSets`` from a .jkl file, plain or gzipped (``.gz``).

    The reader accepts comment lines (``#``) and blank lines anywhere, blocks
    and sets in any order, parents by name or by number from 0, and decimal
    commas. If the names are the numbers 0 to n-1, they are the indices of the
    variables; otherwise the order in the file decides. If the empty set is not
    listed, it is not allowed and has the score minus infinity. A variable
    without any set gets the empty set with score 0, and a warning.
    """
    path = Path(path)
    try:
        table = _core.parse_jkl(_read_bytes(path))
    except _core.JklError as defect:
        if (found := describe_content(path)) not in (None, EMPTY, GZIP, BINARY):
            raise FileError(f"{path}: not a .jkl file: this is {found}") from None
        line, _, what = str(defect).partition(": ")
        raise FileError.at(path, int(line), what) from None
    names = tuple(table.names)
    if without := [names[v] for v in table.without_sets]:
        variables = counted(len(without), "variable")
        has, gets = ("has", "gets") if len(without) == 1 else ("have", "get")
        message = (
            f"{path}: {variables} {has} no parent sets ({listing(without)}) "
            f"and {gets} only the empty set with score 0"
        )
        warnings.warn(ForebearWarning(message), stacklevel=4)  # the caller of load
    n_sets, max_parents = table.n_sets, table.max_parents
    dtype = np.dtype(np.uint16 if len(names) < 65535 else np.uint32)
    _check_memory(path, n_sets, max_parents, dtype)
    offsets = np.empty(len(names) + 1, np.int64)
    scores = np.empty(n_sets, np.float64)
    parents = np.empty((max_parents, n_sets), dtype)
    table.fill(offsets, scores, parents)
    return {
        "names": names,
        "offsets": offsets,
        "scores": scores,
        "parents": parents,
        "path": Path(path),
    }


def write_jkl(parent_sets: ParentSets, path: Path | str, *, ids: bool = False) -> None:
    """Write parent sets to a .jkl file, gzipped if its name ends in ``.gz``.

    Scores have 17 significant digits, so that reading gives the same bits. Sets
    with score minus infinity are not written. Variables are written by name, or
    with ``ids=True`` by number, as MINOBS and BLIP require. (If the names are
    the numbers 0 to n-1 in another order, reading sorts the variables by number.)
    """
    path = Path(path)
    if ids:
        names = [str(v) for v in range(parent_sets.n_variables)]
    else:
        names = list(parent_sets.names)
        check_names(names)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        if path.suffix == ".gz":
            # Without a name and a time stamp, the same sets give the same bytes.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                _write_pieces(parent_sets, names, packed)
        else:
            _write_pieces(parent_sets, names, file)


def _read_bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    return unpack(content, path) if path.suffix == ".gz" else content


def _check_memory(path: Path, n_sets: int, max_parents: int, dtype: np.dtype[Any]) -> None:
    """Refuse sets that do not fit in memory, where every set takes the room of the largest."""
    needed = n_sets * (max_parents * dtype.itemsize + 8)
    memory = memory_bytes()
    if needed > memory:
        raise FileError(
            f"{path}: {n_sets:,} sets of up to {max_parents:,} parents need about "
            f"{show_bytes(needed)}, but {show_bytes(memory)} are available: "
            "remove the largest sets from the file"
        )


def check_names(names: Sequence[str]) -> None:
    """Refuse names that a .jkl file cannot hold."""
    for name in names:
        if not name or name[0] == "#" or _UNWRITABLE.search(name):
            raise ForebearError(
                f"a .jkl file cannot hold the name {name!r}, because names must not be empty, "
                "contain blanks or control characters, or start with #: pass ",
                Parameter("ids", True),
                " to write numbers instead",
            )


def _write_pieces(
    parent_sets: ParentSets, names: list[str], file: IO[bytes] | gzip.GzipFile
) -> None:
    file.write(f"{len(names)}\n".encode())
    for piece in _pieces(parent_sets, names):
        file.write(piece)


def _pieces(parent_sets: ParentSets, names: list[str]) -> Iterator[bytes]:
    offsets = np.ascontiguousarray(parent_sets.offsets, np.int64)
    scores = np.ascontiguousarray(parent_sets.scores, np.float64)
    parents = np.ascontiguousarray(parent_sets.parents)
    for begin in range(0, len(scores), _SETS_PER_PIECE):
        end = min(begin + _SETS_PER_PIECE, len(scores))
        try:
            yield _core.format_jkl(names, offsets, scores, parents, begin, end)
        except ValueError as error:
            raise ForebearError(str(error)) from None
