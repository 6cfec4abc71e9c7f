"""WithGaps: what a Dataset tells about its missing values, and parts of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from forebear._util.names import Named
from forebear.data.reading import GAP_WAYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear._util.names import Variable
    from forebear.data.reading import Missing


@dataclass(frozen=True, eq=False, repr=False)
class WithGaps(Named):
    """The fields of ``Dataset``, and what they tell about rows, columns and missing values."""

    codes: NDArray[Any]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    missing: Missing = "error"
    copies: int = 1

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
        return self.missing in GAP_WAYS and bool(
            (self.codes.max(axis=1) >= self.arities).any()  # only a gap has such a code
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
