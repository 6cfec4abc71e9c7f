"""Run: the settings and the means of a run, which every step gets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, Any

from forebear._util.atomic import check_writable
from forebear._util.checks import check_run
from forebear._util.errors import ForebearError, Parameter
from forebear._util.executors import check_executor, worker_count
from forebear._util.machine import thread_count
from forebear._util.progress import default_watcher
from forebear._util.text import memory_limit
from forebear.budget import (
    DEFAULT_IDLE_SECONDS,
    DEFAULT_SECONDS,
    LEAST_SEARCH_SECONDS,
    Clock,
)
from forebear.learning.algorithms import NamedAlgorithm, as_algorithm
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network
from forebear.proof.exact_search import Exact
from forebear.result import Result
from forebear.search.psminobs import PSMINOBS
from forebear.search.stop import AnyOf, MaxGenerations, NoImprovement, StopRule, Target, parts_of

if TYPE_CHECKING:
    from forebear._util.watcher import Watcher
    from forebear.learning.cache import Cache


_START = "a Result, a Network or an order of all variables"


@dataclass(frozen=True)
class Run:
    """What every step of a run shares: the clock, memory, threads, seed, watcher and settings.

    Attributes
    ----------
    algorithm
        The search algorithm.
    clock
        The time of the whole run, or of the part of it that this is.
    generations, stop
        When the search ends, besides the clock.
    threads, seed
        The number of threads, and the random seed.
    start
        A result, a network or an order to start from, or None.
    certify, certificate
        Whether a proof is wanted, and the file for its certificate.
    executor, checkpoint
        Where scoring and search run, and the file that the search keeps up to date.
    watcher
        Every step is reported to it.
    max_memory
        Bytes, or None for what is free.
    cache
        Where parent sets are kept for the next run, or None.
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
    def checked(
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
        """Check all settings, choose those that were not given, and start the clock."""
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
        made = as_algorithm(algorithm)
        if certificate is not None:
            check_writable(certificate)
        if executor is not None:
            check_executor(executor)
            if algorithm == "ps-minobs" and most is None:
                made = replace(made, made=PSMINOBS(chains=worker_count(executor)))
        if isinstance(made.made, Exact):
            _check_exact(most, stop, checkpoint)
        if time_limit is None and most is None and (stop is None or _only_targets(stop)):
            time_limit = DEFAULT_SECONDS  # a target may never be reached
            if stop is None and not isinstance(made.made, Exact):
                stop = NoImprovement(seconds=DEFAULT_IDLE_SECONDS)
        return cls(
            algorithm=made,
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
        """Return the run of one search of several.

        It has these seconds, and ends when half of them have brought no better network.
        """
        part = replace(self, clock=Clock(seconds), start=start, **changes)
        if seconds is None or self.exact is not None:
            return part
        idle = NoImprovement(seconds=max(seconds, LEAST_SEARCH_SECONDS) / 2)
        return replace(part, stop=idle if part.stop is None else AnyOf(part.stop, idle))

    @property
    def exact(self) -> Exact | None:
        """The settings of exact search, if that is the algorithm."""
        return self.algorithm.made if isinstance(self.algorithm.made, Exact) else None

    @property
    def timed(self) -> bool:
        """Whether the result may depend on time: under a generation limit it must not."""
        return self.generations is None


def _split_rule(generations: Any) -> tuple[Any, StopRule | None]:
    """Return the limit on generations, and the other rules to stop by."""
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
    for name, (value, fits, wanted) in kinds.items():
        if value is not None and not fits:
            raise ForebearError(Parameter(name), f" must be {wanted}, got {value!r}")


def _only_targets(stop: StopRule) -> bool:
    return all(isinstance(rule, Target) for rule in parts_of(stop))


def _check_exact(
    generations: int | None, stop: StopRule | None, checkpoint: Path | str | None
) -> None:
    """Refuse what exact search does not do."""
    if checkpoint is not None:
        raise ForebearError(
            "exact search cannot be resumed: leave ", Parameter("checkpoint"), " out"
        )
    if generations is not None or stop is not None:
        raise ForebearError(
            "exact search ends with its proof or by ",
            Parameter("time_limit"),
            ": leave ",
            Parameter("generations"),
            " out",
        )
