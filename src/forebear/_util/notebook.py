"""Progress in notebooks: one output that changes while a run works. It needs no widgets."""

from __future__ import annotations

import sys
import threading
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from forebear._util.html import escaped
from forebear._util.progress import Progress
from forebear._util.text import counted, show_seconds
from forebear._util.watcher import LogWatcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear._util.watcher import Watcher
    from forebear.result import Result
    from forebear.search.stop import Standing

_SECONDS_BETWEEN = 0.25
"""Between two changes of the output: faster than one reads, and nothing for the browser to do."""

_STYLES = {"green": "color:#2a7d4f", "bold": "font-weight:bold", "dim": "opacity:.5"}


def default_watcher() -> Watcher:
    """Return the watcher of who names none: steps are logged, and shown in a notebook."""
    shell = _shell()
    return LogWatcher() if shell is None else NotebookView()


def _shell() -> Any:
    """Return the shell of a notebook; None elsewhere. What imports nothing costs nothing."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    # IPython on a terminal has no kernel.
    return shell if getattr(shell, "kernel", None) is not None else None


class NotebookView(Progress):
    """Shows what a run does below the cell that runs it."""

    def __init__(self) -> None:
        super().__init__()
        self._said: list[str] = []
        self._handle: Any = None
        self._shown = 0.0

    def say(self, line: str) -> None:
        """Show a line that stays."""
        self._said.append(line)
        self._show(at_once=True)

    def scoring(self, fraction: float) -> None:
        """Move the bar."""
        super().scoring(fraction)
        self._show()

    def searching(self, seconds: float | None) -> None:
        """Show that the search starts."""
        super().searching(seconds)
        self._show(at_once=True)

    def standing(self, chains: Sequence[Standing]) -> None:
        """Show the state of each chain."""
        super().standing(chains)
        self._show()

    def bounding(self, bound: float, score: float | None) -> None:
        """Show the bound."""
        super().bounding(bound, score)
        self._show()

    def found(self, result: Result) -> None:
        """Show what was found."""
        super().found(result)
        arcs = counted(len(result.network.arcs), "arc")
        self.say(f"Found    score {result.score:,.4f}, {arcs}, in {show_seconds(result.seconds)}")

    def _show(self, *, at_once: bool = False) -> None:
        """Change the output, if that was not done just now."""
        now = time.perf_counter()
        if not at_once and now - self._shown < _SECONDS_BETWEEN:
            return
        # From another thread, the output might end up below another cell.
        if threading.current_thread() is not threading.main_thread():
            return
        self._shown = now
        lines = [*([(line, "")] for line in self._said), *self.now()]
        page = "<br>".join(map(_html, lines))
        output = {
            "text/plain": "\n".join("".join(text for text, _ in line) for line in lines),
            "text/html": f'<pre style="margin:0;line-height:1.4">{page}</pre>',
        }
        if self._handle is None:
            # Not imported as usual: forebear does not require it, and a notebook has it.
            display = import_module("IPython.display").display
            self._handle = display(output, raw=True, display_id=True)
        else:
            self._handle.update(output, raw=True)


def _html(line: list[tuple[str, str]]) -> str:
    return "".join(
        f'<span style="{_STYLES[style]}">{escaped(text)}</span>' if style else escaped(text)
        for text, style in line
    )
