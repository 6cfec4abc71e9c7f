"""Watcher: is notified of what a run does, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from forebear.data.dataset import Dataset
    from forebear.learning.searchable_sets import Plan
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.result.validation import Trial
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement

TICK_SECONDS = 0.2
"""How often a run looks for Ctrl-C and tells watchers how far it is: often enough for a live view.
"""


class Watcher:
    """Is notified of every step of a run. Override the methods you need.

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

        ``most_bytes`` is about the memory that it would take if no parent set were pruned.
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


EVENTS = tuple(name for name in vars(Watcher) if not name.startswith("_"))
"""The names of all methods of a watcher."""


class Relay(Watcher):
    """Forwards events to another watcher, and mutes the others.

    Parameters
    ----------
    watcher
        Who is notified.
    only
        The events to forward. Default: all.
    **instead
        Functions that are called in place of forwarding an event.
    """

    def __init__(
        self, watcher: Watcher, only: Collection[str] = EVENTS, **instead: Callable[..., Any]
    ) -> None:
        forwarded = {event: getattr(watcher, event) for event in only}
        for event, function in {**forwarded, **instead}.items():
            setattr(self, event, function)
