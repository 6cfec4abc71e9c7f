"""What a file holds, told by its extension."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from forebear._util.errors import FileError
from forebear._util.filekinds import advice_on
from forebear.data.formats.table import EXTENSIONS
from forebear.network import files as networks
from forebear.parentsets.files import JKL, NATIVE
from forebear.posterior.files import EXTENSION as DRAWS

_TABLES = (*EXTENSIONS, *(f"{extension}.gz" for extension in EXTENSIONS))


class Kind(Enum):
    """What a file holds."""

    PARENT_SETS = "parent sets"
    NETWORK = "a network"
    RESULT = "a result"
    TABLE = "a table"
    DRAWS = "draws from a posterior"


def kind_of_input(path: Path | str) -> Kind:
    """Tell by its extension what a file that is read holds; where it does not, look for it."""
    try:
        return kind_of(path)
    except FileError as error:
        if not Path(path).exists():
            raise FileError.unreadable(path, FileNotFoundError()) from error
        raise


def kind_of(path: Path | str) -> Kind:
    """Tell by its extension what a file holds."""
    name = Path(path).name.lower()
    if name.endswith((NATIVE, *JKL)):
        return Kind.PARENT_SETS
    if name.endswith(networks.RESULT):
        return Kind.RESULT
    if networks.is_network(path):  # before tables: .edges.csv is no table
        return Kind.NETWORK
    if name.endswith(_TABLES):
        return Kind.TABLE
    if name.endswith(DRAWS):
        return Kind.DRAWS
    if advice := advice_on(path):
        raise FileError(f"{path}: {advice}")
    if Path(path).is_dir():
        raise FileError(f"{path} is a directory")
    raise FileError(
        f"{path}: the extension does not tell what it is: parent sets are {NATIVE} or .jkl, "
        f"networks {networks.extensions_of()}, results {networks.RESULT}, draws "
        f"{DRAWS}, tables {', '.join(EXTENSIONS)}; networks, tables and .jkl files also with .gz"
    )
