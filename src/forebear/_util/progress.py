"""Progress: what a run does, as lines of text; some stay, and some change while it works."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, TypeAlias

from forebear._util.errors import Parameter
from forebear._util.text import counted, show_bytes, show_seconds, show_share
from forebear._util.watcher import LogWatcher

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear.data.dataset import Dataset
    from forebear.learning.plan import Plan
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement
    from forebear.validation.trials import Trial

Line: TypeAlias = "list[tuple[str, str]]"
"""Pieces of text, each with its style: "", "green", "dim" or "bold"."""

_SPARKS = "▁▂▃▄▅▆▇█"
_SPARK_WIDTH = 40
_BAR_WIDTH = 40
_MOST_CHAINS = 12


class Progress(LogWatcher):
    """Puts what a run does into lines; a subclass shows them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = time.perf_counter()
        self._limit: float | None = None
        self._fraction = 0.0
        self._sweeps = 0
        self._steps: list[Improvement] = []
        self._standings: Sequence[Standing] = ()
        self._phase = ""
        self._bound: tuple[float, float | None] = (0.0, None)

    def say(self, line: str) -> None:
        """Show a line that stays."""

    def spell(self, parameter: Parameter) -> str:
        """Spell a parameter as the reader would write it."""
        return str(parameter)

    def loaded(self, data: Dataset) -> None:
        """Show the size of the table."""
        super().loaded(data)
        states = data.arities
        few, many = int(states.min()), int(states.max())
        self.say(
            f"Table    {data.n_variables:,} variables, {data.n_rows:,} rows, "
            f"{few if few == many else f'{few} to {many}'} states"
        )
        if data.has_missing:
            how = self.spell(Parameter("missing", data.missing))
            self.say(f"         {show_share(data.missing_share)} of the values are missing ({how})")

    def counted(self, families: int, most_bytes: int, parts: int) -> None:
        """Start the bar."""
        super().counted(families, most_bytes, parts)
        self._start("scoring")

    def enlarged(self, added: int, parent_sets: ParentSets) -> None:
        """Show how many larger sets were added."""
        super().enlarged(added, parent_sets)
        self.say(f"         {counted(added, 'larger set')} added")

    def expected(self, round_: int, criterion: float, result: Result) -> None:
        """Show how good the network of a round is, or the first."""
        super().expected(round_, criterion, result)
        arcs = counted(len(result.network.arcs), "arc")
        name = f"Round {round_}" if round_ else "First"
        self.say(f"{name:<8} the observed values score {criterion:,.4f}, {arcs}")

    def tried(self, trial: Trial) -> None:
        """Show how well held-out rows are predicted."""
        super().tried(trial)
        self.say(f"Held out {trial.held_out:.3f} nats per row of the first split: {trial.name}")

    def planned(self, plan: Plan) -> None:
        """Show the plan."""
        super().planned(plan)
        self.say(f"Plan     {plan.sentence()}")
        self._start("scoring")

    def scoring(self, fraction: float) -> None:
        """Move the bar."""
        super().scoring(fraction)
        self._fraction = fraction

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        """Show the number of parent sets."""
        super().scored(parent_sets, seconds, cached)
        source = f"in {show_seconds(seconds)}" if cached is None else f"from {cached}"
        self._phase = ""
        self.say(
            f"Scored   {counted(len(parent_sets), 'parent set')} "
            f"({show_bytes(parent_sets.nbytes)}) {source}"
        )

    def searching(self, seconds: float | None) -> None:
        """Show the state of the chains."""
        super().searching(seconds)
        self._limit = seconds
        self._start("searching")

    def improved(self, improvement: Improvement) -> None:
        """Remember a better network."""
        super().improved(improvement)
        with self._lock:
            self._steps.append(improvement)

    def standing(self, chains: Sequence[Standing]) -> None:
        """Remember the state of each chain."""
        super().standing(chains)
        self._standings = chains

    def bounding(self, bound: float, score: float | None) -> None:
        """Show the bound."""
        super().bounding(bound, score)
        self._bound = (bound, score)
        self._phase = "bounding"

    def sampling(self, fraction: float, sweeps: int) -> None:
        """Move the bar of the chains."""
        super().sampling(fraction, sweeps)
        if self._phase != "sampling":
            self._start("sampling")
        self._fraction, self._sweeps = fraction, sweeps

    def found(self, result: Result) -> None:
        """Show nothing that changes any more."""
        super().found(result)
        self._phase = ""

    def _start(self, phase: str) -> None:
        self._phase = phase
        self._began = time.perf_counter()

    def now(self) -> list[Line]:
        """Return the lines that change, as they are now."""
        shown = {
            "scoring": lambda: self._bar("Scoring  ", self._so_far()),
            "sampling": lambda: self._bar("Sample   ", f", {self._sweeps:,} sweeps"),
            "searching": self._searching,
            "bounding": self._bounding,
        }
        return shown[self._phase]() if self._phase else []

    def _so_far(self) -> str:
        """Say how good the network is that was found before all sets are scored."""
        with self._lock:
            best = max((step.score for step in self._steps), default=None)
        return "" if best is None else f", best network so far {best:,.3f}"

    def _bounding(self) -> list[Line]:
        bound, score = self._bound
        gap = "" if score is None else f", {max(0.0, bound - score) / (abs(score) or 1.0):.3%} away"
        return [[(f"Proof    no network exceeds {bound:,.3f}{gap}", "")]]

    def _bar(self, title: str, more: str = "") -> list[Line]:
        spent = time.perf_counter() - self._began
        fraction = self._fraction
        left = f", {show_seconds(spent / fraction - spent)} left" if fraction > 0.01 else ""
        full = round(_BAR_WIDTH * fraction)
        return [
            [
                (title, ""),
                ("━" * full, "green"),
                ("━" * (_BAR_WIDTH - full), "dim"),
                (f" {fraction:4.0%}{left}{more}", ""),
            ]
        ]

    def _searching(self) -> list[Line]:
        spent = time.perf_counter() - self._began
        left = (
            "" if self._limit is None else f", {show_seconds(max(0.0, self._limit - spent))} left"
        )
        with self._lock:
            steps = list(self._steps)
        if not steps:
            return [[(f"Search   climbing the first orders{left}", "")]]
        best = max(steps, key=lambda step: step.score)
        head = [
            ("Search   best ", ""),
            (f"{best.score:,.3f}", "bold"),
            (f" by chain {best.chain} after {show_seconds(best.seconds)}{left}", ""),
        ]
        rows = [("chain", "best", "last improvement", "generation")]
        for number, standing in enumerate(self._standings[:_MOST_CHAINS], 1):
            score = f"{standing.score:,.3f}" if math.isfinite(standing.score) else ""
            idle = f"{show_seconds(standing.idle_seconds)} ago"
            rows.append((str(number), score, idle, f"{standing.generation:,}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(map(str.ljust, row, widths)) for row in rows]
        return [
            head,
            [(f"         {sparkline(steps, spent)}", "green")],
            *(
                [(f"         {line}".rstrip(), "dim" if k == 0 else "")]
                for k, line in enumerate(table)
            ),
        ]


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
