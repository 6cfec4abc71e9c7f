"""ConditionalTables: the validated conditional probabilities of a network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError
from forebear._util.machine import memory_bytes
from forebear._util.text import counted, show_bytes
from forebear._util.variable_names import Variable, check_unique
from forebear.data.coding import Coding
from forebear.network.network import Network
from forebear.network.probability_table import ProbabilityTable

ROW_TOLERANCE = 1e-3
"""How much the sum of a row may differ from 1: published files are rounded to a few digits."""


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalTables:
    """The fields of ``FittedNetwork``, their validation, and properties derived from them."""

    network: Network
    states: tuple[tuple[str, ...], ...]
    tables: tuple[NDArray[np.float64], ...]

    def __post_init__(self) -> None:
        names = self.network.names
        if not len(names) == len(self.states) == len(self.tables):
            raise ForebearError(
                f"the network has {counted(len(names), 'variable')}, but there are "
                f"{counted(len(self.states), 'list')} of states and "
                f"{counted(len(self.tables), 'table')}"
            )
        object.__setattr__(self, "states", tuple(tuple(s) for s in self.states))
        for name, states in zip(names, self.states, strict=True):
            _check_states(name, states)
        tables = tuple(self._checked_table(v) for v in range(len(names)))
        object.__setattr__(self, "tables", tables)

    def _checked_table(self, v: int) -> NDArray[np.float64]:
        name = self.network.names[v]
        table = np.array(self.tables[v], dtype=np.float64)
        shape = tuple(len(self.states[u]) for u in (*self.network.parents[v], v))
        if table.shape != shape:
            raise ForebearError(
                f"the table of {name} has the shape {table.shape}, but its parents and states "
                f"require {shape}"
            )
        # This form of the condition also rejects NaN.
        if not (table >= 0).all():
            raise ForebearError(f"the table of {name} has a negative or undefined probability")
        sums = table.sum(axis=-1, keepdims=True)
        if not (np.abs(sums - 1) <= ROW_TOLERANCE).all():
            worst = sums.flat[int(np.abs(sums - 1).argmax())]
            raise ForebearError(f"the table of {name} has a row that sums to {worst:.6g}, not 1")
        # Exact rows are not rescaled, so that a file that is read and written keeps its bits.
        exact = np.abs(sums - 1) <= shape[-1] * np.finfo(np.float64).eps
        table /= np.where(exact, 1.0, sums)
        table.flags.writeable = False
        return table

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self.network.n_variables

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: probabilities that are not implied by the others."""
        return sum(table.size - table.size // table.shape[-1] for table in self.tables)

    def cpt(self, variable: Variable) -> ProbabilityTable:
        """Return the conditional probability table (CPT) of a variable.

        Parameters
        ----------
        variable
            Its name or its index.

        Returns
        -------
        ProbabilityTable
            The states of the parents are the index and those of the variable the columns.

        Examples
        --------
        >>> from forebear import read_fitted
        >>> read_fitted("example:orchard.bif").cpt("hail").to_frame().columns
        ['summer', 'no', 'yes']
        """
        v = self.network.index(variable)
        names, parents = self.network.names, self.network.parents[v]
        return ProbabilityTable(
            names[v],
            self.states[v],
            tuple(names[p] for p in parents),
            tuple(self.states[p] for p in parents),
            self.tables[v],
        )

    @cached_property
    def coding(self) -> Coding:
        """How raw rows are coded: as the table of the network was, or by the names of states."""
        own = self.network.coding or Coding({})
        return own.for_network(self.network.names, self.states)

    @cached_property
    def log_tables(self) -> tuple[NDArray[np.float64], ...]:
        """The natural logarithms of the tables; minus infinity where the probability is 0."""
        with np.errstate(divide="ignore"):
            return tuple(np.log(table) for table in self.tables)


def check_table(name: str, shape: Sequence[int]) -> None:
    """Reject a table of probabilities that does not fit in memory."""
    if len(shape) > 32:  # NumPy arrays have at most this many axes
        raise ForebearError(
            f"{name} has {len(shape) - 1} parents, more than the limit of 31 for tables of "
            "probabilities"
        )
    needed = 8 * math.prod(shape)
    if needed > 2**20 and needed > memory_bytes() // 4:  # a megabyte is always available
        raise ForebearError(
            f"the probabilities of {name} need {show_bytes(needed)} of memory, more than available"
        )


def _check_states(name: str, states: tuple[str, ...]) -> None:
    if not 1 <= len(states) <= 2**16:  # codes have 16 bits
        raise ForebearError(f"{name} must have 1 to {2**16:,} states, got {len(states):,}")
    check_unique(states, f"{name}: state")
