"""Comparison: the numbers of a table or figure, ours and the paper's."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from forebear._util.text import show_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_NUMBERS = ("forebear", "paper", "difference")
"""The columns of numbers."""


class Line(NamedTuple):
    """One number: ours, the paper's, and how long it took. Unknown ones are None."""

    key: tuple[str, ...]
    ours: float | None
    theirs: float | None = None
    seconds: float | None = None
    shown: bool = True
    """Whether it is printed; all lines are written to the file."""

    @property
    def difference(self) -> float | None:
        """Our number minus the paper's."""
        if self.ours is None or self.theirs is None:
            return None
        return self.ours - self.theirs


@dataclass(frozen=True)
class Comparison:
    """All numbers of a table or figure, with remarks, and the picture of a figure.

    ``columns`` are the names of the parts of ``Line.key``; ``number_format`` is the format of
    printed numbers.
    """

    columns: tuple[str, ...]
    lines: Sequence[Line]
    number_format: str = ",.0f"
    remarks: Sequence[str] = ()
    svg: str | None = None

    def save(self, folder: Path, name: str) -> list[Path]:
        """Write the numbers to ``name.csv``, without times, and a picture to ``name.svg``."""
        files = [folder / f"{name}.csv"]
        with files[0].open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*self.columns, *_NUMBERS])
            writer.writerows(
                [*line.key, *map(_plain, (line.ours, line.theirs, line.difference))]
                for line in self.lines
            )
        if self.svg is not None:
            files.append(folder / f"{name}.svg")
            files[1].write_text(self.svg, encoding="utf-8")
        return files

    def text(self) -> list[str]:
        """Return the comparison as lines of text, with the remarks."""
        shown = [line for line in self.lines if line.shown]
        timed = any(line.seconds is not None for line in shown)
        rows = [[*self.columns, *_NUMBERS, *["time"] * timed]]
        for line in shown:
            numbers = [self._show(n) for n in (line.ours, line.theirs, line.difference)]
            spent = "" if line.seconds is None else show_seconds(line.seconds)
            rows.append([*line.key, *numbers, *[spent] * timed])
        return [*_aligned(rows, len(self.columns)), *self.remarks]

    def _show(self, value: float | None) -> str:
        return "-" if value is None else format(value, self.number_format)


def _plain(value: float | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def _aligned(rows: Sequence[Sequence[str]], n_keys: int) -> Iterator[str]:
    """Align cells in columns: keys to the left, numbers to the right."""
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(size) if place < n_keys else cell.rjust(size)
            for place, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ]
        yield "  ".join(cells).rstrip()
