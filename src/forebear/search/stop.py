"""When a search stops: small rules that can be combined."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from forebear._util.checks import check_positive, check_real, check_whole
from forebear._util.errors import ForebearError

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Standing:
    """How far one chain is."""

    seconds: float
    generation: int
    score: float
    idle_seconds: float
    idle_generations: int


class StopRule(Protocol):
    """Tells why a chain should stop now, or ``None`` if it should go on."""

    def __call__(self, standing: Standing) -> str | None:
        """Look at a chain after each of its generations."""


@dataclass(frozen=True)
class MaxSeconds:
    """Stop after so many seconds; climbs under way are cut short too."""

    seconds: float

    def __post_init__(self) -> None:
        check_positive(seconds=self.seconds)

    def __call__(self, standing: Standing) -> str | None:
        """Stop when the time is over."""
        return "time" if standing.seconds >= self.seconds else None


@dataclass(frozen=True)
class MaxGenerations:
    """Stop each chain after so many generations: the same result every time."""

    generations: int

    def __post_init__(self) -> None:
        check_whole(1, math.inf, generations=self.generations)

    def __call__(self, standing: Standing) -> str | None:
        """Stop when the generations are done."""
        return "generations" if standing.generation >= self.generations else None


@dataclass(frozen=True)
class NoImprovement:
    """Stop a chain that has not improved for so many generations or seconds."""

    generations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.generations is None and self.seconds is None:
            raise ForebearError("NoImprovement needs generations or seconds")
        if self.generations is not None:
            check_whole(1, math.inf, generations=self.generations)
        if self.seconds is not None:
            check_positive(seconds=self.seconds)

    def __call__(self, standing: Standing) -> str | None:
        """Stop when it has been idle for long."""
        by_generations = standing.idle_generations >= (self.generations or math.inf)
        by_seconds = standing.idle_seconds >= (self.seconds or math.inf)
        return "no improvement" if by_generations or by_seconds else None


@dataclass(frozen=True)
class Target:
    """Stop when a score is reached (to a millionth of a nat); all chains stop then."""

    score: float

    def __post_init__(self) -> None:
        check_real(-math.inf, score=self.score)

    def __call__(self, standing: Standing) -> str | None:
        """Stop when the score is reached."""
        return "target" if standing.score >= self.score - 1e-6 else None


@dataclass(frozen=True, init=False)
class AnyOf:
    """Stop when one of several rules says so."""

    rules: tuple[StopRule, ...] = field()

    def __init__(self, *rules: StopRule) -> None:
        if not rules:
            raise ForebearError("a search needs a rule to stop by: seconds, generations, ...")
        object.__setattr__(self, "rules", rules)

    def __call__(self, standing: Standing) -> str | None:
        """Ask the rules in turn."""
        return next((reason for rule in self.rules if (reason := rule(standing))), None)


def make_stop(
    stop: StopRule | None = None,
    *,
    time_limit: float | None = None,
    generations: int | None = None,
) -> StopRule:
    """Combine a rule with a time limit and a generation limit; there must be one of them."""
    rules: list[StopRule] = [] if stop is None else [stop]
    if generations is not None:
        rules.append(MaxGenerations(generations))
    if time_limit is not None:
        rules.append(MaxSeconds(time_limit))
    return AnyOf(*rules)


ENDS_ALL = ("time", "target")
"""Reasons of one chain that end the others, too."""


def time_limit(rule: StopRule) -> float | None:
    """Find the time limit in a rule, so that climbs can be cut short by it."""
    limits = [part.seconds for part in single_rules(rule) if isinstance(part, MaxSeconds)]
    return min(limits, default=None)


def single_rules(rule: StopRule) -> Iterator[StopRule]:
    """Give the rules that a rule combines, or itself."""
    if isinstance(rule, AnyOf):
        for part in rule.rules:
            yield from single_rules(part)
    else:
        yield rule
