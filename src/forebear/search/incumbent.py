"""Incumbent: the best network found so far, and the trace of its improvements."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from forebear._util.watcher import Watcher
from forebear.search.trace import Trace

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets
    from forebear.search.chain import FoundNetwork
    from forebear.search.trace import Improvement


class Incumbent:
    """The best network so far. It is replaced only by a better one.

    The initial network and the networks found by chains and proofs are offered to it. The incumbent
    at the end of a run is the result. Offering is thread-safe.

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
        self._best: FoundNetwork | None = None
        self._chain = 0  # that found it
        self._lock = threading.Lock()

    @property
    def best(self) -> FoundNetwork:
        """The best network."""
        if self._best is None:
            raise AssertionError("a search has at least one network")
        return self._best

    def offer(
        self, found: FoundNetwork, step: Improvement | None = None, *, chain: int = 0
    ) -> None:
        """Accept a network if it is better than all previous ones.

        ``step`` is the improvement of a chain, which goes to the trace: chains improve on their own
        networks, too. In case of ties, the network of the first ``chain`` is accepted, so the
        result does not depend on timing. A network that is not from a chain has the number 0.
        """
        number = chain if step is None else step.chain
        with self._lock:
            if self._best is None or (found.score, -number) > (self._best.score, -self._chain):
                self._best, self._chain = found, number
            if step is not None:
                self.trace.add(step)
                self._watcher.improved(step)

    def added_to(self, sets: ParentSets, *, dominated: bool) -> ParentSets:
        """Return a collection that also has the parent sets of the best network.

        Sets that a subset dominates are left out, unless they are needed as they are.
        """
        own = self.best.parents
        if all(sets.find(v, parents) is not None for v, parents in enumerate(own)):
            return sets
        return sets.add(self.best.alone().sets, dominated=dominated)
