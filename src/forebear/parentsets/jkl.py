"""The .jkl format for parent sets, which GOBNILP, MINOBS and BLIP read and write.

The first line holds the number of variables. Every variable then has a line
``name k`` and k lines ``score count parent...``.
"""

from __future__ import annotations

import gzip
import math
import re
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError, ForebearError, ForebearWarning, Parameter
from forebear._util.file_kinds import BINARY, EMPTY, GZIP, describe_content
from forebear._util.machine import memory_bytes
from forebear._util.text import counted, listing, show_bytes
from forebear._util.text_files import unpack
from forebear.parentsets.jkl_parser import JklError, JklParser

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets

_UNWRITABLE = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")


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
        sets = JklParser(_read_bytes(path)).parse(partial(_check_memory, path))
    except JklError as defect:
        if (kind := describe_content(path)) not in (None, EMPTY, GZIP, BINARY):
            raise FileError(f"{path}: not a .jkl file: this is {kind}") from None
        raise FileError.at(path, defect.line, str(defect)) from None
    if without := sets.without_sets:
        variables = counted(len(without), "variable")
        has, gets = ("has", "gets") if len(without) == 1 else ("have", "get")
        message = (
            f"{path}: {variables} {has} no parent sets ({listing(without)}) "
            f"and {gets} only the empty set with score 0"
        )
        warnings.warn(ForebearWarning(message), stacklevel=4)  # the caller of load
    return {"names": sets.names, **sets.arrays._asdict(), "path": path}


def write_jkl(parent_sets: ParentSets, path: Path | str, *, ids: bool = False) -> None:
    """Write parent sets to a .jkl file, gzipped if its name ends in ``.gz``.

    Scores have 17 significant digits, so that reading gives the same bits. Sets
    with score minus infinity are not written. Variables are written by name, or
    with ``ids=True`` by number, as MINOBS and BLIP require. (If the names are
    the numbers 0 to n-1 in another order, reading sorts the variables by number.)

    The file cannot record that scores include a prior over networks, so there is a warning.
    """
    path = Path(path)
    _warn_of_prior(path, parent_sets.provenance.get("prior", "uniform"))
    if ids:
        names = [str(v) for v in range(parent_sets.n_variables)]
    else:
        names = list(parent_sets.names)
        check_names(names)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        if path.suffix == ".gz":
            # Without a name and a timestamp, the same sets give the same bytes.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                _write_sets(parent_sets, names, packed)
        else:
            _write_sets(parent_sets, names, file)


def _warn_of_prior(path: Path, prior: str | float) -> None:
    """Warn if scores include a prior, because a reader of the file could add it again."""
    if prior == "uniform":
        return
    warnings.warn(
        ForebearWarning(
            f"{path} cannot record that its scores include the prior {prior}: do not add a prior "
            "to them again, or write a .cps file"
        ),
        stacklevel=5,
    )


def _read_bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    return unpack(content, path) if path.suffix == ".gz" else content


def _check_memory(path: Path, n_sets: int, max_parents: int) -> None:
    """Reject sets that do not fit in memory; each set occupies as much as the largest one."""
    needed = n_sets * (4 * max_parents + 8)
    memory = memory_bytes()
    if needed > memory:
        raise FileError(
            f"{path}: {n_sets:,} sets of up to {max_parents:,} parents need about "
            f"{show_bytes(needed)} of memory, but {show_bytes(memory)} are available: "
            "remove the largest sets from the file"
        )


def check_names(names: Sequence[str]) -> None:
    """Reject names that a .jkl file cannot hold."""
    for name in names:
        if not name or name[0] == "#" or _UNWRITABLE.search(name):
            raise ForebearError(
                f"a .jkl file cannot hold the name {name!r}, because names must not be empty, "
                "contain blanks or control characters, or start with #: pass ",
                Parameter("ids", True),
                " to write numbers instead",
            )


def _write_sets(
    parent_sets: ParentSets, names: Sequence[str], file: IO[bytes] | gzip.GzipFile
) -> None:
    file.write(f"{len(names)}\n".encode())
    none = parent_sets.none
    for v, name in enumerate(names):
        own = slice(int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1]))
        lines = []
        rows = parent_sets.parents[:, own].T.tolist()
        for score, row in zip(parent_sets.scores[own].tolist(), rows, strict=True):
            if score != -math.inf:
                parents = [names[p] for p in row if p != none]
                lines.append(" ".join([f"{score:.17g} {len(parents)}", *parents]))
        if not lines:  # a count of 0 would be read as the empty set with score 0
            raise ForebearError(f"variable {name} has no set with a finite score")
        file.write("\n".join([f"{name} {len(lines)}", *lines, ""]).encode())
