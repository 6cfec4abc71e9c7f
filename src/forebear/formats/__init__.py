"""Files, one module a format; here is which is which, by extension."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from forebear.errors import FileError, ForebearError
from forebear.files import check_writable
from forebear.formats import jkl
from forebear.formats.native import read_native, write_native
from forebear.formats.table import EXTENSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.parentsets import ParentSets

NATIVE = ".cps"
"""The extension of native files: candidate parent sets."""

_JKL = (".jkl", ".jkl.gz")
_TABLES = (*EXTENSIONS, *(f"{extension}.gz" for extension in EXTENSIONS))


class Kind(Enum):
    """What a file holds."""

    PARENT_SETS = "parent sets"
    NETWORK = "a network"
    RESULT = "a result"
    TABLE = "a table"


def kind_of(path: Path | str) -> Kind:
    """Tell by its extension what a file holds."""
    # Not at the top: networks draw Datasets, and Datasets are read by formats.
    from forebear.formats import networks

    name = Path(path).name.lower()
    if name.endswith((NATIVE, *_JKL)):
        return Kind.PARENT_SETS
    if name.endswith(networks.RESULT):
        return Kind.RESULT
    if networks.is_network(path):  # before tables: .edges.csv is no table
        return Kind.NETWORK
    if name.endswith(_TABLES):
        return Kind.TABLE
    raise FileError(
        f"{path}: the extension does not tell what it is: parent sets are {NATIVE} or .jkl, "
        f"networks {networks.extensions_of()}, results {networks.RESULT}, tables "
        f"{', '.join(EXTENSIONS)}; all but {NATIVE} and {networks.RESULT} also with .gz"
    )


def read_parent_sets(path: Path | str) -> ParentSets:
    """Open a file of parent sets, native or .jkl, by its extension."""
    _check_extension(path)
    return read_native(path) if is_native(path) else jkl.read_jkl(path)


def write_parent_sets(parent_sets: ParentSets, path: Path | str, *, ids: bool = False) -> None:
    """Write a file of parent sets, native or .jkl, by its extension; ``ids`` is for .jkl."""
    _check_extension(path, ids=ids)
    if is_native(path):
        write_native(parent_sets, path)
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
    if not Path(path).name.lower().endswith((NATIVE, *_JKL)):
        raise FileError(f"{path}: a file of parent sets is called {NATIVE}, .jkl or .jkl.gz")
    if ids and is_native(path):
        raise ForebearError(f"ids=True is for .jkl files, which {path} is not")
