"""Files of parent sets, read and written by extension: ``.cps`` and ``.jkl``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear._util.errors import FileError, ForebearError
from forebear._util.files import check_writable
from forebear.parentsets import jkl
from forebear.parentsets.cps import read_cps, write_cps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.parentsets.collection import ParentSets

NATIVE = ".cps"
"""The extension of native files: candidate parent sets."""

JKL = (".jkl", ".jkl.gz")


def read_fields(path: Path | str) -> dict[str, Any]:
    """Open a file of parent sets by its extension: what ``ParentSets`` is made of."""
    _check_extension(path)
    return read_cps(path) if is_native(path) else jkl.read_jkl(path)


def write_parent_sets(parent_sets: ParentSets, path: Path | str, *, ids: bool = False) -> None:
    """Write a file of parent sets, native or .jkl, by its extension; ``ids`` is for .jkl."""
    _check_extension(path, ids=ids)
    if is_native(path):
        write_cps(parent_sets, path)
    else:
        jkl.write_jkl(parent_sets, path, ids=ids)


def check_target(
    path: Path | str, names: Sequence[str] | None = None, *, ids: bool = False
) -> None:
    """Refuse, before any work, a file that parent sets of these names could not be written to."""
    _check_extension(path, ids=ids)
    check_writable(path)
    if names is not None and not ids and not is_native(path):
        jkl.check_names(names)


def is_native(path: Path | str) -> bool:
    """Tell by its extension whether a file of parent sets is forebear's own."""
    return Path(path).name.lower().endswith(NATIVE)


def _check_extension(path: Path | str, *, ids: bool = False) -> None:
    if not Path(path).name.lower().endswith((NATIVE, *JKL)):
        raise FileError(f"{path}: a file of parent sets is called {NATIVE}, .jkl or .jkl.gz")
    if ids and is_native(path):
        raise ForebearError(f"ids=True is for .jkl files, which {path} is not")
