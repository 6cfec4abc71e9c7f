"""Progress on standard error: redrawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from forebear._util.progress import Display, Progress
from forebear.cli._support.options import as_option
from forebear.cli._support.process import print_error_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live


@contextmanager
def show_progress(*, enabled: bool, verbose: bool = False) -> Iterator[Progress]:
    """Yield a watcher that shows the progress of a run on standard error, or only logs it.

    With ``verbose``, permanent lines are printed. Changing lines are shown on terminals only.
    """
    if not enabled or not (verbose or sys.stderr.isatty()):
        yield Progress()
    elif not sys.stderr.isatty():
        yield Progress(_Lines(), as_option)
    else:
        display = _Terminal(verbose=verbose)
        progress = Progress(display, as_option)
        display.live.start()
        try:
            yield progress
        finally:
            display.now = list
            with suppress(OSError):  # the terminal may be gone
                display.live.stop()


class _Lines(Display):
    """Plain lines, for logs and pipes."""

    def line(self, text: str) -> None:
        """Print a line."""
        print_error_line(text)

    start = line


class _Terminal(Display):
    """A terminal, with changing lines below permanent ones."""

    def __init__(self, *, verbose: bool) -> None:
        from rich.console import Console
        from rich.live import Live

        self._verbose = verbose
        self.live: Live = Live(
            console=Console(stderr=True),
            get_renderable=self._render,
            refresh_per_second=5,
            transient=True,
        )

    def line(self, text: str) -> None:
        """Print a permanent line above the changing ones, if ``verbose``."""
        if self._verbose:
            with suppress(OSError):
                self.live.console.print(text, markup=False, highlight=False)

    def _render(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        return Group(*(Text(line, no_wrap=True, overflow="ellipsis") for line in self.now()))
