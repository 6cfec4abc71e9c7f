"""Problem: the table, the score, the limit on parents and the knowledge of a learning task."""

from __future__ import annotations

from dataclasses import dataclass

from forebear._util.errors import DataError
from forebear.data.dataset import Dataset
from forebear.knowledge.enforcement import Enforcement
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job, make_job
from forebear.scoring.scores import Score


@dataclass(frozen=True)
class Problem:
    """A table, a score, a limit on parents and knowledge.

    Attributes
    ----------
    table
        The table. It is packed only once for the core.
    score
        The score to maximize.
    max_parents
        The largest parent set, or None for no limit.
    enforcement
        Enforces the knowledge that every network must respect.
    all_sets
        Whether parent sets of all sizes are scored before the search.
    """

    table: Dataset
    score: Score
    max_parents: int | None
    enforcement: Enforcement
    all_sets: bool = False

    def __post_init__(self) -> None:
        if self.table.n_variables < 2:
            raise DataError(
                f"the table has one column, {self.table.names[0]!r}: a network needs at least two"
            )

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self.table.n_variables

    def job(self, max_parents: int, constraints: Constraints, threads: int) -> Job:
        """Create a job that scores all sets of up to this many parents."""
        return make_job(
            self.table,
            score=self.score,
            max_parents=max_parents,
            constraints=constraints,
            threads=threads,
        )

    def limits(self, most: int) -> list[int]:
        """Return the ``max_parents`` of every variable: its own limit, and at most ``most``."""
        own = self.enforcement.knowledge.max_parents
        return [min(most, own.get(name, most)) for name in self.table.names]
