"""Files, one module a format; here is which is which, by extension."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from forebear.errors import FileError
from forebear.formats.jkl import read_jkl, write_jkl
from forebear.formats.native import read_native, write_native

if TYPE_CHECKING:
    from forebear.parentsets import ParentSets

NATIVE = ".cps"
"""The extension of native files: candidate parent sets."""


def holds_parent_sets(path: Path | str) -> bool:
    """Tell by its extension whether a file holds parent sets (and not a table)."""
    return Path(path).name.lower().endswith((NATIVE, ".jkl", ".jkl.gz"))


def read_parent_sets(path: Path | str) -> ParentSets:
    """Open a file of parent sets, native or .jkl, by its extension."""
    if Path(path).name.lower().endswith(NATIVE):
        return read_native(path)
    _check_extension(path)
    return read_jkl(path)


def write_parent_sets(parent_sets: ParentSets, path: Path | str) -> None:
    """Write a file of parent sets, native or .jkl, by its extension."""
    if Path(path).name.lower().endswith(NATIVE):
        write_native(parent_sets, path)
        return
    _check_extension(path)
    write_jkl(parent_sets, path)


def _check_extension(path: Path | str) -> None:
    if not holds_parent_sets(path):
        raise FileError(f"{path}: a file of parent sets is called {NATIVE}, .jkl or .jkl.gz")
