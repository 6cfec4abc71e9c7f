"""The trace of a search: every improvement of every process."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from forebear._util.files import atomic_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Improvement(NamedTuple):
    """A process found a better network."""

    process: int
    seconds: float
    generation: int
    score: float


@dataclass
class Trace:
    """Improvements in the order they were found."""

    improvements: list[Improvement] = field(default_factory=list)

    def __iter__(self) -> Iterator[Improvement]:
        return iter(self.improvements)

    def __len__(self) -> int:
        return len(self.improvements)

    def add(self, improvement: Improvement) -> None:
        """Append one; processes may do so at the same time."""
        self.improvements.append(improvement)

    def of(self, process: int) -> list[Improvement]:
        """Return the improvements of one process."""
        return [step for step in self.improvements if step.process == process]

    def to_frame(self) -> pl.DataFrame:
        """Return the trace as a data frame."""
        return pl.DataFrame(
            self.improvements,
            schema={
                "process": pl.Int32,
                "seconds": pl.Float64,
                "generation": pl.Int64,
                "score": pl.Float64,
            },
            orient="row",
        )

    def to_csv(self, path: Path | str) -> None:
        """Write the trace as CSV."""
        with atomic_path(path) as temporary, temporary.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Improvement._fields)
            writer.writerows(self.improvements)
