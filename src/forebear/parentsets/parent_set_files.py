"""Read and write files of parent sets; the extension determines the format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear._util.atomic import check_writable
from forebear._util.errors import FileError, ForebearError, Parameter
from forebear._util.file_kinds import describe_file
from forebear.parentsets import jkl
from forebear.parentsets.cps import read_cps, write_cps

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets

NATIVE = ".cps"
"""The extension of native files."""

JKL = (".jkl", ".jkl.gz")


def read_fields(path: Path | str) -> dict[str, Any]:
    """Read the fields of ``ParentSets`` from a file."""
    if not is_parent_sets(path) and (kind := describe_file(path)):
        advice = ": score it first" if "table" in kind else ""
        raise FileError(f"{path}: not a file of parent sets: this is {kind}{advice}")
    _check_extension(path)
    return read_cps(path) if is_native(path) else jkl.read_jkl(path)


def write_parent_sets(parent_sets: ParentSets, path: Path | str, *, ids: bool = False) -> None:
    """Write parent sets to a native or a .jkl file; ``ids`` applies to .jkl only."""
    _check_extension(path, ids=ids)
    if is_native(path):
        write_cps(parent_sets, path)
    else:
        jkl.write_jkl(parent_sets, path, ids=ids)


def check_target(
    path: Path | str, names: Sequence[str] | None = None, *, ids: bool = False
) -> None:
    """Reject a file that cannot hold parent sets of these variables, before any work is done."""
    _check_extension(path, ids=ids)
    check_writable(path)
    if names is not None and not ids and not is_native(path):
        jkl.check_names(names)


def is_native(path: Path | str) -> bool:
    """Return whether a file of parent sets is a native file, judged by its extension."""
    return Path(path).name.lower().endswith(NATIVE)


def is_parent_sets(path: Path | str) -> bool:
    """Return whether a file has an extension of parent sets."""
    return Path(path).name.lower().endswith((NATIVE, *JKL))


def _check_extension(path: Path | str, *, ids: bool = False) -> None:
    if not is_parent_sets(path):
        raise FileError(f"{path}: the extension of parent sets must be {NATIVE}, .jkl or .jkl.gz")
    if ids and is_native(path):
        raise ForebearError(Parameter("ids", True), f" is for .jkl files, but {path} is not one")
