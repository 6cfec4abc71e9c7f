"""FittedNetwork: a network with its probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError
from forebear._util.machine import memory_bytes
from forebear._util.names import check_unique
from forebear._util.text import show_bytes
from forebear.data.columns import cells_of, codes_as, find_columns
from forebear.data.dataset import Dataset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.network.network import Network

ROW_TOLERANCE = 1e-3
"""How far from 1 a row of probabilities may sum: published files are rounded to a few digits."""

_MOST_STATES = 2**16
_SMALL = 1 << 20  # bytes that there always are
_MOST_MEMBERS = 32
"""NumPy's arrays have no more axes, one a parent and one for the variable."""


@dataclass(frozen=True, eq=False)
class FittedNetwork:
    """A network with the states of its variables and their conditional probabilities.

    ``tables[v]`` has one axis a parent, in ascending order of the parents, and
    the states of ``v`` along the last axis. Every row (last axis) must sum to 1
    within ``ROW_TOLERANCE`` and is rescaled to do so to machine precision.
    """

    network: Network
    states: tuple[tuple[str, ...], ...]
    tables: tuple[NDArray[np.float64], ...]

    def __post_init__(self) -> None:
        names = self.network.names
        if not len(names) == len(self.states) == len(self.tables):
            raise ForebearError(
                f"{len(names)} variables, but {len(self.states)} lists of states "
                f"and {len(self.tables)} tables"
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
                f"the table of {name} has shape {table.shape}, but its parents and states "
                f"need {shape}"
            )
        # Written so that NaN fails too.
        if not (table >= 0).all():
            raise ForebearError(f"the table of {name} has a probability that is not 0 or more")
        sums = table.sum(axis=-1, keepdims=True)
        if not (np.abs(sums - 1) <= ROW_TOLERANCE).all():
            worst = sums.flat[int(np.abs(sums - 1).argmax())]
            raise ForebearError(f"the table of {name} has a row that sums to {worst:.6g}, not to 1")
        # Rows that are already exact stay as they are, so that a file read back is the same bits.
        exact = np.abs(sums - 1) <= shape[-1] * np.finfo(np.float64).eps
        table /= np.where(exact, 1.0, sums)
        table.flags.writeable = False
        return table

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self.network.n_variables

    def sample(self, n_rows: int, rng: np.random.Generator) -> Dataset:
        """Draw rows independently, every variable after its parents.

        All states are declared in the result, drawn or not.
        """
        if n_rows < 1:
            raise ForebearError(f"n_rows must be at least 1, got {n_rows}")
        most = max((len(states) for states in self.states), default=0)
        codes = np.zeros((self.n_variables, n_rows), dtype=np.uint8 if most <= 256 else np.uint16)
        for v in self.network.topological_order():
            self._sample_variable(v, codes, rng)
        return Dataset(codes=codes, names=self.network.names, states=self.states)

    def _sample_variable(self, v: int, codes: NDArray[Any], rng: np.random.Generator) -> None:
        """Fill ``codes[v]``, given the rows of its parents."""
        n_states = len(self.states[v])
        cumulative = self.tables[v].reshape(-1, n_states).cumsum(axis=1)
        # Dividing by the last makes states of probability 0 at the end unreachable.
        cumulative /= cumulative[:, -1:]
        parents = [codes[p] for p in self.network.parents[v]]
        row = cells_of(parents, self.tables[v].shape[:-1], codes.shape[1])
        uniform = rng.random(codes.shape[1])
        for k in range(n_states - 1):
            codes[v] += uniform >= cumulative[:, k][row]

    def log_likelihood(self, data: Dataset) -> float:
        """The natural logarithm of the probability of a table; see ``log_likelihoods``."""
        return float(self.log_likelihoods(data).sum())

    def log_likelihoods(self, data: Dataset) -> NDArray[np.float64]:
        """The natural logarithm of the probability of every row, minus infinity if it is 0.

        Columns and states are matched by name. Columns that the network lacks
        are left aside; a state that it lacks is an error.
        """
        columns = find_columns(data, self.network.names)
        codes = [codes_as(data, *one) for one in zip(columns, self.states, strict=True)]
        total = np.zeros(data.n_rows)
        for v, table in enumerate(self.tables):
            family = [codes[u] for u in (*self.network.parents[v], v)]
            with np.errstate(divide="ignore"):
                total += np.log(table.ravel()[cells_of(family, table.shape, data.n_rows)])
        return total


def check_table(name: str, shape: Sequence[int]) -> None:
    """Refuse probabilities, given parents and states, that no memory could hold."""
    if len(shape) > _MOST_MEMBERS:
        raise ForebearError(
            f"{name} has {len(shape) - 1} parents, and tables of probabilities are for up to "
            f"{_MOST_MEMBERS - 1}"
        )
    needed = 8 * math.prod(shape)
    if needed > _SMALL and needed > memory_bytes() // 4:
        raise ForebearError(
            f"the probabilities of {name} need {show_bytes(needed)} of memory, more than there is"
        )


def _check_states(name: str, states: tuple[str, ...]) -> None:
    if not 1 <= len(states) <= _MOST_STATES:
        raise ForebearError(f"{name} has {len(states)} states, not 1 to {_MOST_STATES}")
    check_unique(states, f"{name}: state")
