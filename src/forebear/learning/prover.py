"""Prover: exact search on a thread of its own, so that a search can run beside it."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forebear._util.watcher import Watcher
from forebear.exact.exchange import Exchange
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result


class Prover:
    """An exact search that starts from a network.

    Parameters
    ----------
    parent_sets
        The sets that the proof is about.
    order
        The order of the network.
    score
        Its score.
    ranks
        The ranks (from 0) of its sets.
    relations
        What networks have to respect.
    seconds
        The time limit.
    threads
        The threads, as long as nothing else is said.
    seed
        The random seed.
    watcher
        Hears of the bound.
    certificate
        A file for the proof, or None.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        order: NDArray[np.int32],
        score: float,
        ranks: NDArray[np.integer],
        relations: Relations | None = None,
        *,
        seconds: float,
        threads: int,
        seed: int,
        watcher: Watcher,
        certificate: Path | str | None,
    ) -> None:
        self.parent_sets = parent_sets
        self.exchange = Exchange(threads, score)
        self._certificate = certificate
        self._asked = False
        self._result: Result | None = None
        self._error: BaseException | None = None
        # An interrupted join() of Python 3.11 takes a thread for ended that is not.
        self._ended = threading.Event()
        self._bounding = _Bounding(watcher)

        def prove() -> None:
            try:
                with self.exchange.working():
                    self._result, *_ = find_exact(
                        parent_sets,
                        Exact(),
                        time_limit=seconds,
                        threads=threads,
                        seed=seed,
                        orders=[order],
                        networks=[ranks],
                        relations=relations,
                        watcher=self._bounding,
                        certificate=certificate,
                        warm_up=False,
                        exchange=self.exchange,
                    )
            except BaseException as error:  # it is raised where the result is asked for
                self._error = error
            finally:
                self._ended.set()

        threading.Thread(target=prove, name="proof").start()

    @property
    def ended(self) -> bool:
        """Whether it has come to an end, whatever that is."""
        return self._ended.is_set()

    @property
    def proven(self) -> bool:
        """Whether it has proven its best network optimal."""
        return self.ended and self._result is not None and self._result.stop_reason == "optimal"

    @property
    def gap(self) -> float:
        """How much better than the best network known another one might be."""
        return self._bounding.bound - self.exchange.known

    def cancel(self) -> None:
        """End soon, with what has been proven by then."""
        self._bounding.cancel()
        self.exchange.let_work(float("inf"))

    def abandon(self) -> None:
        """End soon; the result and the certificate are not wanted."""
        self.exchange.abandoned = True
        self.cancel()

    def discard(self) -> None:
        """Wait for the end, and leave no certificate, unless the result has been asked for."""
        self.abandon()
        self._ended.wait()
        if self._certificate is not None and not self._asked:
            Path(self._certificate).unlink(missing_ok=True)

    def result(self, seconds: float, threads: int) -> Result:
        """Let it work alone, at most for some time, and return what it has come to."""
        self._asked = True
        self.exchange.threads = threads
        self.exchange.let_work(float("inf"))
        self._bounding.tell_how_to_cancel()
        interrupted = False
        try:
            self._ended.wait(min(max(0.0, seconds), threading.TIMEOUT_MAX))
        except KeyboardInterrupt:
            interrupted = True
        self.cancel()
        self._ended.wait()
        if interrupted and self._result is not None:
            return replace(self._result, stop_reason="interrupted")
        if self._error is not None:
            raise self._error
        if self._result is None:
            raise AssertionError("exact search has a result or an error")
        return self._result


class _Bounding(Watcher):
    """Passes on the bound, but not the steps of the search."""

    def __init__(self, watcher: Watcher) -> None:
        self.bound = float("inf")
        self._watcher = watcher
        self._cancel: Callable[[], None] | None = None
        self._cancelled = False

    def started(self, cancel: Callable[[], None]) -> None:
        """Note how to cancel the proof."""
        self._cancel = cancel
        if self._cancelled:
            cancel()

    def tell_how_to_cancel(self) -> None:
        """Let the user cancel the proof; until then, the search is what can be cancelled."""
        self._watcher.started(self.cancel)

    def cancel(self) -> None:
        """Cancel the proof, also if it has not started yet."""
        self._cancelled = True
        if self._cancel is not None:
            self._cancel()

    def bounding(self, bound: float, score: float | None) -> None:
        """Pass on the bound so far."""
        self.bound = bound
        self._watcher.bounding(bound, score)
