"""CodedTable: the validated codes, names and states of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_choice
from forebear._util.errors import DataError, Parameter
from forebear._util.text import counted
from forebear._util.variable_names import Variable, VariableNames
from forebear.data.coding import Coding
from forebear.data.encoding import check_names, check_rows, check_states, code_type
from forebear.data.read_options import KEEP_MISSING, Missing
from forebear.data.row_weights import check_weights


@dataclass(frozen=True, eq=False, repr=False)
class CodedTable(VariableNames):
    """The fields of ``Dataset``, their validation, and properties derived from them."""

    codes: NDArray[Any]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    missing: Missing = "error"
    copies: int = 1
    weights: NDArray[np.int64] | None = None
    coding: Coding | None = None
    intervened: NDArray[np.bool_] | None = None

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
        self._check_intervened()
        self._drop_unweighted()
        check_rows(self.n_rows)
        check_states(self.names, self.states)
        check_choice(get_args(Missing), missing=self.missing)
        self._check_codes()
        kind = code_type(self.states, missing=self.has_missing)
        object.__setattr__(self, "codes", np.ascontiguousarray(self.codes, dtype=kind))
        if self.has_real_weights and self.has_missing and self.missing == "em":
            raise DataError(
                Parameter("missing", "em"),
                " completes whole rows, so it cannot be combined with real weights: pass ",
                Parameter("missing", "available"),
            )
        if self.intervened is not None and self.has_missing:
            raise DataError(
                "missing values cannot be combined with ",
                Parameter("intervened"),
                ": pass ",
                Parameter("missing", "drop"),
                " or ",
                Parameter("missing", "state"),
            )

    def _check_intervened(self) -> None:
        """Check the mask; None if no value was set, as in a table without experiments."""
        if self.intervened is None:
            return
        mask = np.asarray(self.intervened)
        if mask.dtype != np.bool_ or mask.shape != self.codes.shape:
            raise DataError(
                Parameter("intervened"),
                f" must be booleans of the shape of the codes, {self.codes.shape}, got the type "
                f"{mask.dtype} and the shape {mask.shape}",
            )
        object.__setattr__(self, "intervened", mask if mask.any() else None)

    def _drop_unweighted(self) -> None:
        """Check the weights, and drop the rows of weight 0."""
        if self.weights is None:
            return
        weights = check_weights(self.weights, self.codes.shape[1])
        if not weights.all():
            object.__setattr__(self, "codes", self.codes[:, weights > 0])
            if self.intervened is not None:
                mask = self.intervened[:, weights > 0]
                object.__setattr__(self, "intervened", mask if mask.any() else None)
            weights = weights[weights > 0]
        # The same table as without weights, so it has the same fingerprint.
        plain = self.copies == 1 and bool((weights == 1).all())
        object.__setattr__(self, "weights", None if plain else weights)

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

    @cached_property
    def n_rows(self) -> int:
        """The number of rows; a row with a weight counts that many times."""
        return self.n_stored if self.weights is None else int(self.weights.sum())

    @property
    def n_stored(self) -> int:
        """The number of rows in memory, whatever their weights."""
        return int(self.codes.shape[1])

    @property
    def has_real_weights(self) -> bool:
        """Whether the weights are not whole numbers of rows."""
        return self.weights is not None and self.copies > 1

    @cached_property
    def arities(self) -> NDArray[np.int32]:
        """The number of states of every variable, including states that do not occur."""
        return np.array([len(states) for states in self.states], dtype=np.int32)

    def take(self, rows: NDArray[Any]) -> Self:
        """Return some of the rows; all states stay declared.

        Parameters
        ----------
        rows
            The indices of the rows, from 0, which may repeat. With weights, these are indices into
            ``expanded()``.

        Returns
        -------
        Dataset
            The rows, in this order. With weights, the rows in the order of the table, each stored
            once, with the number of times that it was taken as its weight.
        """
        if self.weights is None:
            return self._with_rows(lambda values: values[:, rows])
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        if rows.min(initial=0) < 0 or rows.max(initial=0) >= self.n_rows:
            raise IndexError(f"rows are numbered from 0 to {self.n_rows - 1}")
        # Not by repeating the indices: the weights may stand for billions of rows.
        stored = np.searchsorted(np.cumsum(self.weights), rows, side="right")
        weights = np.bincount(stored, minlength=self.n_stored)
        return replace(self, weights=weights)  # which drops the rows that were not taken

    def expanded(self) -> Self:
        """Return the same table without weights: every row is repeated as often as it counts.

        Returns
        -------
        Dataset
            The repeated rows, or the table itself if it has no weights.
        """
        if self.weights is None:
            return self
        weights = self.weights
        return self._with_rows(lambda values: np.repeat(values, weights, axis=1))

    def _with_rows(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Self:
        """Return a table without weights whose rows are made from these; states stay declared."""
        mask = None if self.intervened is None else change(self.intervened)
        return replace(self, codes=change(self.codes), weights=None, intervened=mask)

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
            intervened=None if self.intervened is None else self.intervened[own],
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
    def is_missing(self) -> NDArray[np.bool_]:
        """Which values are missing, variables by rows."""
        found: NDArray[np.bool_] = self.codes >= self.arities[:, np.newaxis]
        return found

    @cached_property
    def missing_share(self) -> float:
        """The share of the values that are missing."""
        if not self.has_missing:
            return 0.0
        of_rows, weights = self.is_missing.sum(axis=0), 1 if self.weights is None else self.weights
        return int((of_rows * weights).sum()) / (self.n_rows * self.n_variables)

    def rows_not_set(self, variable: int) -> NDArray[np.intp] | None:
        """Return the stored rows in which a variable was not set; None for all rows.

        They are the rows that its families are counted on.
        """
        if self.intervened is None or not self.intervened[variable].any():
            return None
        return np.flatnonzero(~self.intervened[variable])

    @cached_property
    def row_sets(self) -> tuple[int, ...] | None:
        """A number per variable, equal for variables that were set in the same rows.

        It is 0 if a variable was never set. None for a table without experiments.
        """
        if self.intervened is None:
            return None
        numbers = {np.packbits(np.zeros(self.n_stored, np.bool_)).tobytes(): 0}
        return tuple(
            numbers.setdefault(np.packbits(own).tobytes(), len(numbers)) for own in self.intervened
        )
