"""The live view of a run: what changes is drawn again and again on a terminal."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from forebear._util.progress import Progress
from forebear._util.text import show_seconds
from forebear.cli._support.console import say

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from forebear._util.errors import Parameter

_FRAMES_A_SECOND = 5


class LiveView(Progress):
    """Shows what a run does: live on a terminal, as plain lines elsewhere, or not at all."""

    def __init__(self, *, wanted: bool) -> None:
        super().__init__()
        self._talk = wanted
        self._live = wanted and sys.stderr.isatty()
        self._display: Live | None = None

    def __enter__(self) -> Self:
        if self._live:
            from rich.console import Console
            from rich.live import Live

            display = Live(
                console=Console(stderr=True),
                get_renderable=self._render,
                refresh_per_second=_FRAMES_A_SECOND,
                transient=True,
            )
            display.start()
            self._display = display
        return self

    def __exit__(self, *_: object) -> None:
        if self._display is not None:
            self._phase = ""
            with suppress(OSError):  # the terminal may be gone
                self._display.stop()

    def spell(self, parameter: Parameter) -> str:
        """Spell a parameter as an option."""
        return parameter.option

    def searching(self, seconds: float | None) -> None:
        """Show the state of the chains; where this is not live, say that the search starts."""
        super().searching(seconds)
        if self._display is None:
            self.say(
                f"Search   {'' if seconds is None else f'up to {show_seconds(seconds)}'}".rstrip()
            )

    def sampling(self, fraction: float, sweeps: int) -> None:
        """Move the bar of the chains; where this is not live, say that they start."""
        starts = self._phase != "sampling"
        super().sampling(fraction, sweeps)
        if starts and self._display is None:
            self.say("Sample   chains of networks")

    def say(self, line: str) -> None:
        """Print a line above what changes."""
        if not self._talk:
            return
        if self._display is None:
            say(line)
            return
        with suppress(OSError):
            self._display.console.print(line, markup=False, highlight=False)

    def _render(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        styles = {"bold": "bold green"}
        lines = [[(text, styles.get(style, style)) for text, style in line] for line in self.now()]
        return Group(*(Text.assemble(*line, no_wrap=True, overflow="ellipsis") for line in lines))
