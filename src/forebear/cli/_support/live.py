"""The live view of a run: a progress bar while scoring, a table while searching."""

from __future__ import annotations

import math
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from forebear._util.text import counted, show_bytes, show_seconds, show_share
from forebear._util.watcher import Watcher
from forebear.cli._support.console import say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from rich.console import RenderableType
    from rich.live import Live

    from forebear.data.dataset import Dataset
    from forebear.learning.plan import Plan
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.scoring.cost import Cost
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement
    from forebear.validation.trials import Trial

_SPARKS = "▁▂▃▄▅▆▇█"
_SPARK_WIDTH = 40
_BAR_WIDTH = 40
_MOST_CHAINS = 12
_FRAMES_A_SECOND = 5


class LiveView(Watcher):
    """Shows what a run does: live on a terminal, as plain lines elsewhere, or not at all."""

    def __init__(self, *, wanted: bool) -> None:
        self._talk = wanted
        self._live = wanted and sys.stderr.isatty()
        self._lock = threading.Lock()
        self._display: Live | None = None
        self._began = time.perf_counter()
        self._limit: float | None = None
        self._fraction = 0.0
        self._sweeps = 0
        self._steps: list[Improvement] = []
        self._standings: Sequence[Standing] = ()
        self._phase = ""
        self._bound: tuple[float, float | None] = (0.0, None)

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._display is not None:
            self._phase = ""
            with suppress(OSError):  # the terminal may be gone
                self._display.stop()

    def loaded(self, data: Dataset) -> None:
        """Show the size of the table."""
        states = data.arities
        few, many = int(states.min()), int(states.max())
        self._say(
            f"Table    {data.n_variables:,} variables, {data.n_rows:,} rows, "
            f"{few if few == many else f'{few} to {many}'} states"
        )
        if data.has_missing:
            share = show_share(data.missing_share)
            self._say(f"         {share} of the values are missing (--missing {data.missing})")

    def estimated(self, cost: Cost, parts: int) -> None:
        """Start the bar."""
        self._start("scoring")

    def enlarged(self, added: int, parent_sets: ParentSets) -> None:
        """Show how many larger sets were added."""
        self._say(f"         {counted(added, 'larger set')} added")

    def expected(self, round_: int, criterion: float, result: Result) -> None:
        """Show how good the network of a round is."""
        arcs = counted(len(result.network.arcs), "arc")
        self._say(f"Round {round_}  the observed values score {criterion:,.4f}, {arcs}")

    def tried(self, trial: Trial) -> None:
        """Show how well held-out rows are predicted."""
        self._say(f"Held out {trial.held_out:.3f} nats per row: {trial.name}")

    def planned(self, plan: Plan) -> None:
        """Show the plan."""
        self._say(f"Plan     {plan.sentence()}")
        self._start("scoring")

    def scoring(self, fraction: float) -> None:
        """Move the bar."""
        self._fraction = fraction

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        """Show the number of parent sets."""
        source = f"in {show_seconds(seconds)}" if cached is None else f"from {cached}"
        self._say(
            f"Scored   {counted(len(parent_sets), 'parent set')} "
            f"({show_bytes(parent_sets.nbytes)}) {source}"
        )

    def searching(self, seconds: float | None) -> None:
        """Show the table of chains."""
        self._limit = seconds
        if self._display is None:
            self._say(
                f"Search   {'' if seconds is None else f'up to {show_seconds(seconds)}'}".rstrip()
            )
        self._start("searching")

    def improved(self, improvement: Improvement) -> None:
        """Remember a better network."""
        with self._lock:
            self._steps.append(improvement)

    def standing(self, chains: Sequence[Standing]) -> None:
        """Remember the state of each chain."""
        self._standings = chains

    def bounding(self, bound: float, score: float | None) -> None:
        """Show the bound."""
        self._bound = (bound, score)
        self._phase = "bounding"

    def sampling(self, fraction: float, sweeps: int) -> None:
        """Move the bar of the chains."""
        if self._phase != "sampling":
            if self._display is None:
                self._say("Sample   chains of networks")
            self._start("sampling")
        self._fraction, self._sweeps = fraction, sweeps

    def _start(self, phase: str) -> None:
        self._phase = phase
        self._began = time.perf_counter()

    def _say(self, line: str) -> None:
        if not self._talk:
            return
        if self._display is None:
            say(line)
            return
        with suppress(OSError):
            self._display.console.print(line, markup=False, highlight=False)

    def _render(self) -> RenderableType:
        if self._phase == "scoring":
            return self._bar("Scoring  ")
        if self._phase == "sampling":
            return self._bar("Sample   ", f", {self._sweeps:,} sweeps")
        if self._phase == "bounding":
            return self._bounding()
        return self._searching() if self._phase == "searching" else ""

    def _bounding(self) -> RenderableType:
        from rich.text import Text

        bound, score = self._bound
        gap = "" if score is None else f", {max(0.0, bound - score) / (abs(score) or 1.0):.3%} away"
        return Text(f"Proof    no network exceeds {bound:,.3f}{gap}")

    def _bar(self, title: str, more: str = "") -> RenderableType:
        from rich.text import Text

        spent = time.perf_counter() - self._began
        fraction = self._fraction
        left = f", {show_seconds(spent / fraction - spent)} left" if fraction > 0.01 else ""
        full = round(_BAR_WIDTH * fraction)
        return Text.assemble(
            title,
            ("━" * full, "green"),
            ("━" * (_BAR_WIDTH - full), "dim"),
            f" {fraction:4.0%}{left}{more}",
        )

    def _searching(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        spent = time.perf_counter() - self._began
        left = (
            "" if self._limit is None else f", {show_seconds(max(0.0, self._limit - spent))} left"
        )
        with self._lock:
            steps = list(self._steps)
        if not steps:
            return Text(f"Search   climbing the first orders{left}")
        best = max(steps, key=lambda step: step.score)
        head = Text.assemble(
            "Search   best ",
            (f"{best.score:,.3f}", "bold green"),
            f" by chain {best.chain} after {show_seconds(best.seconds)}{left}",
        )
        table = Table("chain", "best", "last improvement", "generation", box=None, padding=(0, 2))
        for number, standing in enumerate(self._standings[:_MOST_CHAINS], 1):
            table.add_row(
                str(number),
                f"{standing.score:,.3f}" if math.isfinite(standing.score) else "",
                f"{show_seconds(standing.idle_seconds)} ago",
                f"{standing.generation:,}",
            )
        return Group(head, Text(f"         {sparkline(steps, spent)}", style="green"), table)


def sparkline(steps: Sequence[Improvement], seconds: float, width: int = _SPARK_WIDTH) -> str:
    """Draw the best score over time, on a scale that is logarithmic towards the best."""
    best_at: list[float] = []
    best, at = -math.inf, 0
    ordered = sorted(steps, key=lambda step: step.seconds)
    for place in range(1, width + 1):
        while at < len(ordered) and ordered[at].seconds <= seconds * place / width:
            best = max(best, ordered[at].score)
            at += 1
        best_at.append(best)
    known = [score for score in best_at if math.isfinite(score)]
    if not known:
        return ""
    widest = math.log1p(known[-1] - known[0]) or 1.0
    marks = []
    for score in best_at:
        if not math.isfinite(score):
            marks.append(" ")
            continue
        share = 1 - math.log1p(known[-1] - score) / widest
        marks.append(_SPARKS[min(len(_SPARKS) - 1, int(share * len(_SPARKS)))])
    return "".join(marks)
