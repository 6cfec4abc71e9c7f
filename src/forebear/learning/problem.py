"""Problem: what is to be learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebear._util.errors import DataError
from forebear.scoring.job import make_job

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.knowledge.enforcement import Enforcement
    from forebear.scoring.constraints import Constraints
    from forebear.scoring.job import Job
    from forebear.scoring.scores import Score


@dataclass(frozen=True)
class Problem:
    """A table, a score, a limit on parents and knowledge.

    Attributes
    ----------
    table
        The table. It is packed for the core once.
    score
        The score to maximise.
    max_parents
        The largest parent set, or None where it is not limited.
    known
        The knowledge that every network respects.
    all_sets
        Whether all parent sets are scored before the search, whatever their size.
    """

    table: Dataset
    score: Score
    max_parents: int | None
    known: Enforcement
    all_sets: bool = False

    def __post_init__(self) -> None:
        if self.table.n_variables < 2:
            raise DataError(
                f"the table has one column, {self.table.names[0]!r}: a network needs two"
            )

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self.table.n_variables

    def job(self, max_parents: int, constraints: Constraints, threads: int) -> Job:
        """Make a job that scores the sets of up to this many parents."""
        return make_job(
            self.table,
            score=self.score,
            max_parents=max_parents,
            constraints=constraints,
            threads=threads,
        )

    def limits(self, most: int) -> list[int]:
        """Return the largest parent set of every variable, where none has more than ``most``."""
        own = self.known.knowledge.max_parents
        return [min(most, own.get(name, most)) for name in self.table.names]
