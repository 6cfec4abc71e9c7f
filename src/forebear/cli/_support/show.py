"""Facts on standard output, and a progress bar on a terminal."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

_BAR_WIDTH = 24


def show_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns; plain text where it is piped."""
    if not sys.stdout.isatty():
        width = max(len(name) for name, _ in facts)
        for name, value in facts:
            print(f"{name:<{width}}  {value}")
        return
    table = Table.grid(padding=(0, 2))
    for name, value in facts:
        table.add_row(Text(name, style="bold"), Text(value))
    Console().print(table)


def bar(count: int, most: int) -> str:
    """Draw a count as a bar, the longest for the greatest count."""
    return "█" * (max(1, round(_BAR_WIDTH * count / most)) if count else 0)


class FamiliesBar:
    """A progress bar of the families scored, where standard error is a terminal."""

    def __init__(self, *, wanted: bool) -> None:
        self._families = 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=Console(stderr=True),
            transient=True,
            disable=not (wanted and sys.stderr.isatty()),
        )
        self._task = self._progress.add_task("", total=1.0, start=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # the terminal may be gone
            self._progress.stop()

    def start(self, families: int) -> None:
        """Show the bar, now that the number of families is known."""
        self._families = families
        self.update(0.0)
        self._progress.start_task(self._task)
        with suppress(OSError):
            self._progress.start()

    def update(self, fraction: float) -> None:
        """Show the fraction that is done."""
        done = f"{round(fraction * self._families):,} of {self._families:,} families"
        self._progress.update(self._task, completed=fraction, description=done)
