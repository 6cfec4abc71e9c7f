"""The inputs of commands: tables, networks, evidence, initial solutions."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from forebear._util.errors import FileError, ForebearError, Parameter
from forebear._util.file_kinds import advice_on
from forebear.data.examples import resolve_example
from forebear.data.formats.table import EXTENSIONS, STANDARD_INPUT
from forebear.network import file_formats as networks
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network
from forebear.parentsets.parent_set_files import JKL, NATIVE
from forebear.posterior.draws_file import EXTENSION as DRAWS
from forebear.result import Result

_TABLES = (*EXTENSIONS, *(f"{extension}.gz" for extension in EXTENSIONS))

FittedArgument = Annotated[
    str,
    typer.Argument(
        metavar="NETWORK",
        help="A network with probabilities: "
        f"{networks.extensions_of(networks.WITH_PROBABILITIES)}.",
    ),
]


class Content(Enum):
    """The content of a file."""

    PARENT_SETS = "parent sets"
    NETWORK = "a network"
    RESULT = "a result"
    TABLE = "a table"
    DRAWS = "draws from a posterior"


def resolve_table(source: str) -> Path | str:
    """Return the path of a table or an example; reject a file with another extension."""
    path = resolve_example(source)
    if (kind := content_of_input(path)) is not Content.TABLE:
        raise FileError(f"{source} holds {kind.value}, but a table is expected")
    return path


def content_of_input(path: Path | str) -> Content:
    """Return the content of an input by its extension; standard input and folders are tables."""
    try:
        if path == STANDARD_INPUT or Path(path).is_dir():
            return Content.TABLE
        return content_of(path)
    except FileError as error:
        if not Path(path).exists():
            raise FileError.unreadable(path, FileNotFoundError()) from error
        raise


def content_of(path: Path | str) -> Content:
    """Return the content of a file by its extension."""
    name = Path(path).name.lower()
    if name.endswith((NATIVE, *JKL)):
        return Content.PARENT_SETS
    if name.endswith(networks.RESULT):
        return Content.RESULT
    if networks.is_network(path):  # before tables: .edges.csv is not a table
        return Content.NETWORK
    if name.endswith(_TABLES):
        return Content.TABLE
    if name.endswith(DRAWS):
        return Content.DRAWS
    if advice := advice_on(path):
        raise FileError(f"{path}: {advice}")
    raise FileError(
        f"{path}: unknown file type; parent sets: {NATIVE}, .jkl; networks: "
        f"{networks.extensions_of()}; results: {networks.RESULT}; draws: {DRAWS}; tables: "
        f"{', '.join(EXTENSIONS)} (networks, tables and .jkl files also with .gz)"
    )


def read_with_probabilities(source: str) -> FittedNetwork:
    """Read a network with probabilities; reject a network that has none."""
    network = networks.read_any_network(source)
    if not isinstance(network, FittedNetwork):
        raise FileError(
            f"{source} has no probabilities: add them with "
            f"forebear convert {source} network.bif --data TABLE"
        )
    return network


def parse_evidence(given: Sequence[str], option: str = "evidence") -> dict[str, str]:
    """Read the texts ``NAME=STATE`` of an option."""
    evidence: dict[str, str] = {}
    for one in given:
        name, equals, state = one.partition("=")
        if not equals:
            raise ForebearError(Parameter(option), f" must be NAME=STATE, got {one!r}")
        if name in evidence:
            raise ForebearError(Parameter(option), f" sets {name} twice: keep one of them")
        evidence[name] = state
    return evidence


def read_start(path: Path | None) -> Result | Network | Sequence[int] | None:
    """Read the initial solution of a search: a result, a network or an order."""
    if path is None:
        return None
    if path.suffix.lower() == networks.RESULT:
        return Result.load(path)
    if networks.is_network(path):
        return networks.read_network(path)
    try:
        return [int(word) for word in path.read_text("utf-8").split()]
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except ValueError as error:
        raise FileError(
            f"{path}: not a result, a network or an order (the indices of all variables, from 0)"
        ) from error
