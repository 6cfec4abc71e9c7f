"""What a run tells while it works: override what you want to know."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from forebear._util.text import show_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear.data.dataset import Dataset
    from forebear.learning.plan import Plan
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement

logger = logging.getLogger("forebear")


class Watcher:
    """Hears of every step of ``learn``, in this order. It hears nothing by default."""

    def loaded(self, data: Dataset) -> None:
        """The table is there."""

    def planned(self, plan: Plan) -> None:
        """What was chosen, and why."""

    def scoring(self, fraction: float) -> None:
        """So much of the families has been scored; often."""

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        """The parent sets are there, perhaps from the cache."""

    def searching(self, seconds: float | None) -> None:
        """The search begins, and may take so long."""

    def improved(self, improvement: Improvement) -> None:
        """A process found a better network; called from its thread."""

    def standing(self, processes: Sequence[Standing]) -> None:
        """How far each process is, a few times a second."""

    def bounding(self, bound: float, score: float | None) -> None:
        """No network exceeds this bound; often. ``score`` is what was found, if it was."""

    def found(self, result: Result) -> None:
        """All is over."""


class LogWatcher(Watcher):
    """Writes the steps to the logger ``forebear``: the main ones at INFO, others at DEBUG."""

    def loaded(self, data: Dataset) -> None:
        """Log the size of the table."""
        logger.info("table: %s variables, %s rows", f"{data.n_variables:,}", f"{data.n_rows:,}")

    def planned(self, plan: Plan) -> None:
        """Log what was chosen."""
        logger.info("plan: %s", plan.sentence())

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        """Log how many sets there are, and where from."""
        source = f"scored in {show_seconds(seconds)}" if cached is None else f"read from {cached}"
        logger.info("%s parent sets, %s", f"{len(parent_sets):,}", source)

    def improved(self, improvement: Improvement) -> None:
        """Log a better network."""
        logger.debug(
            "process %d, generation %d, %.2f s: %.4f",
            improvement.process,
            improvement.generation,
            improvement.seconds,
            improvement.score,
        )

    def found(self, result: Result) -> None:
        """Log what was found."""
        logger.info(
            "score %.4f, %d arcs, after %s (%s)",
            result.score,
            len(result.network.arcs),
            show_seconds(result.seconds),
            result.stop_reason,
        )
