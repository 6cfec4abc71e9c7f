"""ParentSets: every variable's candidate parent sets, best first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ParentSets:
    """Every variable's candidate parent sets with their scores, best first.

    The sets of variable ``v`` are the columns ``offsets[v]:offsets[v + 1]`` of
    ``parents``, one parent a row, ascending, unused places filled with
    ``none`` (the largest value of the type). Ties: smaller set first, then
    lexicographic. Every variable has the empty set; where it is not allowed,
    its score is minus infinity.
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[Any]
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    def __len__(self) -> int:
        """The number of parent sets of all variables together."""
        return len(self.scores)

    @property
    def max_parents(self) -> int:
        """The number of parents of the largest set."""
        return int(self.parents.shape[0])

    @property
    def none(self) -> int:
        """What fills the unused places of ``parents``."""
        return int(np.iinfo(self.parents.dtype).max)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of sets of every variable."""
        return np.diff(self.offsets)
