"""Progress: the steps of a run as lines of text. Some lines stay, others change during a step.

A ``Display`` shows them. The display for notebooks is here, the one for terminals in ``cli``.
"""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from forebear._util.errors import Parameter
from forebear._util.html import escaped
from forebear._util.text import counted, show_bytes, show_range, show_seconds, show_share
from forebear._util.watcher import Watcher
from forebear.data.dataset import Dataset
from forebear.learning.searchable_sets import Plan
from forebear.parentsets.collection import ParentSets
from forebear.result import Result
from forebear.result.validation import Trial
from forebear.search.stop import Standing
from forebear.search.trace import Improvement

logger = logging.getLogger("forebear")


class Display:
    """Shows progress somewhere. This base class shows nothing."""

    now: Callable[[], list[str]] = list
    """Returns the current text of the lines that change."""

    def line(self, text: str) -> None:
        """Show a line that stays."""

    def start(self, text: str) -> None:
        """Show that a step starts; ``text`` is for displays without lines that change."""

    def change(self) -> None:
        """Update the lines that change. Called often."""

    def end(self, text: str) -> None:
        """Show the last line of a run."""


class Progress(Watcher):
    """Logs the steps of a run to the logger "forebear", and shows them on a display, if any.

    Every line that stays is logged at INFO, and every improvement at DEBUG.

    Parameters
    ----------
    display
        Where to show the lines as well. Default: nowhere.
    show_parameter
        Formats a parameter. Default: as in Python.
    """

    def __init__(
        self, display: Display | None = None, show_parameter: Callable[[Parameter], str] = str
    ) -> None:
        self._display = display or Display()
        self._display.now = self.now
        self._show_parameter = show_parameter
        self._began = time.perf_counter()
        self._limit: float | None = None
        self._fraction = 0.0
        self._sweeps = 0
        self._best: Improvement | None = None
        self._standings: Sequence[Standing] = ()
        self._phase = ""
        self._bound: tuple[float, float | None] = (0.0, None)

    def show_line(self, line: str) -> None:
        """Show and log a line that stays."""
        logger.info("%s", line)
        self._display.line(line)

    def loaded(self, data: Dataset) -> None:
        """Show the size of the table."""
        states = data.arities
        rows = f"{data.n_rows // data.copies:,} rows"
        if data.weights is not None:
            rows += f" ({data.n_stored:,} stored, with weights)"
        self.show_line(
            f"Table    {data.n_variables:,} variables, {rows}, "
            f"{show_range(int(states.min()), int(states.max()))} states"
        )
        if data.has_missing:
            how = self._show_parameter(Parameter("missing", data.missing))
            self.show_line(
                f"         {show_share(data.missing_share)} of the values are missing ({how})"
            )

    def scoring_started(self, families: int, most_bytes: int, parts: int) -> None:
        """Start the progress bar of the scoring."""
        self._start("scoring")

    def em_round(self, round_: int, criterion: float, result: Result) -> None:
        """Show the score of the network of a round, or of the initial one."""
        arcs = counted(len(result.network.arcs), "arc")
        name = f"Round {round_}" if round_ else "Start"
        self.show_line(f"{name:<8} log score of the observed values: {criterion:,.4f}, {arcs}")

    def trial_finished(self, trial: Trial) -> None:
        """Show how well held-out rows are predicted."""
        self.show_line(
            f"Held out {trial.held_out:.3f} nats per row of the first split: {trial.name}"
        )

    def planned(self, plan: Plan) -> None:
        """Show the plan."""
        self.show_line(f"Plan     {plan.sentence()}")
        self._start("scoring")

    def scoring(self, fraction: float) -> None:
        """Update the progress bar of the scoring."""
        self._fraction = fraction
        self._display.change()

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        """Show the number of parent sets."""
        source = f"in {show_seconds(seconds)}" if cached is None else f"from {cached}"
        self._phase = ""
        self.show_line(
            f"Scored   {counted(len(parent_sets), 'parent set')} "
            f"({show_bytes(parent_sets.nbytes)}) {source}"
        )

    def searching(self, seconds: float | None) -> None:
        """Show the state of the chains."""
        self._limit = seconds
        self._start("searching")
        self._display.start(
            "Search" if seconds is None else f"Search   up to {show_seconds(seconds)}"
        )

    def improved(self, improvement: Improvement) -> None:
        """Store an improvement, to show it with the next update."""
        logger.debug(
            "chain %d, generation %d, %.2f s: %.4f",
            improvement.chain,
            improvement.generation,
            improvement.seconds,
            improvement.score,
        )
        if self._best is None or improvement.score > self._best.score:
            self._best = improvement

    def standing(self, chains: Sequence[Standing]) -> None:
        """Show the state of each chain."""
        self._standings = chains
        self._display.change()

    def bounding(self, bound: float, score: float | None) -> None:
        """Show the bound."""
        self._bound = (bound, score)
        self._phase = "bounding"
        self._display.change()

    def sampling(self, fraction: float, sweeps: int) -> None:
        """Update the progress bar of the sampling."""
        if self._phase != "sampling":
            self._start("sampling")
            self._display.start("Sample   networks from the posterior")
        self._fraction, self._sweeps = fraction, sweeps
        self._display.change()

    def finished(self, result: Result) -> None:
        """Show the result."""
        self._phase = ""
        line = (
            f"Found    score {result.score:,.4f}, {counted(len(result.network.arcs), 'arc')}, "
            f"in {show_seconds(result.seconds)} ({result.stop_reason})"
        )
        logger.info("%s", line)
        self._display.end(line)

    def _start(self, phase: str) -> None:
        self._phase = phase
        self._began = time.perf_counter()

    def now(self) -> list[str]:
        """Return the current text of the lines that change."""
        shown = {
            "scoring": lambda: self._bar("Scoring  ", self._so_far()),
            "sampling": lambda: self._bar("Sample   ", f", {self._sweeps:,} sweeps"),
            "searching": self._searching,
            "bounding": self._bounding,
        }
        return shown[self._phase]() if self._phase else []

    def _so_far(self) -> str:
        """Return the best score so far, while parent sets are still being scored."""
        return "" if self._best is None else f", best network so far {self._best.score:,.3f}"

    def _bounding(self) -> list[str]:
        bound, score = self._bound
        gap = "" if score is None else f", {max(0.0, bound - score) / (abs(score) or 1.0):.3%} gap"
        return [f"Proof    no network exceeds {bound:,.3f}{gap}"]

    def _bar(self, title: str, more: str = "") -> list[str]:
        spent = time.perf_counter() - self._began
        fraction = self._fraction
        left = f", {show_seconds(spent / fraction - spent)} left" if fraction > 0.01 else ""
        bar = "━" * round(40 * fraction)
        return [f"{title}{bar:╌<40} {fraction:4.0%}{left}{more}"]

    def _searching(self) -> list[str]:
        spent = time.perf_counter() - self._began
        left = (
            "" if self._limit is None else f", {show_seconds(max(0.0, self._limit - spent))} left"
        )
        if (best := self._best) is None:
            return [f"Search   improving the initial orders{left}"]
        rows = [("chain", "best", "last improvement", "generation")]
        for number, standing in enumerate(self._standings[:12], 1):
            score = f"{standing.score:,.3f}" if math.isfinite(standing.score) else ""
            idle = f"{show_seconds(standing.idle_seconds)} ago"
            rows.append((str(number), score, idle, f"{standing.generation:,}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(map(str.ljust, row, widths)) for row in rows]
        after = show_seconds(best.seconds)
        return [
            f"Search   best {best.score:,.3f} by chain {best.chain} after {after}{left}",
            *(f"         {line}".rstrip() for line in table),
        ]


def default_watcher() -> Watcher:
    """Return the default watcher of a run: it logs all steps, and shows them in notebooks."""
    return Progress(Notebook() if _in_notebook() else None)


def _in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, without importing IPython."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    # IPython on a terminal has no kernel.
    return getattr(shell, "kernel", None) is not None


class Notebook(Display):
    """A display below the running cell, updated in place without widgets."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._handle: Any = None
        self._shown = 0.0

    def line(self, text: str) -> None:
        """Show a line that stays."""
        self._lines.append(text)
        self._show()

    end = line

    def start(self, text: str) -> None:
        """Show the lines that change."""
        del text
        self._show()

    def change(self) -> None:
        """Update the lines that change, at most four times a second."""
        if time.perf_counter() - self._shown >= 0.25:
            self._show()

    def _show(self) -> None:
        # From another thread, the output might end up below another cell.
        if threading.current_thread() is not threading.main_thread():
            return
        self._shown = time.perf_counter()
        lines = [*self._lines, *self.now()]
        page = "<br>".join(map(escaped, lines))
        output = {
            "text/plain": "\n".join(lines),
            "text/html": f'<pre style="margin:0;line-height:1.4">{page}</pre>',
        }
        if self._handle is None:
            # Imported by name, because forebear does not require IPython.
            display = import_module("IPython.display").display
            self._handle = display(output, raw=True, display_id=True)
        else:
            self._handle.update(output, raw=True)
