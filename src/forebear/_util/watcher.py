"""Watcher: hears what a run does, step by step."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from forebear._util.text import counted, show_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from forebear.data.dataset import Dataset
    from forebear.learning.plan import Plan
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement
    from forebear.validation.trials import Trial

logger = logging.getLogger("forebear")


class Watcher:
    """Hears of every step of a run. Override the methods you want to know about.

    ``learn``, ``score_parent_sets``, ``find_network``, ``find_bound`` and the others take a
    watcher and call the methods that concern them. By default every method does nothing.
    """

    def loaded(self, data: Dataset) -> None:
        """The table has been read."""

    def reserve(self, data: Dataset) -> float:
        """Return how many seconds of the time limit are needed after ``learn``. Default: none."""
        del data
        return 0.0

    def tried(self, trial: Trial) -> None:
        """A way to learn has been tried on the first split.

        The figures of a ``Validation`` are means over all splits.
        """

    def planned(self, plan: Plan) -> None:
        """``learn`` has chosen what to score and how."""

    def counted(self, families: int, most_bytes: int, parts: int) -> None:
        """Scoring starts: this many families, in so many parts.

        ``most_bytes`` is the memory that it would take if no parent set were pruned.
        """

    def scoring(self, fraction: float) -> None:
        """This fraction of the families has been scored. Called often."""

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        """The parent sets are there, perhaps from the cache."""

    def enlarged(self, added: int, parent_sets: ParentSets) -> None:
        """Larger sets have been added to the parent sets."""

    def started(self, cancel: Callable[[], None]) -> None:
        """Work that can be cancelled has started. Any thread may call ``cancel``."""

    def searching(self, seconds: float | None) -> None:
        """The search starts, and may take this many seconds."""

    def improved(self, improvement: Improvement) -> None:
        """A chain found a better network. Called from the thread of that chain."""

    def standing(self, chains: Sequence[Standing]) -> None:
        """The state of every chain, a few times a second."""

    def expected(self, round_: int, criterion: float, result: Result) -> None:
        """A round of expectation maximisation has ended; ``criterion`` judges its network.

        Round 0 is the network of the available rows, which the others have to exceed.
        """

    def bounding(self, bound: float, score: float | None) -> None:
        """No network scores more than ``bound``; ``score`` is that of the incumbent. Often."""

    def sampling(self, fraction: float, sweeps: int) -> None:
        """This fraction of the draws has been made, in this many sweeps of every chain. Often."""

    def found(self, result: Result) -> None:
        """The run has ended."""


class Quiet(Watcher):
    """Hears nothing but how to cancel.

    Parameters
    ----------
    watcher
        Who may want to cancel.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def started(self, cancel: Callable[[], None]) -> None:
        """Pass on how to cancel."""
        self._watcher.started(cancel)


class LogWatcher(Watcher):
    """Writes the steps to the logger "forebear": the main ones at INFO, the others at DEBUG."""

    def loaded(self, data: Dataset) -> None:
        """Log the size of the table."""
        logger.info(
            "table: %s", f"{counted(data.n_variables, 'variable')}, {counted(data.n_rows, 'row')}"
        )

    def tried(self, trial: Trial) -> None:
        """Log how well it predicts held-out rows."""
        logger.info("first split: %s: %.3f nats per held-out row", trial.name, trial.held_out)

    def planned(self, plan: Plan) -> None:
        """Log what was chosen."""
        logger.info("plan: %s", plan.sentence())

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        """Log how many parent sets there are, and where they come from."""
        source = f"scored in {show_seconds(seconds)}" if cached is None else f"read from {cached}"
        logger.info("%s, %s", counted(len(parent_sets), "parent set"), source)

    def enlarged(self, added: int, parent_sets: ParentSets) -> None:
        """Log how many larger sets were added."""
        logger.info("%s added", counted(added, "larger set"))

    def expected(self, round_: int, criterion: float, result: Result) -> None:
        """Log how good the network of a round is."""
        arcs = counted(len(result.network.arcs), "arc")
        logger.info("em, round %d: observed values score %.4f, %s", round_, criterion, arcs)

    def improved(self, improvement: Improvement) -> None:
        """Log a better network."""
        logger.debug(
            "chain %d, generation %d, %.2f s: %.4f",
            improvement.chain,
            improvement.generation,
            improvement.seconds,
            improvement.score,
        )

    def found(self, result: Result) -> None:
        """Log what was found."""
        logger.info(
            "score %.4f, %s, after %s (%s)",
            result.score,
            counted(len(result.network.arcs), "arc"),
            show_seconds(result.seconds),
            result.stop_reason,
        )
