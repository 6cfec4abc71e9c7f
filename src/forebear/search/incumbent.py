"""Incumbent: the best network found so far, and the trace of its improvements."""

from __future__ import annotations

import threading

from forebear._util.watcher import Watcher
from forebear.parentsets.collection import ParentSets
from forebear.search.chain import Solution
from forebear.search.trace import Improvement, Trace


class Incumbent:
    """The best network so far. It is replaced only by a better one.

    The initial network and the networks found by chains and proofs are offered to it. The incumbent
    at the end of a run is the result. All methods are thread-safe.

    Parameters
    ----------
    watcher
        An object that is notified of every improvement.
    trace
        The trace so far, if the search is resumed.
    """

    def __init__(self, watcher: Watcher | None = None, trace: Trace | None = None) -> None:
        self.trace = Trace() if trace is None else trace
        self._watcher = watcher or Watcher()
        self._best: Solution | None = None
        self._chain = 0  # the number of the chain that found it
        self._lock = threading.Lock()

    @property
    def best(self) -> Solution:
        """The best network."""
        with self._lock:
            if self._best is None:
                raise AssertionError("a search has at least one network")
            return self._best

    def improvements(self) -> list[Improvement]:
        """Return a copy of the trace; chains may add to it meanwhile."""
        with self._lock:
            return list(self.trace)

    def offer(self, solution: Solution, step: Improvement | None = None, *, chain: int = 0) -> None:
        """Accept a network if it is better than all previous ones.

        ``step`` is the improvement of a chain. It is added to the trace even if another chain has a
        better network. In case of ties, the network of the first ``chain`` is accepted, so the
        result does not depend on timing. A network that is not from a chain has the number 0.
        """
        number = chain if step is None else step.chain
        with self._lock:
            if self._best is None or (solution.score, -number) > (self._best.score, -self._chain):
                self._best, self._chain = solution, number
            if step is not None:
                self.trace.add(step)
                self._watcher.improved(step)

    def added_to(self, sets: ParentSets, *, dominated: bool) -> ParentSets:
        """Return a collection that also contains the parent sets of the best network.

        Dominated sets are added only if ``dominated`` is true.
        """
        best = self.best
        if all(sets.find(v, parents) is not None for v, parents in enumerate(best.parents)):
            return sets
        return sets.add(best.alone().sets, dominated=dominated)
