"""The trace of a search: every improvement of every chain."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from forebear._util.atomic import atomic_path

if TYPE_CHECKING:
    import polars as pl


class Improvement(NamedTuple):
    """A chain found a better network.

    Attributes
    ----------
    chain
        The number of the chain, counted from 1.
    seconds
        Seconds since the start of the search; in ``learn``, since the start of its first search.
    generation
        The generation of the chain.
    score
        The score of the network.
    """

    chain: int
    seconds: float
    generation: int
    score: float


@dataclass
class Trace:
    """Every improvement of every chain, in chronological order.

    Parameters
    ----------
    improvements
        The improvements.
    """

    improvements: list[Improvement] = field(default_factory=list)

    def __iter__(self) -> Iterator[Improvement]:
        return iter(self.improvements)

    def __len__(self) -> int:
        return len(self.improvements)

    def add(self, improvement: Improvement) -> None:
        """Append an improvement."""
        self.improvements.append(improvement)

    def of(self, chain: int) -> list[Improvement]:
        """Return the improvements of one chain.

        Parameters
        ----------
        chain
            The number of the chain, counted from 1.

        Returns
        -------
        list of Improvement
            Its improvements, in order.
        """
        return [step for step in self.improvements if step.chain == chain]

    def to_frame(self) -> pl.DataFrame:
        """Return the trace as a Polars frame.

        Returns
        -------
        polars.DataFrame
            One row per improvement: chain, seconds, generation, score.
        """
        import polars as pl  # here, so that a search runs where only NumPy is installed

        return pl.DataFrame(
            self.improvements,
            schema={
                "chain": pl.Int32,
                "seconds": pl.Float64,
                "generation": pl.Int64,
                "score": pl.Float64,
            },
            orient="row",
        )

    def to_csv(self, path: Path | str) -> None:
        """Write the trace as CSV.

        Parameters
        ----------
        path
            The file.
        """
        with (
            atomic_path(path) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file)
            writer.writerow(Improvement._fields)
            writer.writerows(self.improvements)
