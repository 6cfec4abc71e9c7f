"""Chance: how many arcs a search finds in a table, and in a copy whose columns are shuffled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from forebear._util.text import counted


@dataclass(frozen=True)
class Chance:
    """How many arcs a short search finds in a table and in a shuffled copy of it.

    The columns of the copy are shuffled independently of each other, so all of its arcs are due to
    chance. Arcs that are required are not counted.

    Parameters
    ----------
    arcs
        The number of arcs that the short search finds in the table.
    shuffled_arcs
        The number of arcs that the same search finds in the shuffled copy.
    generations
        The number of generations of both searches.
    variables
        The number of variables, of the table or of a random sample of its columns.
    """

    arcs: int
    shuffled_arcs: int
    generations: int
    variables: int

    @property
    def is_likely(self) -> bool:
        """Whether most arcs may be due to chance: the copy has at least half as many."""
        return 0 < self.arcs <= 2 * self.shuffled_arcs

    def sentence(self) -> str:
        """Compare the numbers of arcs in one sentence."""
        found = counted(self.arcs, "arc")
        text = f"a short search finds {found}, and {self.shuffled_arcs:,} in a shuffled copy"
        return f"{text}; most may be due to chance" if self.is_likely else text

    def to_fields(self) -> dict[str, int]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


def chance_of_fields(fields: Mapping[str, Any] | None) -> Chance | None:
    """Restore the value of ``Result.chance`` from a file; reject anything else."""
    from forebear.result.validation import whole

    if fields is None:
        return None
    return Chance(**{name: whole(fields[name]) for name in Chance.__dataclass_fields__})
