"""Watcher: an object that is notified of every step of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear.search.trace import Improvement

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.learning.searchable_sets import Plan
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.result.validation import Trial
    from forebear.search.stop import Standing

TICK_SECONDS = 0.2
"""The interval at which a run checks for Ctrl-C and reports its progress to the watcher."""


class Watcher:
    """An object that is notified of every step of a run. Override the methods you need.

    Pass a watcher to ``learn``, ``score_parent_sets``, ``find_network``, ``find_bound`` and similar
    functions, which call the methods that apply to them. By default, every method does nothing.
    """

    def loaded(self, data: Dataset) -> None:
        """The table has been read."""

    def reserve(self, data: Dataset) -> float:
        """Return the number of seconds to reserve for work after ``learn``. Default: 0."""
        del data
        return 0.0

    def trial_finished(self, trial: Trial) -> None:
        """A combination of settings has been evaluated on the first split.

        The results in a ``Validation`` are means over all splits.
        """

    def planned(self, plan: Plan) -> None:
        """``learn`` has chosen its settings."""

    def scoring_started(self, families: int, most_bytes: int, parts: int) -> None:
        """Scoring starts, with this number of families and parts.

        ``most_bytes`` is an estimate of the memory required if no parent set were pruned.
        """

    def scoring(self, fraction: float) -> None:
        """This fraction of the families has been scored. Called often."""

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        """The parent sets have been scored, or loaded from the cache."""

    def started(self, cancel: Callable[[], None]) -> None:
        """Work that can be cancelled has started. Any thread may call ``cancel``."""

    def searching(self, seconds: float | None) -> None:
        """The search starts, and may take this many seconds."""

    def improved(self, improvement: Improvement) -> None:
        """A chain found a better network. Called from the thread of that chain."""

    def standing(self, chains: Sequence[Standing]) -> None:
        """The state of every chain. Called a few times a second."""

    def em_round(self, round_: int, criterion: float, result: Result) -> None:
        """A round of expectation maximization has ended; ``criterion`` rates its network.

        Round 0 is the network of the available rows; later rounds must exceed its criterion.
        """

    def bounding(self, bound: float, score: float | None) -> None:
        """No network scores more than ``bound``; the incumbent has ``score``. Called often."""

    def sampling(self, fraction: float, sweeps: int) -> None:
        """This fraction of the draws is done, after this many sweeps per chain. Called often."""

    def finished(self, result: Result) -> None:
        """The run has ended."""


EVENTS = tuple(name for name in vars(Watcher) if not name.startswith("_"))
"""The names of all methods of a watcher."""


class Relay(Watcher):
    """Forwards events to another watcher, and mutes the others.

    Parameters
    ----------
    watcher
        The watcher to notify.
    only
        The events to forward. Default: all.
    **instead
        Functions to call instead of forwarding an event.
    """

    def __init__(
        self, watcher: Watcher, only: Collection[str] = EVENTS, **instead: Callable[..., Any]
    ) -> None:
        forwarded = {event: getattr(watcher, event) for event in only}
        for event, function in {**forwarded, **instead}.items():
            setattr(self, event, function)
