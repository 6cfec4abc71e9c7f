"""ParentSets: every variable's candidate parent sets, best first."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear import _core
from forebear._util.errors import FileError, ForebearError
from forebear._util.mapped import sparing
from forebear._util.names import check_unique
from forebear.parentsets.files import read_fields, write_parent_sets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray


class ParentSet(NamedTuple):
    """One candidate: its rank (1 is the best), its score, its members."""

    rank: int
    score: float
    parents: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ParentSets:
    """Every variable's candidate parent sets with their scores, best first.

    The sets of variable ``v`` are the columns ``offsets[v]:offsets[v + 1]`` of
    ``parents``, one parent a row, ascending, unused places filled with
    ``none`` (the largest value of the type). Ties: smaller set first, then
    lexicographic. Every variable has the empty set; where it is not allowed,
    its score is minus infinity. ``path`` is the file they were read from, if any.
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    parents: NDArray[Any]
    provenance: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None

    def __post_init__(self) -> None:
        if self.parents.ndim != 2:
            raise ForebearError("parents must be slots by sets")
        if self.parents.dtype not in (np.uint16, np.uint32):
            raise ForebearError(f"parents must be uint16 or uint32, got {self.parents.dtype}")
        if len(self.offsets) != len(self.names) + 1 or self.parents.shape[1] != len(self.scores):
            raise ForebearError("these parent sets do not fit together: lengths differ")
        check_unique(self.names, "variable")
        with sparing(self.scores, self.parents):
            defect = _core.find_defect(self.offsets, self.scores, self.parents)
        if defect:
            raise ForebearError(f"these parent sets are not valid: {defect}")

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    def __len__(self) -> int:
        """The number of parent sets of all variables together."""
        return len(self.scores)

    @property
    def max_parents(self) -> int:
        """The number of parents that the largest set may have."""
        return int(self.parents.shape[0])

    @property
    def none(self) -> int:
        """What fills the unused places of ``parents``."""
        return int(np.iinfo(self.parents.dtype).max)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of sets of every variable."""
        return np.diff(self.offsets)

    @property
    def nbytes(self) -> int:
        """The size of the arrays, in memory or mapped."""
        return int(self.offsets.nbytes + self.scores.nbytes + self.parents.nbytes)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many sets have 0, 1, 2, ... parents."""
        used = (int(np.count_nonzero(row != self.none)) for row in self.parents)
        at_least = np.array([len(self), *used, 0], dtype=np.int64)
        return at_least[:-1] - at_least[1:]

    def index(self, variable: int | str) -> int:
        """Find a variable by name, or check its number."""
        if isinstance(variable, str):
            if variable not in self._places:
                raise ForebearError(f"no variable is called {variable!r}")
            return self._places[variable]
        if not 0 <= variable < self.n_variables:
            raise ForebearError(f"variable {variable} is not in 0..{self.n_variables - 1}")
        return int(variable)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: v for v, name in enumerate(self.names)}

    def of(
        self, variable: int | str, first: int = 1, last: int | None = None
    ) -> Iterator[ParentSet]:
        """Go through a variable's sets by rank, best first."""
        v = self.index(variable)
        last = int(self.counts[v]) if last is None else min(last, int(self.counts[v]))
        for rank in range(max(first, 1), last + 1):
            yield self.at(v, rank)

    def at(self, variable: int | str, rank: int) -> ParentSet:
        """Return a variable's set of that rank."""
        v = self.index(variable)
        if not 1 <= rank <= int(self.counts[v]):
            raise ForebearError(f"rank {rank} is not in 1..{int(self.counts[v])}")
        column = int(self.offsets[v]) + rank - 1
        members = tuple(int(p) for p in self.parents[:, column] if p != self.none)
        return ParentSet(rank, float(self.scores[column]), members)

    def find(self, variable: int | str, parents: Collection[int | str]) -> ParentSet | None:
        """Look a set up; ``None`` if it is not a candidate."""
        v = self.index(variable)
        wanted = sorted({self.index(p) for p in parents})
        if len(wanted) > self.max_parents:
            return None
        wanted += [self.none] * (self.max_parents - len(wanted))
        span = slice(int(self.offsets[v]), int(self.offsets[v + 1]))
        matches = np.ones(span.stop - span.start, dtype=bool)
        for slot, parent in zip(self.parents, wanted, strict=True):
            matches &= slot[span] == parent
        place = int(np.argmax(matches))
        return self.at(v, place + 1) if matches[place] else None

    def best(self, variable: int | str, allowed: Collection[int | str]) -> ParentSet:
        """Return the best set all of whose members are among ``allowed``."""
        usable = np.zeros(self.n_variables + 1, dtype=bool)
        usable[[self.index(p) for p in allowed]] = True
        return self.best_among(self.index(variable), usable)

    def best_of_order(self, order: Iterable[int]) -> list[ParentSet]:
        """Return the best set of every variable whose members all precede it in an order."""
        usable = np.zeros(self.n_variables + 1, dtype=bool)
        chosen: dict[int, ParentSet] = {}
        for v in order:
            chosen[v] = self.best_among(v, usable)
            usable[v] = True
        if len(chosen) != self.n_variables:
            raise ForebearError("an order lists every variable once")
        return [chosen[v] for v in range(self.n_variables)]

    def best_among(self, v: int, usable: NDArray[np.bool_]) -> ParentSet:
        """Return the best set of ``v`` with usable members; ``usable`` has one place to spare."""
        usable[-1] = True  # unused places are clipped to this one
        span = slice(int(self.offsets[v]), int(self.offsets[v + 1]))
        # Blocks, since the best allowed set is usually near the top.
        block = 4096
        for start in range(span.start, span.stop, block):
            stop = min(start + block, span.stop)
            places = np.minimum(self.parents[:, start:stop], self.n_variables)
            feasible = usable[places].all(axis=0)
            if feasible.any():
                return self.at(v, start - span.start + int(np.argmax(feasible)) + 1)
        raise AssertionError("the empty set is always there")

    def save(self, path: Path | str, *, ids: bool = False) -> None:
        """Write a ``.cps`` or ``.jkl`` file; ``ids`` numbers the variables of a ``.jkl`` file."""
        write_parent_sets(self, path, ids=ids)

    @classmethod
    def load(cls, path: Path | str) -> ParentSets:
        """Open a ``.cps`` file, which is mapped into memory, or a ``.jkl`` file, which is read."""
        fields = read_fields(path)
        try:
            return cls(**fields)
        except ForebearError as error:
            raise FileError(f"{path}: {error}") from error
