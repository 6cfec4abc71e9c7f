"""NetworkBuilder: a fitted network from the variables and families in a file, which it checks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import ForebearError
from forebear._util.text import counted
from forebear.network.conditional_tables import check_table
from forebear.network.fitted import FittedNetwork
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike


class NetworkBuilder:
    """Collects what a file declares; readers add the place in the file to its errors."""

    def __init__(self) -> None:
        self.states: dict[str, tuple[str, ...]] = {}
        self._families: dict[str, tuple[list[str], ArrayLike]] = {}

    def declare(self, name: str, states: Sequence[str]) -> None:
        """Add a variable."""
        if name in self.states:
            raise ForebearError(f"variable {name} is declared twice")
        self.states[name] = tuple(states)

    def shape_of(self, child: str, parents: Sequence[str]) -> list[int]:
        """Check a family of declared variables, and return the shape of its table."""
        members = (*parents, child)
        for name in members:
            if name not in self.states:
                raise ForebearError(f"variable {name} is not declared")
        if child in self._families:
            raise ForebearError(f"the probabilities of {child} are given twice")
        if len(set(members)) < len(members):
            raise ForebearError(f"a variable is named twice in the family of {child}")
        shape = [len(self.states[name]) for name in members]
        check_table(child, shape)
        return shape

    def add_cells(self, child: str, parents: Sequence[str], cells: Sequence[float]) -> None:
        """Add a family by its probabilities in one list.

        The states of the child vary fastest and those of the first parent slowest.
        """
        shape = self.shape_of(child, parents)
        if len(cells) != (needed := math.prod(shape)):
            wanted = counted(needed, "probability", "probabilities")
            raise ForebearError(f"{child} needs {wanted}, got {len(cells):,}")
        self.add_table(child, parents, np.reshape(cells, shape))

    def add_table(self, child: str, parents: Sequence[str], table: ArrayLike) -> None:
        """Add a checked family by its table: one axis per parent as listed, then the child."""
        self._families[child] = (list(parents), table)

    def build(self) -> FittedNetwork:
        """Return the network."""
        index = {name: v for v, name in enumerate(self.states)}
        parents, tables = [], []
        for name in self.states:
            if name not in self._families:
                raise ForebearError(f"variable {name} has no probabilities")
            family, table = self._families[name]
            listed = [index[parent] for parent in family]
            parents.append(tuple(sorted(listed)))
            tables.append(np.transpose(table, [*np.argsort(listed, kind="stable"), len(listed)]))
        network = Network(tuple(self.states), tuple(parents))
        return FittedNetwork(network, tuple(self.states.values()), tuple(tables))
