"""Run: the settings and resources of a run, which are passed to every step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import randbits
from typing import Any

from forebear._util.atomic import check_writable
from forebear._util.checks import check_run
from forebear._util.errors import ForebearError, Parameter
from forebear._util.executors import check_executor, worker_count
from forebear._util.machine import thread_count
from forebear._util.progress import default_watcher
from forebear._util.text import memory_limit
from forebear._util.watcher import Relay, Watcher
from forebear.budget import (
    DEFAULT_IDLE_SECONDS,
    DEFAULT_SECONDS,
    LEAST_STEP_SECONDS,
    Clock,
)
from forebear.learning.algorithms import NamedAlgorithm, as_algorithm
from forebear.learning.cache import Cache
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network
from forebear.proof.exact_search import Exact
from forebear.result import Result
from forebear.search.psminobs import PSMINOBS
from forebear.search.stop import AnyOf, MaxGenerations, NoImprovement, StopRule, Target, parts_of

_START = "a Result, a Network or an order of all variables"


@dataclass(frozen=True)
class Run:
    """The clock, memory, threads, seed, watcher and settings that the steps of a run share.

    Attributes
    ----------
    algorithm
        The search algorithm.
    clock
        The time limit of the run, or of this part of it.
    generations, stop
        The stop criteria of the search, besides the clock.
    threads, seed
        The number of threads, and the random seed.
    start
        A result, a network or an order to start from, or None.
    certify, certificate
        Whether to prove a bound, and the file for its certificate.
    executor, checkpoint
        The executor that runs scoring and search, and the file in which the search saves its state.
    watcher
        An object that is notified of every step.
    max_memory
        Memory limit in bytes, or None for the free memory.
    cache
        The cache of parent sets, or None.
    """

    algorithm: NamedAlgorithm
    clock: Clock
    generations: int | None
    stop: StopRule | None
    threads: int
    seed: int
    start: Any
    certify: bool | None
    certificate: Path | str | None
    executor: Any
    checkpoint: Path | str | None
    watcher: Watcher
    max_memory: int | None = None
    cache: Cache | None = None

    @classmethod
    def make(
        cls,
        *,
        algorithm: Any = "ps-minobs",
        time_limit: float | None = None,
        generations: int | StopRule | None = None,
        threads: int | None = None,
        seed: int | None = None,
        start: Any = None,
        certify: bool | Path | str | None = None,
        executor: Any = None,
        checkpoint: Path | str | None = None,
        watcher: Watcher | None = None,
        max_memory: int | str | None = None,
        cache: Cache | None = None,
    ) -> Run:
        """Check all settings, choose defaults, and start the clock."""
        most, stop = _split_rule(generations)
        certificate = certify if isinstance(certify, str | Path) else None
        certify = None if isinstance(certify, str | Path) else certify
        check_run(
            time_limit=time_limit,
            generations=most,
            threads=threads,
            seed=seed,
            watcher=watcher,
        )
        _check_types(start, certify)
        named = as_algorithm(algorithm)
        if certificate is not None:
            check_writable(certificate)
        if executor is not None:
            check_executor(executor)
            if algorithm == "ps-minobs" and most is None:
                named = replace(named, settings=PSMINOBS(chains=worker_count(executor)))
        if isinstance(named.settings, Exact):
            _check_exact(most, stop, checkpoint)
        if time_limit is None and most is None and (stop is None or _only_targets(stop)):
            time_limit = DEFAULT_SECONDS  # a target may never be reached
            if stop is None and not isinstance(named.settings, Exact):
                stop = NoImprovement(seconds=DEFAULT_IDLE_SECONDS)
        return cls(
            algorithm=named,
            clock=Clock(time_limit),
            generations=None if most is None else int(most),
            stop=stop,
            threads=thread_count(threads) if executor is None else int(threads or 1),
            seed=randbits(63) if seed is None else int(seed),
            start=start,
            certify=certify,
            certificate=certificate,
            executor=executor,
            checkpoint=checkpoint,
            watcher=watcher or default_watcher(),
            max_memory=memory_limit(max_memory),
            cache=cache,
        )

    def part(self, seconds: float | None, start: Any, **changes: Any) -> Run:
        """Return a run for one of several searches.

        Its time limit is ``seconds``. It ends after half of them without improvement.
        """
        part = replace(self, clock=Clock(seconds), start=start, **changes)
        if seconds is None or self.exact is not None:
            return part
        idle = NoImprovement(seconds=max(seconds, LEAST_STEP_SECONDS) / 2)
        return replace(part, stop=idle if part.stop is None else AnyOf(part.stop, idle))

    def network_only(self) -> Run:
        """Return a run of which only the network counts: no proof, files, cache or executor.

        Its watcher is only notified of work that can be cancelled.
        """
        return replace(
            self,
            certify=False,
            certificate=None,
            executor=None,
            checkpoint=None,
            cache=None,
            watcher=Relay(self.watcher, ["started"]),
        )

    @property
    def exact(self) -> Exact | None:
        """The settings of exact search, or None for another algorithm."""
        return self.algorithm.settings if isinstance(self.algorithm.settings, Exact) else None

    @property
    def timed(self) -> bool:
        """Whether the result may depend on time. Under a generation limit, it must not."""
        return self.generations is None


def _split_rule(generations: Any) -> tuple[Any, StopRule | None]:
    """Return the generation limit and the other stop rules."""
    if not callable(generations):
        return generations, None
    rules = list(parts_of(generations))
    limits = [rule.generations for rule in rules if isinstance(rule, MaxGenerations)]
    others = [rule for rule in rules if not isinstance(rule, MaxGenerations)]
    return min(limits, default=None), AnyOf(*others) if others else None


def _check_types(start: Any, certify: Any) -> None:
    order = isinstance(start, Iterable) and not isinstance(start, str | bytes)
    kinds = {
        "start": (start, order or isinstance(start, Network | FittedNetwork | Result), _START),
        "certify": (certify, isinstance(certify, bool), "True, False or a file"),
    }
    for name, (value, fits, expected) in kinds.items():
        if value is not None and not fits:
            raise ForebearError(Parameter(name), f" must be {expected}, got {value!r}")


def _only_targets(stop: StopRule) -> bool:
    return all(isinstance(rule, Target) for rule in parts_of(stop))


def _check_exact(
    generations: int | None, stop: StopRule | None, checkpoint: Path | str | None
) -> None:
    """Reject parameters that exact search does not support."""
    if checkpoint is not None:
        raise ForebearError("exact search cannot be resumed: leave out ", Parameter("checkpoint"))
    if generations is not None or stop is not None:
        raise ForebearError(
            "exact search stops when its proof is complete, or at ",
            Parameter("time_limit"),
            ": leave out ",
            Parameter("generations"),
        )
