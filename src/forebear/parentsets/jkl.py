"""The .jkl format: candidate parent sets with local scores.

GOBNILP, MINOBS and BLIP exchange such files: the number of variables on the
first line, then for every variable a line ``name k`` and k lines
``score count parent...``.
"""

from __future__ import annotations

import gzip
import os
import re
import warnings
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.errors import FileError, ForebearError, ForebearWarning
from forebear._util.files import atomic_path
from forebear._util.packed import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forebear.parentsets.collection import ParentSets

_UNWRITABLE = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")
_SETS_A_PIECE = 1 << 18  # about 8 MB of text: bounds what writing holds in memory


def read_jkl(path: Path | str) -> dict[str, Any]:
    """Read a .jkl file, plain or compressed (``.gz``): what ``ParentSets`` is made of.

    Reading is liberal: comment lines (``#``) and blank lines anywhere, blocks
    and sets in any order, parents by name or by number from 0, decimal commas.
    If the names are the ids 0..n-1, variables are numbered by these, otherwise
    as they come. An empty set that is not listed is not allowed: its score is
    minus infinity. A variable without any set gets the empty set with score 0,
    and a warning.

    Raises:
        FileError: the file cannot be read or is wrong; the message says on which line.
    """
    path = Path(path)
    try:
        table = _core.parse_jkl(_read_bytes(path))
    except _core.JklError as defect:
        line, _, what = str(defect).partition(": ")
        raise FileError.at(path, int(line), what) from None
    names = tuple(table.names)
    if without := [names[v] for v in table.without_sets]:
        warnings.warn(
            f"{path}: no parent sets for {_some(without)}: the empty set, score 0, is all they get",
            ForebearWarning,
            stacklevel=2,
        )
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
    """Write parent sets to a .jkl file, compressed if it is called ``.gz``.

    Scores have 17 significant digits, so they read back to the bit. Sets with
    score minus infinity are not written. Variables go by their names; with
    ``ids=True`` by 0..n-1, as MINOBS and BLIP want them. (Names that are these
    ids in another order read back as the same sets, but numbered by id.)

    Raises:
        ForebearError: a name cannot stand in the file, or a variable has no allowed set.
        FileError: the file cannot be written.
    """
    path = Path(path)
    if ids:
        names = [str(v) for v in range(parent_sets.n_variables)]
    else:
        names = list(parent_sets.names)
        check_names(names)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        if path.suffix == ".gz":
            # No name and no time inside: the same sets give the same bytes.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                _write_pieces(parent_sets, names, packed)
        else:
            _write_pieces(parent_sets, names, file)


def _read_bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    return unpack(content, path) if path.suffix == ".gz" else content


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def _check_memory(path: Path, n_sets: int, max_parents: int, dtype: np.dtype[Any]) -> None:
    """Refuse sets so uneven that a small file would need more memory than there is.

    Every set takes the room of the largest.
    """
    needed = n_sets * (max_parents * dtype.itemsize + 8)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > memory:
        raise FileError(
            f"{path}: {n_sets} sets of up to {max_parents} parents need about "
            f"{needed / 1e9:.0f} GB; this machine has {memory / 1e9:.0f} GB. "
            "Drop the largest sets from the file"
        )


def check_names(names: Sequence[str]) -> None:
    """Refuse names that would not read back; ids always do."""
    for name in names:
        if not name or name[0] == "#" or _UNWRITABLE.search(name):
            raise ForebearError(
                f"variable name {name!r} cannot stand in a .jkl file, which has no place for "
                "whitespace, control characters or a leading #: pass ids=True"
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
    for begin in range(0, len(scores), _SETS_A_PIECE):
        end = min(begin + _SETS_A_PIECE, len(scores))
        try:
            yield _core.format_jkl(names, offsets, scores, parents, begin, end)
        except ValueError as error:
            raise ForebearError(str(error)) from None
