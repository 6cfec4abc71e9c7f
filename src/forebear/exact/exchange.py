"""Exchange: what a search and a solver that run beside each other tell one another."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from forebear.exact.problem import Solver


class News(NamedTuple):
    """What the solver has come to.

    ``survivors`` are the ranks (from 0) of every variable's sets that a better network may have,
    and of its empty set. ``network`` is one which the search does not know: its order, and the
    ranks of its sets.
    """

    survivors: Sequence[NDArray[np.int32]] | None = None
    network: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None


class Exchange:
    """The meeting place of a search and a solver.

    The search offers its best networks, which price out sets in the solver. The solver offers its
    own networks, and the sets that it has left. It comes here several times a second, and works
    only while it may: with one thread, the search then stands still.

    Parameters
    ----------
    threads
        The threads of the solver.
    known
        The score of the network that the solver starts from.
    """

    def __init__(self, threads: int, known: float) -> None:
        self.threads = threads
        self.abandoned = False  # whether nobody wants the result
        self._changed = threading.Condition()
        self._until = float("inf")
        self._waiting = False
        self._over = False
        self._known = known
        self._ranks: NDArray[np.int64] | None = None
        self._news = News()
        self._version = 0

    # ---- for the search ---------------------------------------------------------------------

    @property
    def known(self) -> float:
        """The best score that both know of."""
        return self._known

    @property
    def stands(self) -> bool:
        """Whether the solver stands still, or has ended."""
        return self._waiting or self._over

    def offer(self, score: float, ranks: NDArray[np.int64]) -> None:
        """Offer a network: its score, and the rank (from 0) of every variable's set."""
        with self._changed:
            if score > self._known:
                self._known, self._ranks = score, ranks

    def news(self) -> tuple[int, News]:
        """Return the latest news, with a number that tells whether they are the same as before."""
        with self._changed:
            return self._version, self._news

    def let_work(self, seconds: float) -> None:
        """Let the solver work for some time; with 0 it stands still from its next visit on."""
        with self._changed:
            self._until = time.perf_counter() + seconds
            self._waiting = self._waiting and seconds <= 0
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until the solver stands still, or has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self.stands)

    # ---- for the solver ---------------------------------------------------------------------

    @contextmanager
    def working(self) -> Iterator[None]:
        """Note when the solver has ended, for whatever reason."""
        try:
            yield
        finally:
            with self._changed:
                self._over = True
                self._changed.notify_all()

    def meet(self, solver: Solver) -> None:
        """Take what the search has found, leave what the solver has, and wait for a turn."""
        with self._changed:
            ranks, self._ranks = self._ranks, None
        if ranks is not None:
            solver.take(ranks)
        survivors, found = solver.survivors(), None
        with self._changed:
            if solver.incumbents.best > self._known:
                self._known, found = solver.incumbents.best, solver.network()
            if survivors is not self._news.survivors or found is not None:
                network = self._news.network if found is None else found
                self._news, self._version = News(survivors, network), self._version + 1
            while time.perf_counter() >= self._until:
                self._waiting = True
                self._changed.notify_all()
                self._changed.wait()
        solver.use_threads(self.threads)
