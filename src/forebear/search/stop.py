"""Stop rules of a search, which can be combined."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from forebear._util.checks import check_positive, check_real, check_whole
from forebear._util.errors import ForebearError


@dataclass(frozen=True)
class Standing:
    """The state of one chain.

    Attributes
    ----------
    seconds
        Seconds since the search started.
    generation
        Number of generations completed.
    score
        The best score of the chain.
    idle_seconds
        Seconds since the last improvement.
    idle_generations
        Generations since the last improvement.
    runs
        Number of runs that have stalled, in a search that starts again then.
    """

    seconds: float
    generation: int
    score: float
    idle_seconds: float
    idle_generations: int
    runs: int = 0


class StopRule(Protocol):
    """A function that returns the reason why a chain should stop, or None if it should continue."""

    def __call__(self, standing: Standing) -> str | None:
        """Decide after each generation of a chain whether it stops.

        Parameters
        ----------
        standing
            The state of the chain.

        Returns
        -------
        str or None
            The reason to stop, or None.
        """


@dataclass(frozen=True)
class MaxSeconds:
    """Stop after a given time, even in the middle of a climb.

    Parameters
    ----------
    seconds
        Seconds from the start of the search.
    """

    seconds: float

    def __post_init__(self) -> None:
        check_positive(seconds=self.seconds)

    def __call__(self, standing: Standing) -> str | None:
        """Stop when the time limit is reached."""
        return "time" if standing.seconds >= self.seconds else None


@dataclass(frozen=True)
class MaxGenerations:
    """Stop each chain after a number of generations. The same seed then gives the same network.

    Parameters
    ----------
    generations
        Number of generations of each chain.
    """

    generations: int

    def __post_init__(self) -> None:
        check_whole(1, math.inf, generations=self.generations)

    def __call__(self, standing: Standing) -> str | None:
        """Stop when the number of generations is reached."""
        return "generations" if standing.generation >= self.generations else None


@dataclass(frozen=True)
class NoImprovement:
    """Stop a chain that has not improved for a number of generations or seconds.

    At least one of the two is required; with both, the chain stops at the first that is reached.

    Parameters
    ----------
    generations
        Generations without improvement. Default: no limit.
    seconds
        Seconds without improvement. Default: no limit.
    """

    generations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.generations is None and self.seconds is None:
            raise ForebearError("NoImprovement requires generations or seconds")
        if self.generations is not None:
            check_whole(1, math.inf, generations=self.generations)
        if self.seconds is not None:
            check_positive(seconds=self.seconds)

    def __call__(self, standing: Standing) -> str | None:
        """Stop when a limit is reached without improvement."""
        by_generations = standing.idle_generations >= (self.generations or math.inf)
        by_seconds = standing.idle_seconds >= (self.seconds or math.inf)
        return "no improvement" if by_generations or by_seconds else None


@dataclass(frozen=True)
class Target:
    """Stop all chains when one of them reaches a score.

    Parameters
    ----------
    score
        The score to reach, with a tolerance of a millionth of a nat.
    """

    score: float

    def __post_init__(self) -> None:
        check_real(-math.inf, score=self.score)

    def __call__(self, standing: Standing) -> str | None:
        """Stop when the score is reached."""
        return "target" if standing.score >= self.score - 1e-6 else None


@dataclass(frozen=True, init=False)
class AnyOf:
    """Stop as soon as one of several rules is met.

    Parameters
    ----------
    *rules
        The rules: objects such as ``Target``, or functions that take a ``Standing``.
    """

    rules: tuple[StopRule, ...] = field()

    def __init__(self, *rules: StopRule) -> None:
        if not rules:
            raise ForebearError("a search requires a stop rule: seconds, generations, ...")
        object.__setattr__(self, "rules", rules)

    def __call__(self, standing: Standing) -> str | None:
        """Return the reason of the first rule that is met."""
        return next((reason for rule in self.rules if (reason := rule(standing))), None)


def make_stop(
    stop: StopRule | None = None,
    *,
    time_limit: float | None = None,
    generations: int | None = None,
) -> StopRule:
    """Combine a rule with a time limit and a generation limit; at least one is required."""
    rules: list[StopRule] = [] if stop is None else [stop]
    if generations is not None:
        rules.append(MaxGenerations(generations))
    if time_limit is not None:
        rules.append(MaxSeconds(time_limit))
    return AnyOf(*rules)


ENDS_ALL = ("time", "target", "optimal")
"""If one chain stops for one of these reasons, all others stop as well."""


def time_limit(rule: StopRule) -> float | None:
    """Return the smallest time limit in a rule; None if there is none."""
    limits = [part.seconds for part in parts_of(rule) if isinstance(part, MaxSeconds)]
    return min(limits, default=None)


def parts_of(rule: StopRule) -> Iterator[StopRule]:
    """Iterate over the individual rules in a rule."""
    if isinstance(rule, AnyOf):
        for part in rule.rules:
            yield from parts_of(part)
    else:
        yield rule
