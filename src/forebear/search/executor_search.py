"""Run a search in other processes or on other machines, in slices.

Each chain is a sequence of slices. A slice starts from the state that the previous slice returned,
runs generations for about two seconds, and returns the new state. The best network is therefore
available at any time. If a worker dies, only its slice is lost and is sent again. The result does
not depend on where a slice runs.
"""

from __future__ import annotations

import itertools
import threading
import time
import warnings
from collections import OrderedDict
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from forebear._util.errors import ForebearWarning
from forebear._util.executors import SharedData, share_data
from forebear._util.machine import cores
from forebear._util.watcher import TICK_SECONDS, Watcher
from forebear.data.formats.arrays import read_arrays, write_arrays
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.cps import write_cps
from forebear.search.algorithm import Search
from forebear.search.checkpoint import Checkpointer
from forebear.search.incumbent import Incumbent
from forebear.search.recipe import Recipe, stop_of
from forebear.search.runner import Outcome, run
from forebear.search.stop import ENDS_ALL, AnyOf, Standing, time_limit
from forebear.search.trace import Improvement

TABLE_FILE = "table.npz"
"""The file of the table, next to that of the parent sets if these grow."""

SLICE_SECONDS = 2.0
MOST_LOSSES = 5
"""A chain that loses this many slices in a row, or is overdue by as many, is abandoned."""


# ---- on the worker ---------------------------------------------------------------------

_OPEN: OrderedDict[str, Search] = OrderedDict()
_MOST_OPEN = 2
_LOCK = threading.Lock()


def open_search(name: str, payload: Any, recipe: Recipe, threads: int) -> Search:
    """Open the parent sets and the table that were sent to this worker, once for all slices."""
    with _LOCK:
        if name not in _OPEN:
            if isinstance(payload, str):
                sets = ParentSets.load(payload, threads=1)
                path = Path(payload).with_name(TABLE_FILE)
                table = read_arrays(path) if path.exists() else None
            else:
                sets, table = payload
            opened = _OPEN[name] = recipe.search(sets, table, threads)
            if opened.growth is None:
                _ = opened.space  # prepared before other slices need it
            while len(_OPEN) > _MOST_OPEN:
                _OPEN.popitem(last=False)
        return _OPEN[name]


def run_slice(
    name: str,
    payload: Any,
    recipe: Recipe,
    number: int,
    state: dict[str, Any] | None,
    elapsed: float,
    threads: int,
    ticket: int,
) -> dict[str, Any]:
    """Run some generations of one chain; return its new state and its improvements.

    A slice ends between generations, where the next slice can continue. Only the time limit of the
    search stops a generation.
    """
    del ticket  # makes every call distinct: some executors cache calls
    called = time.perf_counter()
    search = open_search(name, payload, recipe, threads)
    runner = search.runner(number, called - elapsed, state)
    runner.saves_states = True
    before = runner.generation

    def end_slice(standing: Standing) -> str | None:
        over = time.perf_counter() - called >= SLICE_SECONDS
        return "slice" if over and standing.generation > before else None

    outcome = run([runner], stop=AnyOf(stop_of(recipe.stop), end_slice), threads=threads)
    return {
        "state": runner.state(),
        "found": [list(step) for step in outcome.trace],
        "reason": None if runner.reason == "slice" else runner.reason,
    }


# ---- in this process -------------------------------------------------------------------


@dataclass
class RemoteChain:
    """A chain on the executor: its state after the last slice."""

    number: int
    state: dict[str, Any] | None = None
    reason: str | None = None
    losses: int = 0

    def standing(self, seconds: float) -> Standing:
        """Return the progress of the chain."""
        if self.state is None:
            return Standing(seconds, 0, float("-inf"), seconds, 0)
        when, generation = self.state["improved_at"]
        done = int(self.state["generation"])
        return Standing(
            seconds, done, self.state["best"]["score"], seconds - when, done - int(generation)
        )


