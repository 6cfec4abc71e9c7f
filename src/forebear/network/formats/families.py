"""Assembly of a fitted network from the families in a file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import FileError, ForebearError
from forebear._util.text import counted
from forebear.network.conditional import check_table
from forebear.network.fitted import FittedNetwork
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


class Family(NamedTuple):
    """A variable, its parents in any order, and its probabilities as one list.

    The states of the variable vary fastest and those of the first parent
    slowest. Errors start with ``where``, the place in the file.
    """

    child: str
    parents: tuple[str, ...]
    probabilities: Sequence[float]
    where: str


def assemble(
    path: Path | str, states: Mapping[str, Sequence[str]], families: Iterable[Family]
) -> FittedNetwork:
    """Build the network from the states of its variables and its families."""
    names = tuple(states)
    index = {name: v for v, name in enumerate(names)}
    found: dict[str, Family] = {}
    for family in families:
        _check_family(family, states)
        if family.child in found:
            raise FileError(f"{family.where}: the probabilities of {family.child} are given twice")
        found[family.child] = family
    for name in names:
        if name not in found:
            raise FileError(f"{path}: variable {name} has no probabilities")
    parents, tables = [], []
    for name in names:
        listed = [index[parent] for parent in found[name].parents]
        shape = [len(states[member]) for member in (*found[name].parents, name)]
        table = np.array(found[name].probabilities, dtype=np.float64).reshape(shape)
        parents.append(tuple(sorted(listed)))
        tables.append(table.transpose([*np.argsort(listed, kind="stable"), len(listed)]))
    try:
        network = Network(names, tuple(parents))
        return FittedNetwork(network, tuple(tuple(states[n]) for n in names), tuple(tables))
    except ForebearError as error:
        raise FileError(f"{path}: ", error.message) from None


def _check_family(family: Family, states: Mapping[str, Sequence[str]]) -> None:
    members = (*family.parents, family.child)
    for name in members:
        if name not in states:
            raise FileError(f"{family.where}: variable {name} is not declared")
    if len(set(members)) < len(members):
        raise FileError(
            f"{family.where}: a variable is named twice in the family of {family.child}"
        )
    needed = math.prod(shape := [len(states[name]) for name in members])
    if len(family.probabilities) != needed:
        raise FileError(
            f"{family.where}: {family.child} needs "
            f"{counted(needed, 'probability', 'probabilities')}, "
            f"got {len(family.probabilities):,}"
        )
    try:
        check_table(family.child, shape)
    except ForebearError as error:
        raise FileError(f"{family.where}: ", error.message) from None
