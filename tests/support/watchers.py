"""Watchers for tests: they record events, and may react to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forebear._util.watcher import Watcher
from forebear.search.stop import Standing
from forebear.search.trace import Improvement


class Recorder(Watcher):
    """Records the events of scoring, search and proof."""

    def __init__(self) -> None:
        self.cancel: Callable[[], None] | None = None
        self.bounds: list[float] = []
        self.families: list[int] = []
        self.fractions: list[float] = []
        self.improvements: list[Improvement] = []
        self.standings: list[Sequence[Standing]] = []

    def started(self, cancel: Callable[[], None]) -> None:
        self.cancel = cancel

    def scoring_started(self, families: int, most_bytes: int, parts: int) -> None:
        self.families.append(families)

    def scoring(self, fraction: float) -> None:
        self.fractions.append(fraction)

    def improved(self, improvement: Improvement) -> None:
        self.improvements.append(improvement)

    def standing(self, chains: Sequence[Standing]) -> None:
        self.standings.append(chains)

    def bounding(self, bound: float, score: float | None) -> None:
        self.bounds.append(bound)


class AtFirst(Recorder):
    """Does something once, as soon as so many chains have a network; cancels, if not told what."""

    def __init__(self, act: Callable[[], None] | None = None, chains: int = 1) -> None:
        super().__init__()
        self._act = act
        self._chains = chains

    def improved(self, improvement: Improvement) -> None:
        super().improved(improvement)
        if len({step.chain for step in self.improvements}) == self._chains:
            self._chains = 0
            act = self._act or self.cancel
            assert act is not None
            act()


class AtOnce(Watcher):
    """Cancels before anything is done."""

    def started(self, cancel: Callable[[], None]) -> None:
        cancel()


class Failing(Watcher):
    """Fails at the call of one of its methods, after so many calls of it."""

    def __init__(self, method: str, error: type[BaseException] = RuntimeError, after: int = 0):
        setattr(self, method, self._fail)
        self._error, self._left = error, after

    def _fail(self, *_: object) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._error("no terminal")


class Midway(Recorder):
    """Does something once, when more than a share of the families is scored, but not all."""

    def __init__(self, act: Callable[[], None], share: float = 0.0) -> None:
        super().__init__()
        self._act: Callable[[], None] | None = act
        self._share = share

    def scoring(self, fraction: float) -> None:
        super().scoring(fraction)
        if self._share < fraction < 1 and self._act is not None:
            act, self._act = self._act, None
            act()
