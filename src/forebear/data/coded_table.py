"""CodedTable: the validated codes, names and states of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, get_args

import numpy as np

from forebear._util.checks import check_choice
from forebear._util.errors import DataError, Parameter
from forebear._util.text import counted
from forebear._util.variable_names import VariableNames
from forebear.data.encoding import check_names, check_rows, check_states, code_type
from forebear.data.read_options import KEEP_MISSING, Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear._util.variable_names import Variable


@dataclass(frozen=True, eq=False, repr=False)
class CodedTable(VariableNames):
    """The fields of ``Dataset``, their validation, and properties derived from them."""

    codes: NDArray[Any]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    missing: Missing = "error"
    copies: int = 1

    def __post_init__(self) -> None:
        # Tuples, so that lists of the same names give the same fingerprint.
        object.__setattr__(self, "codes", np.asarray(self.codes))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "states", tuple(map(tuple, self.states)))
        check_names(self.names)
        if self.codes.ndim != 2:
            raise DataError(
                Parameter("codes"),
                " must have two dimensions, variables by rows, "
                f"got {counted(self.codes.ndim, 'dimension')}",
            )
        if not len(self.codes) == len(self.names) == len(self.states):
            raise DataError(
                f"the codes have {counted(len(self.codes), 'variable')}, but there are "
                f"{counted(len(self.names), 'name')} and "
                f"{counted(len(self.states), 'list')} of states"
            )
        check_rows(self.n_rows)
        check_states(self.names, self.states)
        check_choice(get_args(Missing), missing=self.missing)
        self._check_codes()
        kind = code_type(self.states, missing=self.has_missing)
        object.__setattr__(self, "codes", np.ascontiguousarray(self.codes, dtype=kind))

    def _check_codes(self) -> None:
        if self.codes.dtype.kind not in "iu":
            raise DataError(Parameter("codes"), f" must be integers, got {self.codes.dtype}")
        too_large = self.codes.max(axis=1) >= self.arities + (self.missing in KEEP_MISSING)
        if self.codes.dtype.kind == "i":
            too_large |= self.codes.min(axis=1) < 0
        if too_large.any():
            worst = int(np.argmax(too_large))
            raise DataError(
                f"column {self.names[worst]!r} has a code outside 0 to "
                f"{self.arities[worst] - 1}, the indices of its states"
            )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[1])

    @cached_property
    def arities(self) -> NDArray[np.int32]:
        """The number of states of every variable, including states that do not occur."""
        return np.array([len(states) for states in self.states], dtype=np.int32)

    def take(self, rows: NDArray[Any]) -> Self:
        """Return some of the rows; all states stay declared.

        Parameters
        ----------
        rows
            The indices of the rows, which may repeat.

        Returns
        -------
        Dataset
            The rows, in this order.
        """
        return replace(self, codes=self.codes[:, rows])

    def select(self, columns: Sequence[Variable]) -> Self:
        """Return some of the columns.

        Parameters
        ----------
        columns
            Their names or indices.

        Returns
        -------
        Dataset
            The columns, in this order.
        """
        own = [self.index(column) for column in columns]
        if own == list(range(len(self.names))):
            return self
        return replace(
            self,
            codes=self.codes[own],
            names=tuple(self.names[v] for v in own),
            states=tuple(self.states[v] for v in own),
        )

    @cached_property
    def has_missing(self) -> bool:
        """Whether values are missing that are handled while learning."""
        return self.missing in KEEP_MISSING and bool(
            (self.codes.max(axis=1) >= self.arities).any()  # only a missing value has such a code
        )

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Which values are missing, variables by rows."""
        found: NDArray[np.bool_] = self.codes >= self.arities[:, np.newaxis]
        return found

    @cached_property
    def missing_share(self) -> float:
        """The share of the values that are missing."""
        return float(self.gaps.mean()) if self.has_missing else 0.0