@dataclass
class RemoteSearch:
    """The chains of a search, and the executor that runs their slices.

    ``cancel`` may be called by any thread.
    """

    executor: Any
    shipment: SharedData
    search: Search
    recipe: Recipe
    started: float
    incumbent: Incumbent
    keeper: Checkpointer | None
    watcher: Watcher
    chains: list[RemoteChain] = field(init=False)
    name: str = field(default_factory=lambda: uuid4().hex)  # of the search, on the workers
    lost: list[str] = field(default_factory=list)
    _local: ThreadPoolExecutor | None = None  # replaces an executor that failed
    _cancelled: threading.Event = field(default_factory=threading.Event)
    _tickets: Any = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        numbers = range(1, self.search.algorithm.chains + 1)
        self.chains = [RemoteChain(number) for number in numbers]

    def run(self) -> Outcome:
        """Send slices until a rule stops all chains; return the chains and the lost work."""
        limit = time_limit(stop_of(self.recipe.stop))
        pending = {self._submit(chain): chain for chain in self.chains}
        reason = ""
        try:
            while pending:
                done, _ = wait(pending, TICK_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    chain = pending.pop(future)
                    self._receive(chain, future)
                    if chain.reason is None and not self._cancelled.is_set():
                        pending[self._submit(chain)] = chain
                self.watcher.standing([chain.standing(self._seconds()) for chain in self.chains])
                if limit is not None and self._seconds() > limit + MOST_LOSSES * SLICE_SECONDS:
                    self._abandon(pending)
                    break
        except KeyboardInterrupt:
            reason = "interrupted"
        for future in pending:
            future.cancel()
        if self._local:
            self._local.shutdown(wait=False, cancel_futures=True)
        if self.keeper:
            states = {one.number: one.state for one in self.chains if one.state is not None}
            self.keeper.close(states, self.incumbent, self._seconds())
        return self._outcome(reason)

    def cancel(self) -> None:
        """Stop sending slices."""
        self._cancelled.set()

    def _seconds(self) -> float:
        return time.perf_counter() - self.started

    def _submit(self, chain: RemoteChain) -> Future[dict[str, Any]]:
        task = (
            *(self.name, self.shipment.payload, self.recipe, chain.number, chain.state),
            *(self._seconds(), self.search.threads, next(self._tickets)),
        )
        try:
            future: Future[dict[str, Any]] = (self._local or self.executor).submit(run_slice, *task)
        except (BrokenExecutor, RuntimeError) as error:
            self._continue_here(error)
            return self._submit(chain)
        return future

    def _continue_here(self, error: Exception) -> None:
        """Continue in this process, because the executor accepts no more work."""
        self._warn(f"the executor failed ({error!r}); the search continues in this process")
        self._local = ThreadPoolExecutor(min(len(self.chains), cores()))
        self.shipment.use_locally()

    def _renew(self) -> None:
        """Send the parent sets again if they were lost with their workers."""
        try:
            self.shipment.resend()
        except Exception as error:  # no worker came back
            self._continue_here(error)

    def _receive(self, chain: RemoteChain, future: Future[dict[str, Any]]) -> None:
        """Store the outcome of a slice, or record that it was lost."""
        try:
            report = future.result()
        except Exception as error:
            chain.losses += 1
            self._warn(f"chain {chain.number} lost a slice of its work ({type(error).__name__})")
            self._renew()
            if chain.losses >= MOST_LOSSES:
                if all(other.state is None for other in self.chains):
                    raise  # every chain fails: the cause is not a lost worker
                self._warn(f"chain {chain.number} failed repeatedly and was abandoned")
                chain.reason = "lost"
            return
        chain.losses = 0
        chain.state, chain.reason = report["state"], report["reason"]
        solution = self.search.best(report["state"])
        for step in report["found"]:
            self.incumbent.offer(solution, Improvement(*step))
        if self.keeper:
            self.keeper.offer(
                chain.number, lambda: report["state"], self.incumbent, self._seconds()
            )
        if chain.reason in ENDS_ALL:
            self._cancelled.set()

    def _abandon(self, pending: dict[Future[dict[str, Any]], RemoteChain]) -> None:
        for chain in pending.values():
            self._warn(f"chain {chain.number} did not respond in time")
            chain.reason = "time"

    def _warn(self, loss: str) -> None:
        self.lost.append(loss)
        warnings.warn(loss, ForebearWarning, stacklevel=2)

    def _outcome(self, reason: str) -> Outcome:
        runners = [
            self.search.runner(chain.number, self.started, chain.state)
            for chain in self.chains
            if chain.state is not None
        ]
        if not runners:
            raise KeyboardInterrupt  # no network has been found
        reasons = [chain.reason or "cancelled" for chain in self.chains]
        first = next((r for r in ("target", "time", "cancelled") if r in reasons), reasons[0])
        return Outcome(runners, self.incumbent, self._seconds(), reason or first, tuple(self.lost))


def search_on_executor(
    executor: Any,
    search: Search,
    recipe: Recipe,
    *,
    started: float,
    incumbent: Incumbent,
    keeper: Checkpointer | None,
    watcher: Watcher,
) -> Outcome:
    """Send the parent sets (and the table, if they grow) to the workers once, and search there."""
    sets = search.parent_sets
    table = None if search.growth is None else search.growth.job.data

    def write(path: Path) -> None:
        if sets.path is not None and sets.path.suffix == ".cps":
            path.symlink_to(sets.path.absolute())
        else:
            write_cps(sets, path)
        if table is not None:
            write_arrays(table, path.with_name(TABLE_FILE))

    # Other machines do not have the file, so the arrays themselves are sent.
    content = replace(sets, path=None), table
    with share_data(executor, content, write, "sets.cps") as shipment:
        remote = RemoteSearch(
            executor, shipment, search, recipe, started, incumbent, keeper, watcher
        )
        watcher.started(remote.cancel)
        return remote.run()
