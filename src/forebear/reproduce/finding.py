"""Finding: the numbers of a table or figure, ours and the paper's."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from forebear._util.atomic import atomic_path
from forebear._util.text import show_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


_NUMBERS = ("forebear", "paper", "difference")
"""The columns of numbers."""


class Line(NamedTuple):
    """One number: ours, the paper's, and how long it took. Unknown ones are None."""

    of: tuple[str, ...]
    ours: float | None
    theirs: float | None = None
    seconds: float | None = None
    shown: bool = True
    """Whether it is printed; all lines are written to the file."""

    @property
    def delta(self) -> float | None:
        """Our number minus the paper's."""
        if self.ours is None or self.theirs is None:
            return None
        return self.ours - self.theirs


@dataclass(frozen=True)
class Finding:
    """All numbers of a table or figure, a picture and remarks.

    ``keys`` are the names of the columns in ``Line.of``; ``form`` is the format of printed
    numbers.
    """

    keys: tuple[str, ...]
    lines: tuple[Line, ...]
    svg: str
    form: str = ",.0f"
    remarks: tuple[str, ...] = ()

    def save(self, folder: Path, name: str) -> list[Path]:
        """Write ``name.csv`` and ``name.svg``, without times so that files can be compared."""
        table, picture = folder / f"{name}.csv", folder / f"{name}.svg"
        with atomic_path(table) as draft, draft.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*self.keys, *_NUMBERS])
            writer.writerows(
                [*line.of, *map(_plain, (line.ours, line.theirs, line.delta))]
                for line in self.lines
            )
        with atomic_path(picture) as draft:
            draft.write_text(self.svg, encoding="utf-8")
        return [table, picture]

    def text(self) -> list[str]:
        """Return the comparison as lines of text, with the remarks."""
        shown = [line for line in self.lines if line.shown]
        timed = any(line.seconds is not None for line in shown)
        rows = [[*self.keys, *_NUMBERS, *(["time"] if timed else [])]]
        for line in shown:
            numbers = [self._show(line.ours), self._show(line.theirs), self._show(line.delta)]
            spent = [] if line.seconds is None else [show_seconds(line.seconds)]
            rows.append([*line.of, *numbers, *(spent if timed else [])])
        return [*_aligned(rows, len(self.keys)), *self.remarks]

    def _show(self, value: float | None) -> str:
        return "-" if value is None else format(value, self.form)


def _plain(value: float | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def _aligned(rows: Sequence[Sequence[str]], n_keys: int) -> Iterable[str]:
    """Align cells in columns: keys to the left, numbers to the right."""
    width = max(map(len, rows))
    padded = [[*row, *[""] * (width - len(row))] for row in rows]
    sizes = [max(map(len, column)) for column in zip(*padded, strict=True)]
    for row in padded:
        cells = [
            cell.ljust(size) if place < n_keys else cell.rjust(size)
            for place, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ]
        yield "  ".join(cells).rstrip()
